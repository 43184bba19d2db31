/* How the driver speaks to each shell. Values never stand in a script: they come in the environment as T_0, T_1, … */
#ifndef CONDAGPU_TESTS_SHELLS_DIALECT_H
#define CONDAGPU_TESTS_SHELLS_DIALECT_H

#include <stddef.h>

/* printf formats; the arguments are (variable) or (variable, number of the T_), paths are single. */
struct dialect {
    const char *suffix;
    const char *prologue;
    const char *set;   /* the variable becomes T_n, exported */
    const char *front; /* T_n and a colon go in front of its value */
    const char *back;  /* a colon and T_n go behind */
    const char *unset;
    const char *source; /* a hook, as conda does it: inside a function or eval */
    const char *dump;   /* the environment, by env -0, into a file */
};

struct subject {
    const char *name;
    const char *const argv[14]; /* the script's path follows */
    const struct dialect *dialect;
    const char *listing; /* functions, aliases, options, variables into a file; NULL: not compared */
    size_t chunk;        /* so many cells in a script; 0: all */
};
extern const struct subject subjects[]; /* name NULL behind the last */

#endif
