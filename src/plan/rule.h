/* What the rules share. A rule is one file, one function and one row of plan.c's table. */
#ifndef CONDAGPU_PLAN_RULE_H
#define CONDAGPU_PLAN_RULE_H

#include "plan/grammar.h"
#include "plan/plan.h"

/* One run of the rules: what they read, what they add to, and what an earlier rule found for the later ones. */
struct ruling {
    struct arena *arena;
    const struct facts *facts;
    const struct config *config;
    struct plan *plan;
    struct err *err;
    const char *rule;       /* of the row that runs */
    struct grammar grammar; /* with the versions below */
    const char *torch_text; /* "torch 2.4.0+cu124" with where it was read; NULL: no torch, or its version unknown */
    bool torch_installed, torch_is_cpu;
    struct release release;        /* the CUDA release that the environment is for; RELEASE_NONE when not known */
    const char *release_text;      /* "12.4", with where it was read; NULL */
    const char *cuda_home;         /* absolute; NULL: not set */
    bool cuda_home_outside;        /* it lies outside the prefix */
    const struct toolkit *toolkit; /* the system toolkit that it is; NULL */
    struct release nvcc;           /* of the nvcc in cuda_home; RELEASE_NONE when not known */
};

/* Adds an operation. False with `err` when the value holds a character that no hook may hold, or when the grammar of
 * the variable refuses it. A variable that condagpu.yml's `variables:` sets is left to it, with an abstention. */
bool rule_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for a directory in a path list, which moreover holds no colon or semicolon and is absolute or
 * "$CONDA_PREFIX". */
bool rule_path_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *directory, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));
/* Says why the rule sets nothing; returns true, for `return rule_abstain(…)`. */
bool rule_abstain(struct ruling *ruling, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ERR_INPUT at a setting of condagpu.yml; returns false. */
bool rule_refuse(struct ruling *ruling, const struct setting *setting, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether a setting switches its rule off; then the abstention is there. */
bool rule_is_off(struct ruling *ruling, const struct setting *setting);
/* "condagpu.yml:7 says so" */
const char *rule_setting_text(struct ruling *ruling, const struct setting *setting);

/* `path` with "$CONDA_PREFIX" in place of the prefix, where it lies below it as given or resolved. */
const char *rule_below_prefix(struct ruling *ruling, const char *path);
bool rule_is_below_prefix(const struct ruling *ruling, const char *path);
/* "cuda-nvcc 12.4.131 (conda)" */
const char *rule_record_text(struct ruling *ruling, const struct record *record);
/* The record of the first of these names (NULL-terminated) that is installed. */
const struct record *rule_find_record(struct ruling *ruling, enum record_kind kind, const char *const *names);
/* Major and minor of a version text ("12.4.131", "2.4.0+cu124", "6.1.0-13-amd64"); RELEASE_NONE when there are none. */
struct release rule_version(const char *version);
/* Whether major and minor are known and equal on both sides. */
bool rule_same_minor(struct release left, struct release right);
/* Fills torch_* and release_* of the ruling from records and pins. */
void rule_read_versions(struct ruling *ruling);

bool rule_cuda_home(struct ruling *ruling);
bool rule_path(struct ruling *ruling);
bool rule_library_path(struct ruling *ruling);
bool rule_threads(struct ruling *ruling);
bool rule_allocator(struct ruling *ruling);
bool rule_frameworks(struct ruling *ruling);
bool rule_arch(struct ruling *ruling);
bool rule_devices(struct ruling *ruling);
bool rule_nccl(struct ruling *ruling);
bool rule_xla(struct ruling *ruling);
bool rule_malloc(struct ruling *ruling);
bool rule_variables(struct ruling *ruling);

#endif
