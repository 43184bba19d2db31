/* What was found in the hooks of a prefix, before it becomes the evidence of a check. */
#ifndef CONDAGPU_CHECK_HOOKS_FINDING_H
#define CONDAGPU_CHECK_HOOKS_FINDING_H

#include <stdbool.h>

#include "check/check.h"
#include "prefix/inventory.h"
#include "util/arena.h"
#include "util/vec.h"

struct hook_finding {
    const char *file;
    unsigned line; /* 0: of the whole file */
    bool ours;
    const char *text;
    struct strv shells; /* where it was seen; empty for what was read */
};
struct hook_findings {
    struct arena *arena;
    VEC(struct hook_finding);
};

/* Adds a finding, or a shell to one that says the same of the same line. `shell` may be NULL. */
void hooks_found(struct hook_findings *findings, const char *file, unsigned line, bool ours, const char *shell,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* What the names of a hook and of its partner in the other directory have in common: "x.sh" for "activate-x.sh". */
char *hooks_stem(struct arena *arena, const char *name);

/* Names, kinds and pairs of the files; env_vars.d and conda-meta/state; directories that conda does not read. */
void hooks_check_files(struct hook_findings *findings, const struct inventory *inventory);

/* Reads other packages' .sh and .fish hooks. */
void hooks_scan(struct hook_findings *findings, const struct inventory *inventory);
/* The line of the last assignment to (or unset of) a variable in a hook; 0 when there is none in plain sight. */
unsigned hooks_assignment_line(struct arena *arena, const struct hook *hook, const char *name);

#endif
