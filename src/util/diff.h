/* Unified diffs, as diff -u writes and patch reads them. */
#ifndef CONDAGPU_UTIL_DIFF_H
#define CONDAGPU_UTIL_DIFF_H

#include "util/arena.h"
#include "util/str.h"
#include "util/text.h"

/* Appends the changes that lead from `old` to `new`, with three lines of context; nothing where both are equal. A name
 * of NULL is /dev/null: the file is new, or goes away. A name with control bytes, quotes, backslashes or bytes that a
 * terminal should not see is quoted as in C, which patch understands. The lines themselves are given as they are.
 * The difference is the smallest one up to a thousand changed lines, and beyond that one block. */
void diff_unified(struct arena *arena, const char *old_name, struct str old, const char *new_name, struct str new,
                  struct text *out);

#endif
