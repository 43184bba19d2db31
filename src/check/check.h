/* Facts -> findings. A check is one function and one row of checks[]; a check whose ground is broken is not run. */
#ifndef CONDAGPU_CHECK_CHECK_H
#define CONDAGPU_CHECK_CHECK_H

#include <stdbool.h>

#include "facts.h"
#include "plan/plan.h"
#include "util/arena.h"
#include "util/str.h"
#include "util/vec.h"

enum status { STATUS_PASS, STATUS_WARN, STATUS_FAIL, STATUS_SKIP };
const char *status_text(enum status status); /* "pass", "warn", "fail", "skip" */

/* One line of what was seen, and where. */
struct evidence {
    const char *text;
    const char *file; /* NULL */
    unsigned line, column; /* 0 for unknown */
};

/* What one check found. */
struct result {
    const char *id;
    enum status status;
    const char *message; /* one line */
    const char *fix;     /* one line; NULL */
    struct { VEC(struct evidence); } evidence;
};

/* A hook as `init` would write it today, beside what is there. */
struct hook_file {
    const char *path;     /* absolute */
    const char *relative; /* to the prefix */
    struct str expected;
    bool present;
    struct str actual;    /* when present */
    const char *recorded; /* SHA-256 in state.json; NULL for none */
};

/* Which libcudart a process of the environment gets; what the reports call "cudart". Members are NULL when unknown. */
struct cudart_answer {
    const char *path;
    const char *release; /* "12.4" */
    const char *version; /* of the library itself, where something tells it: "12.4.127" */
    const char *how;     /* "loaded by /env/bin/python", "by the loader's rules alone: …" */
};

/* Environments are NULL-terminated arrays of "NAME=value", as environ(7). */
struct check_input {
    struct arena *arena;
    const struct facts *facts;
    const struct plan *plan;       /* what `init` would set today */
    const struct hook_file *hooks; /* those that `init` would write */
    size_t hook_count;
    const char *const *env;        /* of this process */
    const char *const *activated;  /* of a real shell after it sourced the prefix's real hooks; NULL when none could */
    const char *activated_problem; /* why not */
    const struct consumers *consumers; /* of libcudart, resolved in that environment */
    struct cudart_answer *answer;  /* filled by cudart-live */
    bool require_gpu, allow_unpinned, compile;
    const struct strv *modules;    /* of --import; NULL or empty for none */
    unsigned deadline_ms;          /* for what may hang */
};

struct check {
    const char *id;
    const char *title;    /* what it proves, one line */
    const char *explain;  /* what it means, why it matters, how to mend it, the source; plain paragraphs */
    const char *needs[4]; /* ids that must not fail or be skipped before it runs; NULL behind the last */
    void (*function)(const struct check_input *input, struct result *result);
};

extern const struct check checks[]; /* id NULL behind the last; in the order of the report */

/* A check's function sets status and message by one of these; the last call counts, but never lowers fail to warn or
 * pass, nor warn to pass. A function that sets nothing is a skip: "it did not decide". */
void check_pass(const struct check_input *input, struct result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void check_warn(const struct check_input *input, struct result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void check_fail(const struct check_input *input, struct result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void check_skip(const struct check_input *input, struct result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void check_fix(const struct check_input *input, struct result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a line of evidence; `file` may be NULL. */
void check_evidence(const struct check_input *input, struct result *result, const char *file, unsigned line,
                    unsigned column, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* What a part of a check found becomes part of the whole; the first of the worst findings keeps its message and mend. */
void check_merge(const struct check_input *input, struct result *result, const struct result *part);

struct results {
    VEC(struct result);
};

struct check_selection {
    struct strv only, skip; /* ids; empty `only` means all */
};
/* ERR_USAGE for an id that does not exist, with the nearest one. */
bool checks_select(struct arena *arena, const struct check *rows, const char *only, const char *skip,
                   struct check_selection *selection, struct err *err);
/* Runs what is selected of `rows` (checks[]), in order. A check whose ground failed or was skipped is a skip that names it. */
void checks_run(const struct check_input *input, const struct check *rows, const struct check_selection *selection,
                struct results *results);

#endif
