/* Views of strings: not owned, not necessarily NUL-terminated. */
#ifndef CONDAGPU_UTIL_STR_H
#define CONDAGPU_UTIL_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

struct str {
    const char *s;
    size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

/* The view of a C string; NULL gives an empty view. */
struct str str_of(const char *string);
/* The bytes [from, to), clamped to the view. */
struct str str_slice(struct str view, size_t from, size_t to);

bool str_eq(struct str left, struct str right);
bool str_eq_c(struct str view, const char *string);
bool str_starts(struct str view, const char *prefix);
bool str_ends(struct str view, const char *suffix);

/* Without blanks (space, tab, CR, LF, FF, VT) at either end. */
struct str str_trim(struct str view);

/* Cuts the part before the first `separator` off `*rest` into `*part`. The last part is what is left;
 * false once nothing is left. "a:" gives "a" and "". */
bool str_cut(struct str *rest, char separator, struct str *part);

/* Offset of the first `c`, or view.n. */
size_t str_find(struct str view, char c);

char *str_dup(struct arena *arena, struct str view);
/* A copy in which ASCII letters are lower case. */
char *str_lower(struct arena *arena, struct str view);

/* C strings that may be NULL: equal when both are NULL or both hold the same bytes. */
bool cstr_eq(const char *left, const char *right);

#endif
