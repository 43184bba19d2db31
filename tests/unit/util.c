#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/table.h"
#include "unit.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/release.h"
#include "util/text.h"

static struct arena *arena;

START_TEST(release_parses_one_to_three_numbers)
{
    struct release release;
    ck_assert(release_parse(STR("12.4.127"), &release));
    ck_assert_str_eq(release_text(arena, release), "12.4.127");
    ck_assert(release_parse(STR("13"), &release));
    ck_assert_int_eq(release.minor, -1);
    ck_assert(!release_parse(STR("12..4"), &release));
    ck_assert(!release_parse(STR(""), &release));
    ck_assert(!release_parse(STR("12.4a"), &release));
    ck_assert(!release_parse(STR("99999999999999999999.4"), &release));
    ck_assert_int_eq(release_from_int(11080).minor, 8);
}
END_TEST

START_TEST(release_spans_have_two_ends_or_one)
{
    struct release first, last;
    ck_assert(release_parse_span(STR("11.0-11.8"), &first, &last));
    ck_assert(first.minor == 0 && last.minor == 8);
    ck_assert(release_parse_span(STR("12"), &first, &last));
    ck_assert(release_cmp(first, last) == 0 && last.major == 12);
    ck_assert(!release_parse_span(STR("11.0-"), &first, &last));
    ck_assert(!release_parse_span(STR("-11.0"), &first, &last));
    ck_assert_str_eq(release_text(arena, release_least((struct release){12, -1, -1})), "12.0.0");
    ck_assert_int_eq(release_least(RELEASE_NONE).major, -1);
}
END_TEST
START_TEST(releases_agree_as_far_as_known)
{
    struct release minor = {12, 4, -1}, build = {12, 4, 127}, other = {12, 5, -1};
    ck_assert(release_agree(minor, build));
    ck_assert(!release_agree(other, build));
    ck_assert_int_lt(release_cmp(minor, build), 0);
}
END_TEST

START_TEST(printable_text_holds_no_control_byte)
{
    ck_assert_str_eq(text_printable(arena, STR("a\033[31m\n\xff\xc3\xa9")), "a\\x1b[31m\\n\\xff\xc3\xa9");
    ck_assert_str_eq(text_printable(arena, STR("\xe2\x80\xae")), "\\xe2\\x80\\xae");
    ck_assert_str_eq(text_printable(arena, STR("\xed\xa0\x80")), "\\xed\\xa0\\x80");
}
END_TEST

START_TEST(nearest_name_is_near)
{
    const char *names[] = {"verify", "init", "probe", NULL};
    ck_assert_str_eq(text_nearest("verfiy", names), "verify");
    ck_assert_str_eq(text_nearest("INIT", names), "init");
    ck_assert_ptr_null(text_nearest("banana", names));
}
END_TEST

START_TEST(cut_keeps_empty_parts)
{
    struct str rest = STR("a::b:"), part;
    const char *expected[] = {"a", "", "b", ""};
    size_t i = 0;
    while (str_cut(&rest, ':', &part))
        ck_assert(str_eq_c(part, expected[i++]));
    ck_assert_uint_eq(i, 4);
}
END_TEST

START_TEST(path_below_is_by_component)
{
    ck_assert(path_below("/env", "/env/lib"));
    ck_assert(path_below("/env/", "/env"));
    ck_assert(!path_below("/env", "/env2/lib"));
    ck_assert_str_eq(path_relative("/env", "/env/lib/x"), "lib/x");
    ck_assert_str_eq(path_join(arena, "/a/", "/b"), "/a/b");
    ck_assert_str_eq(path_absolute(arena, "/a//./b/"), "/a/b");
    ck_assert_str_eq(path_dirname(arena, "/a"), "/");
}
END_TEST

static const char *scratch(void)
{
    char *dir = arena_strdup(arena, "/tmp/condagpu-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    return dir;
}

START_TEST(atomic_write_replaces_or_leaves)
{
    const char *dir = scratch(), *file = path_join(arena, dir, "f");
    struct err err;
    struct str content;
    ck_assert(file_write_atomic(file, STR("one\n"), 0644, &err));
    ck_assert(file_write_atomic(file, STR("two\n"), 0644, &err));
    ck_assert(file_read(arena, file, 100, "test file", &content, &err));
    ck_assert(str_eq_c(content, "two\n"));
    ck_assert(!file_write_atomic(path_join(arena, dir, "none/f"), STR("x"), 0644, &err));
    ck_assert_int_eq(err.kind, ERR_OUTPUT);
    struct strv names = {0};
    ck_assert(dir_list(arena, dir, &names));
    ck_assert_uint_eq(names.n, 1);
    ck_assert(!file_read(arena, file, 2, "test file", &content, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
}
END_TEST

START_TEST(reading_a_fifo_does_not_hang)
{
    const char *fifo = path_join(arena, scratch(), "fifo");
    struct err err;
    struct str content;
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert(!file_read(arena, fifo, 100, "test file", &content, &err));
    ck_assert_str_eq(err.why, "not a regular file");
}
END_TEST

START_TEST(child_output_status_and_deadline)
{
    struct proc proc;
    proc_run(arena, (const char *[]){"/bin/sh", "-c", "echo out; echo err >&2; exit 3", NULL}, NULL, NULL, 5000, 100,
             &proc);
    ck_assert(proc.started);
    ck_assert_int_eq(proc.status, 3);
    ck_assert(str_eq_c(proc.out, "out\n"));
    ck_assert(str_eq_c(proc.err, "err\n"));
    proc_run(arena, (const char *[]){"/bin/sh", "-c", "sleep 60 & sleep 60", NULL}, NULL, NULL, 100, 100, &proc);
    ck_assert(proc.timed_out);
    ck_assert(!proc.stuck);
    proc_run(arena, (const char *[]){"/bin/sh", "-c", "sleep 60 & echo left", NULL}, NULL, NULL, 20000, 100, &proc);
    ck_assert(!proc.timed_out);
    ck_assert(str_eq_c(proc.out, "left\n"));
    proc_run(arena, (const char *[]){"/none/such", NULL}, NULL, NULL, 5000, 100, &proc);
    ck_assert(!proc.started);
    ck_assert_int_eq(proc.errnum, ENOENT);
}
END_TEST

START_TEST(digest_is_sha256)
{
    ck_assert_str_eq(sha256_hex(arena, STR("abc")),
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
END_TEST

START_TEST(tables_are_compiled_in_and_replaceable)
{
    struct err err;
    const char *dir = scratch();
    struct data *data = data_new(arena, dir);
    const struct table *releases = data_table(data, "cuda_release", &err);
    ck_assert_ptr_nonnull(releases);
    size_t row = table_find(releases, "cuda_release", "12.4.1");
    ck_assert_uint_lt(row, releases->rows);
    ck_assert_str_eq(table_cell(releases, row, "libcudart_version"), "12.4.127");
    ck_assert(file_write_atomic(path_join(arena, dir, "driver_cuda.tsv"),
                                STR("driver_branch\tcuDriverGetVersion\tcuda_x_y\n999\t99000\t99.0\n"), 0644, &err));
    const struct table *newer = data_table(data, "driver_cuda", &err);
    ck_assert_uint_eq(newer->rows, 1);
    ck_assert(file_write_atomic(path_join(arena, dir, "cudnn.tsv"), STR("framework\n"), 0644, &err));
    ck_assert_ptr_null(data_table(data, "cudnn", &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        release_parses_one_to_three_numbers,
        release_spans_have_two_ends_or_one,
        releases_agree_as_far_as_known,
        printable_text_holds_no_control_byte,
        nearest_name_is_near,
        cut_keeps_empty_parts,
        path_below_is_by_component,
        atomic_write_replaces_or_leaves,
        reading_a_fifo_does_not_hang,
        child_output_status_and_deadline,
        digest_is_sha256,
        tables_are_compiled_in_and_replaceable,
        NULL,
    };
    arena = arena_new();
    int status = unit_run(unit_suite("util", tests));
    arena_free(arena);
    return status;
}
