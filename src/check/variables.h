/* Checks on the values of environment variables: whether their readers take them, and whether they fit the machine. */
#ifndef CONDAGPU_CHECK_VARIABLES_H
#define CONDAGPU_CHECK_VARIABLES_H

#include "check/check.h"
#include "plan/grammar.h"

void check_threads(const struct check_input *input, struct result *result);
void check_allocator(const struct check_input *input, struct result *result);
void check_arch(const struct check_input *input, struct result *result);
void check_visible_devices(const struct check_input *input, struct result *result);
void check_nccl_iface(const struct check_input *input, struct result *result);
void check_nccl_ib(const struct check_input *input, struct result *result);

/* The explain texts of their rows. */
extern const char explain_threads[], explain_allocator[], explain_arch[], explain_visible_devices[],
    explain_nccl_iface[], explain_nccl_ib[];

/* What the checks of this file's room share: the environment that counts, and who reads it. */
struct variables {
    const struct check_input *input;
    struct result *result;
    struct grammar grammar;
    const char *const *env;
    const char *env_text; /* "the activated shell" or "this process" */
    unsigned seen;        /* variables that were judged */
    const char *first_fail, *first_warn;
};

void variables_open(struct variables *variables, const struct check_input *input, struct result *result);
/* The value; NULL when the variable is not set. */
const char *variables_get(const struct variables *variables, const char *name);
/* Judges one variable, if it is set, by its grammar. */
void variables_judge(struct variables *variables, const char *name);
/* The same; a name that looks like a misspelling is pointed out instead. */
void variables_judge_or_point(struct variables *variables, const char *name);
/* The same for every variable that is set and whose name starts so. */
void variables_judge_family(struct variables *variables, const char *start);
/* Adds a finding of the check's own. */
void variables_fail(struct variables *variables, const char *format, ...) __attribute__((format(printf, 2, 3)));
void variables_warn(struct variables *variables, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets status and message from what was found; `subject` names what passed or is not set. */
void variables_close(struct variables *variables, const char *subject);

#endif
