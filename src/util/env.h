/* Environments as NULL-terminated arrays of "NAME=value". */
#ifndef CONDAGPU_UTIL_ENV_H
#define CONDAGPU_UTIL_ENV_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/str.h"

/* The value, or NULL when the variable is not set. */
const char *env_get(const char *const *env, const char *name);
/* Set and not empty: conda "unsets" by assigning the empty string. */
bool env_has(const char *const *env, const char *name);
/* A copy with `name` set to `value`, or without it when `value` is NULL. */
const char *const *env_with(struct arena *arena, const char *const *env, const char *name, const char *value);
/* From the output of `env -0`. */
const char *const *env_from_block(struct arena *arena, struct str block);

#endif
