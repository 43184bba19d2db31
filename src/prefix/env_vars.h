/* One file of variables that conda sets before activate.d. */
#ifndef CONDAGPU_PREFIX_ENV_VARS_H
#define CONDAGPU_PREFIX_ENV_VARS_H

#include <stdbool.h>

#include "prefix/inventory.h"

/* Adds the members of a JSON object whose values are strings: of the document (`member` NULL: a file of env_vars.d), or
 * of one of its members ("env_vars" of conda-meta/state; one that is missing adds nothing). The names of other values
 * go to `not_strings` (may be NULL). ERR_INPUT with line and column. */
bool env_vars_file(struct arena *arena, const char *path, const char *member, struct env_vars *vars,
                   struct strv *not_strings, struct err *err);

#endif
