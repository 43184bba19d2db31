#include "util/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void text_bytes(struct text *text, const void *bytes, size_t size)
{
    if (text->n + size + 1 > text->cap) {
        size_t larger = (text->n + size + 1) * 2;
        char *copy = arena_alloc(text->arena, larger);
        if (text->n)
            memcpy(copy, text->s, text->n);
        text->s = copy;
        text->cap = larger;
    }
    if (size)
        memcpy(text->s + text->n, bytes, size);
    text->n += size;
    text->s[text->n] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof small) {
        text_bytes(text, small, (size_t)length);
        return;
    }
    va_start(args, format);
    const char *large = arena_vprintf(text->arena, format, args);
    va_end(args);
    text_bytes(text, large, strlen(large));
}

struct str text_str(const struct text *text)
{
    return (struct str){text->n ? text->s : "", text->n};
}

size_t text_utf8(const char *s, size_t n, uint32_t *point)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t length = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    if (length == 0 || length > n)
        return 0;
    *point = length == 1 ? u[0] : u[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (u[i] & 0x3f);
    }
    bool overlong = (length == 3 && *point < 0x800) || (length == 4 && *point < 0x10000);
    bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
    return overlong || surrogate || *point > 0x10ffff ? 0 : length;
}

bool text_hidden(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x200e || point == 0x200f
        || (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

char *text_printable(struct arena *arena, struct str bytes)
{
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    for (size_t i = 0; i < bytes.n;) {
        uint32_t point;
        size_t length = text_utf8(bytes.s + i, bytes.n - i, &point);
        if (length && !text_hidden(point))
            text_bytes(&text, bytes.s + i, length);
        else if (bytes.s[i] == '\n' || bytes.s[i] == '\t')
            text_add(&text, "\\%c", bytes.s[i] == '\n' ? 'n' : 't');
        else
            for (size_t j = 0; j < (length ? length : 1); j++)
                text_add(&text, "\\x%02x", (unsigned char)bytes.s[i + j]);
        i += length ? length : 1;
    }
    return text.s;
}

enum { LONGEST_WORD = 63 };

/* Optimal string alignment distance, ignoring case. */
static size_t distance(const char *left, const char *right)
{
    size_t m = strlen(left), n = strlen(right);
    size_t rows[3][LONGEST_WORD + 1];
    if (m > LONGEST_WORD || n > LONGEST_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *before = rows[(i + 1) % 3], *last = rows[(i - 1) % 3], *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            int a = tolower((unsigned char)left[i - 1]), b = tolower((unsigned char)right[j - 1]);
            size_t best = last[j - 1] + (a != b);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a == tolower((unsigned char)right[j - 2])
                && tolower((unsigned char)left[i - 2]) == b && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

const char *text_nearest(const char *word, const char *const *names)
{
    size_t third = strlen(word) / 3, limit = third > 1 ? third : 1, best = limit + 1;
    const char *nearest = NULL;
    for (; *names; names++) {
        size_t d = distance(word, *names);
        if (d < best) {
            best = d;
            nearest = *names;
        }
    }
    return nearest;
}
