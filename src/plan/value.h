/* What no value in a hook may hold: characters that some shell would expand, and credentials. */
#ifndef CONDAGPU_PLAN_VALUE_H
#define CONDAGPU_PLAN_VALUE_H

#include "util/arena.h"

/* Why no hook may hold `value` (DESIGN.md section 4, rule 9); NULL when it may. The word $CONDA_PREFIX is allowed. */
const char *value_problem(struct arena *arena, const char *value);

/* Why NAME=value looks like a credential; NULL when it does not: hooks and environment files are readable by
 * others. */
const char *secret_reason(struct arena *arena, const char *name, const char *value);

#endif
