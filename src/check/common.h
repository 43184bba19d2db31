/* What several checks ask. */
#ifndef CONDAGPU_CHECK_COMMON_H
#define CONDAGPU_CHECK_COMMON_H

#include "check/check.h"

/* A variable of the activated shell (of this process where no shell could be activated); NULL when unset or empty. */
const char *check_activated_value(const struct check_input *input, const char *name);
/* The first file in `dir` whose name starts with one of `starts` (NULL-terminated, in that order); NULL for none. */
const char *check_library_in(const struct check_input *input, const char *dir, const char *const *starts);

#endif
