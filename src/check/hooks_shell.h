/* Hooks run in real shells, in the order and with the variables of conda's activation. */
#ifndef CONDAGPU_CHECK_HOOKS_SHELL_H
#define CONDAGPU_CHECK_HOOKS_SHELL_H

#include <stdbool.h>

#include "prefix/inventory.h"
#include "util/arena.h"
#include "util/proc.h"
#include "util/vec.h"

/* What is done between the first and the last look at the environment. */
enum trip {
    TRIP_PLAIN,            /* activate, deactivate */
    TRIP_TWICE,            /* activate, activate.d once more (a stacked environment was left), deactivate */
    TRIP_REACTIVATED,      /* activate, three times deactivate.d and activate.d (after conda install), deactivate */
    TRIP_DEACTIVATE_FIRST, /* the package was installed while the environment was active: deactivate only */
    TRIP_COUNT,
};
extern const char *const trip_names[TRIP_COUNT]; /* "activated and deactivated", … */

struct shell_syntax;
struct hook_shell {
    const char *name;    /* "bash -euf -o pipefail" */
    const char *argv[8]; /* up to the script's own argument */
    const char *suffix;  /* of the hooks that conda gives it */
    const struct shell_syntax *syntax;
};
extern const struct hook_shell hook_shells[]; /* name NULL behind the last */

/* One look at the environment, and what was printed since the look before. */
struct shot {
    const struct hook *hook; /* the only one that ran since; NULL when none did, or many */
    struct str out, err;
    const char *const *env;
};
struct trip_run {
    struct proc proc;
    struct {
        VEC(struct shot);
    } shots;                    /* the first before anything */
    struct str rest_out, rest_err; /* what came after the last look */
    bool complete;              /* the last look was reached: no hook ended the shell */
    const struct hook *stopped; /* when traced and not complete: the hook that ran at the end */
};

struct hook_list {
    VEC(const struct hook *);
};
/* The hooks of one suffix that can be sourced: regular files that can be read. `activate` picks the directory; in
 * conda's order, which is descending for deactivate.d. */
void hooks_for(struct arena *arena, const struct inventory *inventory, const char *suffix, bool activate,
               struct hook_list *hooks);

/* Runs one trip. `traced` looks at the environment after each hook, not only at the end. `env` is that of the shell's
 * process. */
void hooks_trip(struct arena *arena, const struct inventory *inventory, const struct hook_shell *shell, enum trip trip,
                const char *const *env, bool traced, unsigned deadline_ms, struct trip_run *run);

#endif
