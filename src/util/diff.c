#include "util/diff.h"

#include <stdbool.h>

#include "util/vec.h"

enum { CONTEXT = 3, MOST_EDITS = 1000 };

/* Lines with their newline; only the last can lack it. */
struct lines {
    VEC(struct str);
};

/* Lines [left, left + removed) of the old file become [right, right + added) of the new one. */
struct change {
    size_t left, removed, right, added;
};

struct changes {
    VEC(struct change);
};

struct diff {
    struct arena *arena;
    struct lines left, right;
    struct changes changes; /* ascending, with at least one equal line between two */
};

static void split(struct arena *arena, struct str content, struct lines *lines)
{
    while (content.n) {
        size_t end = str_find(content, '\n');
        *vec_add(arena, lines) = str_slice(content, 0, end + 1);
        content = str_slice(content, end + 1, content.n);
    }
}

/* Adds to the changes, from the last one to the first. */
static void add_edit(struct diff *diff, size_t left, size_t removed, size_t right, size_t added)
{
    struct changes *changes = &diff->changes;
    struct change *last = changes->n ? &changes->v[changes->n - 1] : NULL;
    if (last && last->left == left + removed && last->right == right + added) {
        *last = (struct change){left, last->removed + removed, right, last->added + added};
        return;
    }
    *vec_add(diff->arena, changes) = (struct change){left, removed, right, added};
}

/* The part between the common head and the common tail. */
struct middle {
    size_t left, left_end, right, right_end;
};

static bool same(const struct diff *diff, size_t left, size_t right)
{
    return str_eq(diff->left.v[left], diff->right.v[right]);
}

static struct middle find_middle(const struct diff *diff)
{
    struct middle m = {0, diff->left.n, 0, diff->right.n};
    while (m.left < m.left_end && m.right < m.right_end && same(diff, m.left, m.right)) {
        m.left++;
        m.right++;
    }
    while (m.left_end > m.left && m.right_end > m.right && same(diff, m.left_end - 1, m.right_end - 1)) {
        m.left_end--;
        m.right_end--;
    }
    return m;
}

/* E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986: furthest[d][k] is how many old lines a path of d
 * edits can have behind it on diagonal k = left - right, for -d <= k <= d. */
struct search {
    const struct diff *diff;
    struct middle m;
    long *furthest[MOST_EDITS + 1]; /* each points at its diagonal 0 */
};

/* Whether the best path of d edits to diagonal k ends in a line added, from k + 1, or in one removed, from k - 1. */
static bool comes_by_adding(const struct search *search, long d, long k)
{
    const long *before = search->furthest[d - 1];
    return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

/* Where that path stands before it follows equal lines. */
static long step(const struct search *search, long d, long k)
{
    if (d == 0)
        return 0;
    const long *before = search->furthest[d - 1];
    return comes_by_adding(search, d, k) ? before[k + 1] : before[k - 1] + 1;
}

static bool extend(struct search *search, long d)
{
    const struct middle *m = &search->m;
    const long width = (long)(m->left_end - m->left), height = (long)(m->right_end - m->right);
    for (long k = -d; k <= d; k += 2) {
        long x = step(search, d, k);
        while (x < width && x - k < height && same(search->diff, m->left + (size_t)x, m->right + (size_t)(x - k)))
            x++;
        search->furthest[d][k] = x;
        if (x == width && x - k == height)
            return true;
    }
    return false;
}

/* The number of edits, or -1 beyond MOST_EDITS. A path may leave the grid, but never comes back into it. */
static long find_path(struct search *search)
{
    for (long d = 0; d <= MOST_EDITS; d++) {
        long *row = arena_alloc(search->diff->arena, (size_t)(2 * d + 1) * sizeof *row);
        search->furthest[d] = row + d;
        if (extend(search, d))
            return d;
    }
    return -1;
}

static void trace_back(struct diff *diff, const struct search *search, long d)
{
    const struct middle *m = &search->m;
    long k = (long)(m->left_end - m->left) - (long)(m->right_end - m->right);
    for (; d > 0; d--) {
        bool adds = comes_by_adding(search, d, k);
        k = adds ? k + 1 : k - 1;
        long x = search->furthest[d - 1][k];
        add_edit(diff, m->left + (size_t)x, !adds, m->right + (size_t)(x - k), adds);
    }
}

static void reverse(struct changes *changes)
{
    for (size_t i = 0; i < changes->n / 2; i++) {
        struct change *mirror = &changes->v[changes->n - 1 - i], first = changes->v[i];
        changes->v[i] = *mirror;
        *mirror = first;
    }
}

static void compare(struct diff *diff)
{
    struct search *search = arena_alloc(diff->arena, sizeof *search);
    const struct middle m = find_middle(diff);
    *search = (struct search){.diff = diff, .m = m};
    if (m.left == m.left_end && m.right == m.right_end)
        return;
    long d = find_path(search);
    if (d < 0)
        add_edit(diff, m.left, m.left_end - m.left, m.right, m.right_end - m.right);
    else
        trace_back(diff, search, d);
    reverse(&diff->changes);
}

static bool needs_quotes(const char *name)
{
    struct str rest = str_of(name);
    while (rest.n) {
        uint32_t point = 0;
        size_t length = text_utf8(rest.s, rest.n, &point);
        if (!length || text_hidden(point) || point == '"' || point == '\\')
            return true;
        rest = str_slice(rest, length, rest.n);
    }
    return false;
}

/* A name with a blank ends in a tab, so that patch does not take what follows the blank for a date. */
static void write_name(const char *mark, const char *name, struct text *out)
{
    if (!name)
        name = "/dev/null";
    text_add(out, "%s ", mark);
    if (!needs_quotes(name)) {
        text_add(out, "%s%s\n", name, str_find(str_of(name), ' ') < str_of(name).n ? "\t" : "");
        return;
    }
    text_add(out, "\"");
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
            text_add(out, "\\%03o", c);
        else
            text_bytes(out, name, 1);
    }
    text_add(out, "\"\n");
}

static void write_lines(char mark, const struct lines *lines, size_t from, size_t to, struct text *out)
{
    for (; from < to; from++) {
        struct str line = lines->v[from];
        text_bytes(out, &mark, 1);
        text_bytes(out, line.s, line.n);
        if (line.s[line.n - 1] != '\n')
            text_add(out, "\n\\ No newline at end of file\n");
    }
}

/* "start,count": a count of 1 is left out, and an empty range names the line before it. */
static void write_range(char mark, size_t start, size_t count, struct text *out)
{
    text_add(out, "%c%zu", mark, count ? start + 1 : start);
    if (count != 1)
        text_add(out, ",%zu", count);
}

/* The changes [first, end) with the context around and between them. */
static void write_hunk(const struct diff *diff, size_t first, size_t end, struct text *out)
{
    const struct change *head = &diff->changes.v[first], *tail = &diff->changes.v[end - 1];
    size_t before = head->left < CONTEXT ? head->left : CONTEXT;
    size_t left_done = tail->left + tail->removed, right_done = tail->right + tail->added;
    size_t after = diff->left.n - left_done < CONTEXT ? diff->left.n - left_done : CONTEXT;
    size_t at = head->left - before;
    text_add(out, "@@ ");
    write_range('-', at, left_done + after - at, out);
    text_add(out, " ");
    write_range('+', head->right - before, right_done + after - (head->right - before), out);
    text_add(out, " @@\n");
    for (size_t i = first; i < end; i++) {
        const struct change *change = &diff->changes.v[i];
        write_lines(' ', &diff->left, at, change->left, out);
        write_lines('-', &diff->left, change->left, change->left + change->removed, out);
        write_lines('+', &diff->right, change->right, change->right + change->added, out);
        at = change->left + change->removed;
    }
    write_lines(' ', &diff->left, at, at + after, out);
}

/* Changes whose contexts touch share a hunk. */
static size_t hunk_end(const struct changes *changes, size_t first)
{
    size_t end = first + 1;
    while (end < changes->n
           && changes->v[end].left - (changes->v[end - 1].left + changes->v[end - 1].removed) <= 2 * CONTEXT)
        end++;
    return end;
}

void diff_unified(struct arena *arena, const char *old_name, struct str old, const char *new_name, struct str new,
                  struct text *out)
{
    struct diff diff = {.arena = arena};
    split(arena, old, &diff.left);
    split(arena, new, &diff.right);
    compare(&diff);
    if (diff.changes.n == 0)
        return;
    write_name("---", old_name, out);
    write_name("+++", new_name, out);
    for (size_t first = 0, end; first < diff.changes.n; first = end) {
        end = hunk_end(&diff.changes, first);
        write_hunk(&diff, first, end, out);
    }
}
