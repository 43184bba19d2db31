#include "util/str.h"

#include <string.h>
#include <strings.h>

struct str str_of(const char *string)
{
    return (struct str){string ? string : "", string ? strlen(string) : 0};
}

struct str str_slice(struct str view, size_t from, size_t to)
{
    if (to > view.n)
        to = view.n;
    if (from > to)
        from = to;
    return (struct str){view.s + from, to - from};
}

bool str_eq(struct str left, struct str right)
{
    return left.n == right.n && (left.n == 0 || memcmp(left.s, right.s, left.n) == 0);
}

bool str_eq_c(struct str view, const char *string)
{
    return str_eq(view, str_of(string));
}

bool str_starts(struct str view, const char *prefix)
{
    struct str head = str_of(prefix);
    return view.n >= head.n && str_eq(str_slice(view, 0, head.n), head);
}

bool str_ends(struct str view, const char *suffix)
{
    struct str tail = str_of(suffix);
    return view.n >= tail.n && str_eq(str_slice(view, view.n - tail.n, view.n), tail);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str view)
{
    while (view.n && is_blank(view.s[0])) {
        view.s++;
        view.n--;
    }
    while (view.n && is_blank(view.s[view.n - 1]))
        view.n--;
    return view;
}

size_t str_find(struct str view, char c)
{
    const char *found = view.n ? memchr(view.s, c, view.n) : NULL;
    return found ? (size_t)(found - view.s) : view.n;
}

bool str_cut(struct str *rest, char separator, struct str *part)
{
    if (!rest->s)
        return false;
    size_t end = str_find(*rest, separator);
    *part = str_slice(*rest, 0, end);
    *rest = end < rest->n ? str_slice(*rest, end + 1, rest->n) : (struct str){NULL, 0};
    return true;
}

char *str_dup(struct arena *arena, struct str view)
{
    return arena_memdup(arena, view.s, view.n);
}

char *str_lower(struct arena *arena, struct str view)
{
    char *copy = str_dup(arena, view);
    for (size_t i = 0; i < view.n; i++)
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    return copy;
}

bool cstr_eq(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}
