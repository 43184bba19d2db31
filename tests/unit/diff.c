/* Unified diffs: by example, and by applying thousands of them, here and with patch(1). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "util/diff.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"

static struct arena *arena;

static const char *diff(const char *old, const char *new)
{
    struct text out = {.arena = arena};
    diff_unified(arena, "old", str_of(old), "new", str_of(new), &out);
    return text_str(&out).s;
}

START_TEST(equal_contents_have_no_diff)
{
    ck_assert_str_eq(diff("", ""), "");
    ck_assert_str_eq(diff("a\nb", "a\nb"), "");
}
END_TEST

START_TEST(a_change_has_three_lines_of_context)
{
    ck_assert_str_eq(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
                     "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}
END_TEST

START_TEST(a_range_of_one_line_has_no_count)
{
    ck_assert_str_eq(diff("a\n", "b\n"), "--- old\n+++ new\n@@ -1 +1 @@\n-a\n+b\n");
}
END_TEST

START_TEST(a_missing_last_newline_is_said)
{
    ck_assert_str_eq(diff("a\n", "a"), "--- old\n+++ new\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
    ck_assert_str_eq(diff("a", "a\nb"), "--- old\n+++ new\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n"
                                        "\\ No newline at end of file\n");
}
END_TEST

START_TEST(a_file_comes_from_and_goes_to_dev_null)
{
    struct text out = {.arena = arena};
    diff_unified(arena, NULL, STR(""), "new", STR("a\nb\n"), &out);
    ck_assert_str_eq(out.s, "--- /dev/null\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    out.n = 0;
    diff_unified(arena, "old", STR("a\n"), NULL, STR(""), &out);
    ck_assert_str_eq(out.s, "--- old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}
END_TEST

START_TEST(odd_names_are_quoted)
{
    struct text out = {.arena = arena};
    diff_unified(arena, "my env/a", STR("a\n"), "b\n\"\033[m", STR("b\n"), &out);
    ck_assert(str_starts(text_str(&out), "--- my env/a\t\n+++ \"b\\012\\042\\033[m\"\n@@"));
}
END_TEST

/* Near changes share a hunk when at most six equal lines lie between them. */
START_TEST(far_changes_have_hunks_of_their_own)
{
    const char *near = diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n");
    const char *far = diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n");
    ck_assert_ptr_nonnull(strstr(near, "@@ -1,8 +1,8 @@"));
    ck_assert_ptr_nonnull(strstr(far, "@@ -1,4 +1,4 @@"));
    ck_assert_ptr_nonnull(strstr(far, "@@ -6,4 +6,4 @@"));
}
END_TEST

/* A small generator with a fixed seed, so that a failure comes again. */
static unsigned random_below(unsigned *state, unsigned limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % limit;
}

static const char *random_file(unsigned *state)
{
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    for (unsigned n = random_below(state, 40); n; n--)
        text_add(&text, "%c\n", "abcde"[random_below(state, 1 + random_below(state, 5))]);
    if (text.n && random_below(state, 4) == 0)
        text.s[--text.n] = '\0';
    return text.s;
}

/* A few lines changed, so that hunks have context between them. */
static const char *random_edit(unsigned *state, const char *old)
{
    struct text text = {.arena = arena};
    struct str rest = str_of(old), line;
    text_bytes(&text, "", 0);
    while (str_cut(&rest, '\n', &line) && (line.n || rest.s)) {
        unsigned dice = random_below(state, 12);
        if (dice == 1)
            text_add(&text, "new\n");
        if (dice != 0)
            text_add(&text, "%.*s\n", (int)line.n, line.s);
    }
    return text.s;
}

/* The numbers of "@@ -a,b +c,d @@". */
static void read_header(struct str line, unsigned long at[2], unsigned long count[2])
{
    const char *s = str_dup(arena, line);
    char *end;
    for (int side = 0; side < 2; side++) {
        s = strchr(s, "-+"[side]) + 1;
        at[side] = strtoul(s, &end, 10);
        count[side] = *end == ',' ? strtoul(end + 1, &end, 10) : 1;
        s = end;
    }
    ck_assert_str_eq(s, " @@");
}

/* Applies a diff strictly: every number and every line of context must be right. */
struct apply {
    struct str old; /* what is not consumed yet */
    unsigned long old_line, new_line;
    struct text result;
};

static struct str take_line(struct str *rest)
{
    size_t end = str_find(*rest, '\n');
    struct str line = str_slice(*rest, 0, end + 1);
    *rest = str_slice(*rest, end + 1, rest->n);
    return line;
}

static void copy_until(struct apply *apply, unsigned long line)
{
    while (apply->old_line < line) {
        struct str copied = take_line(&apply->old);
        ck_assert_uint_gt(copied.n, 0);
        text_bytes(&apply->result, copied.s, copied.n);
        apply->old_line++;
        apply->new_line++;
    }
}

static void apply_hunk(struct apply *apply, struct str *patch)
{
    unsigned long at[2], count[2];
    struct str header = take_line(patch);
    ck_assert(str_starts(header, "@@ -"));
    read_header(str_trim(header), at, count);
    copy_until(apply, count[0] ? at[0] : at[0] + 1);
    ck_assert_uint_eq(apply->new_line, count[1] ? at[1] : at[1] + 1);
    while (count[0] || count[1]) {
        struct str line = take_line(patch), body = str_slice(line, 1, line.n);
        if (str_starts(*patch, "\\ No newline at end of file\n")) {
            take_line(patch);
            body.n--;
        }
        if (line.s[0] != '+') {
            ck_assert_uint_gt(count[0]--, 0);
            ck_assert(str_eq(take_line(&apply->old), body));
            apply->old_line++;
        }
        if (line.s[0] != '-') {
            ck_assert_uint_gt(count[1]--, 0);
            text_bytes(&apply->result, body.s, body.n);
            apply->new_line++;
        }
    }
}

static const char *applied(const char *old, const char *patch)
{
    struct apply apply = {.old = str_of(old), .old_line = 1, .new_line = 1, .result = {.arena = arena}};
    struct str rest = str_of(patch);
    if (!rest.n)
        return old;
    ck_assert(str_eq_c(take_line(&rest), "--- old\n"));
    ck_assert(str_eq_c(take_line(&rest), "+++ new\n"));
    while (rest.n)
        apply_hunk(&apply, &rest);
    text_bytes(&apply.result, apply.old.s, apply.old.n);
    return apply.result.s;
}

START_TEST(every_diff_leads_from_old_to_new)
{
    unsigned state = 1;
    for (int i = 0; i < 5000; i++) {
        const char *old = random_file(&state), *new = i % 2 ? random_file(&state) : random_edit(&state, old);
        ck_assert_str_eq(applied(old, diff(old, new)), new);
    }
}
END_TEST

/* The length of the longest common subsequence of lines, by the plain table. */
static size_t common_lines(const char *left, const char *right)
{
    size_t row[64] = {0};
    struct str old = str_of(left);
    while (old.n) {
        struct str line = take_line(&old), new = str_of(right);
        size_t diagonal = 0;
        for (size_t j = 1; new.n; j++) {
            size_t above = row[j];
            bool equal = str_eq(take_line(&new), line);
            row[j] = equal ? diagonal + 1 : above > row[j - 1] ? above : row[j - 1];
            diagonal = above;
        }
    }
    size_t longest = 0;
    for (size_t j = 0; j < 64; j++)
        longest = row[j] > longest ? row[j] : longest;
    return longest;
}

static size_t lines_in(const char *content)
{
    struct str rest = str_of(content);
    size_t n = 0;
    for (; rest.n; n++)
        take_line(&rest);
    return n;
}

static size_t edits_in(const char *patch)
{
    struct str rest = str_of(patch);
    size_t n = 0;
    for (size_t i = 0; rest.n; i++) {
        struct str line = take_line(&rest);
        n += i >= 2 && (line.s[0] == '+' || line.s[0] == '-');
    }
    return n;
}

START_TEST(no_diff_changes_more_lines_than_needed)
{
    unsigned state = 2;
    for (int i = 0; i < 2000; i++) {
        const char *old = random_file(&state), *new = random_file(&state);
        size_t least = lines_in(old) + lines_in(new) - 2 * common_lines(old, new);
        ck_assert_uint_eq(edits_in(diff(old, new)), least);
    }
}
END_TEST

START_TEST(large_differences_are_one_block_and_still_right)
{
    struct text old = {.arena = arena}, new = {.arena = arena};
    for (int i = 0; i < 3000; i++) {
        text_add(&old, "old %d\n", i);
        text_add(&new, "new %d\n%s", i, i % 3 ? "" : "more\n");
    }
    ck_assert_str_eq(applied(old.s, diff(old.s, new.s)), new.s);
}
END_TEST

static void write_file(const char *dir, const char *name, const char *content)
{
    struct err err;
    ck_assert(file_write_atomic(path_join(arena, dir, name), str_of(content), 0600, &err));
}

/* GNU patch, whose fuzz factor can be set; NULL without. */
static const char *gnu_patch(void)
{
    const char *program = proc_find(arena, "patch", NULL);
    struct proc proc = {0};
    if (program)
        proc_run(arena, (const char *[]){program, "--version", NULL}, NULL, NULL, 20000, 4096, &proc);
    return proc.started && str_starts(proc.out, "GNU patch") ? program : NULL;
}

/* patch must apply the diff where it stands: neither an offset nor a fuzz factor. */
static void assert_patch_applies(const char *program, const char *dir, const char *old, const char *new)
{
    const char *argv[] = {program, "-p0", "--fuzz=0", "-i", "diff", "file name", NULL};
    struct text text = {.arena = arena};
    struct proc proc;
    struct err err;
    struct str result;
    diff_unified(arena, "file name", str_of(old), "file name", str_of(new), &text);
    if (!text.n)
        return;
    write_file(dir, "file name", old);
    write_file(dir, "diff", text.s);
    proc_run(arena, argv, NULL, dir, 20000, 4096, &proc);
    ck_assert_int_eq(proc.status, 0);
    ck_assert_ptr_null(strstr(proc.out.s, "offset"));
    const char *patched = path_join(arena, dir, "file name");
    if (!*new && !file_exists(patched))
        return; /* patch removes a file that became empty */
    ck_assert(file_read(arena, patched, 100000, "patched file", &result, &err));
    ck_assert_str_eq(result.s, new);
}

START_TEST(patch_applies_every_diff)
{
    const char *program = gnu_patch();
    char *dir = arena_strdup(arena, "/tmp/condagpu-unit-XXXXXX");
    unsigned state = 3;
    if (!program)
        return; /* the strict reader above has done the same */
    ck_assert_ptr_nonnull(mkdtemp(dir));
    for (int i = 0; i < 100; i++) {
        const char *old = random_file(&state), *new = i % 2 ? random_file(&state) : random_edit(&state, old);
        assert_patch_applies(program, dir, old, new);
    }
    unlink(path_join(arena, dir, "file name"));
    unlink(path_join(arena, dir, "diff"));
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        equal_contents_have_no_diff,
        a_change_has_three_lines_of_context,
        a_range_of_one_line_has_no_count,
        a_missing_last_newline_is_said,
        a_file_comes_from_and_goes_to_dev_null,
        odd_names_are_quoted,
        far_changes_have_hunks_of_their_own,
        every_diff_leads_from_old_to_new,
        no_diff_changes_more_lines_than_needed,
        large_differences_are_one_block_and_still_right,
        patch_applies_every_diff,
        NULL,
    };
    arena = arena_new();
    int status = unit_run(unit_suite("diff", tests));
    arena_free(arena);
    return status;
}
