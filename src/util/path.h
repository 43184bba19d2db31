/* Path names as text; nothing here touches the file system but path_real(). */
#ifndef CONDAGPU_UTIL_PATH_H
#define CONDAGPU_UTIL_PATH_H

#include <stdbool.h>

#include "util/arena.h"

/* "left/right" with exactly one slash between; an absolute `right` is still put below `left` (for root directories). */
char *path_join(struct arena *arena, const char *left, const char *right);
char *path_dirname(struct arena *arena, const char *path);
/* What stands behind the last slash: a pointer into `path`. */
const char *path_basename(const char *path);
/* Absolute (against the working directory), without "//", "." and trailing slashes; ".." is kept. */
char *path_absolute(struct arena *arena, const char *path);
/* realpath(3), or NULL with errno. */
char *path_real(struct arena *arena, const char *path);
/* Whether `path` is `dir` or lies below it, as text. */
bool path_below(const char *dir, const char *path);
/* What follows `dir` and its slash in `path`; "" for `dir` itself, NULL when it does not lie below. */
const char *path_relative(const char *dir, const char *path);

#endif
