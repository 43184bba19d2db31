/* Checks of every hook in the prefix, ours and other packages': how they read, and what they do in real shells. */
#ifndef CONDAGPU_CHECK_HOOKS_H
#define CONDAGPU_CHECK_HOOKS_H

#include "check/check.h"

/* Files, text, and a run in each shell of this machine: silent, status 0, right under `-euf -o pipefail`. What is found
 * in a foreign hook is a warning; in one of ours, a failure. */
void check_hooks_run(const struct check_input *input, struct result *result);
/* Round trips in each shell leave the exported environment byte for byte as it was. */
void check_hooks_restore(const struct check_input *input, struct result *result);

extern const char hooks_run_explain[], hooks_restore_explain[];

/* The environment that a shell (bash, else sh) has after conda's activation of the prefix: `env` with the prefix's bin
 * in front of PATH, CONDA_PREFIX set, and all .sh files of activate.d sourced in conda's order. If `env` is already
 * activated for this prefix, deactivate.d runs first, as conda's reactivation does. NULL with *problem when no shell
 * could do it. */
const char *const *hooks_activated_env(struct arena *arena, const struct inventory *inventory, const char *const *env,
                                       unsigned deadline_ms, const char **problem);

#endif
