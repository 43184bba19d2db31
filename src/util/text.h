/* Text for people: printable bytes, near misses, growing buffers. */
#ifndef CONDAGPU_UTIL_TEXT_H
#define CONDAGPU_UTIL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/str.h"

/* A growing text. */
struct text {
    struct arena *arena;
    char *s; /* NUL-terminated, never NULL after the first text_add */
    size_t n, cap;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *text, const void *bytes, size_t size);
struct str text_str(const struct text *text);

/* A copy that is safe on a terminal and in one line: control bytes, DEL and bytes that are not valid UTF-8 as \xNN,
 * newline and tab as \n and \t. C1 controls and bidirectional overrides are escaped as well. */
char *text_printable(struct arena *arena, struct str bytes);

/* The length of the UTF-8 sequence at `s` (n > 0 bytes) and its code point; 0 when it is not valid (RFC 3629). */
size_t text_utf8(const char *s, size_t n, uint32_t *point);
/* C0, DEL, C1, line and paragraph separators, bidirectional marks and overrides, byte order mark. */
bool text_hidden(uint32_t point);

/* The entry of `names` (NULL-terminated) nearest to `word` by Damerau-Levenshtein distance, ignoring case, if it is
 * near enough to be what was meant (at most a third of the word, at least 1); NULL otherwise. */
const char *text_nearest(const char *word, const char *const *names);

#endif
