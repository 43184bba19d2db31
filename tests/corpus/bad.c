/* Broken and odd environment files: each is refused in its place or read with what should be said about it. */
#include "spec/spec.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "unit.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum outcome { REFUSED, READ };

struct row {
    const char *file;
    enum outcome outcome;
    unsigned line, column; /* of the error, or of the first note; 0 for none */
    const char *says;      /* in the error and its mend, or the first note's id; NULL for no note */
    const char *dep;       /* READ: the last dependency as "name version" */
};

/* In tests/corpus/faults. */
static const struct row faults[] = {
    {"tab.yml", REFUSED, 4, 1, "tab", NULL},
    {"tab-after-dash.yml", REFUSED, 2, 4, "tab", NULL},
    {"unclosed-quote.yml", REFUSED, 3, 5, "quoted scalar", NULL},
    {"duplicate-key.yml", REFUSED, 3, 1, "first in line 1", NULL},
    {"top-level-list.yml", REFUSED, 1, 1, "mapping", NULL},
    {"dependencies-map.yml", REFUSED, 2, 3, "must be a list", NULL},
    {"dependencies-text.yml", REFUSED, 1, 15, "must be a list", NULL},
    {"item-map.yml", REFUSED, 2, 5, "cudatoolkit=11.10", NULL},
    {"pip-nested.yml", REFUSED, 3, 7, "one text", NULL},
    {"pip-null.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"merge-key.yml", READ, 1, 1, "unknown-key", "cuda-version 12.6.*"},
    {"alias.yml", READ, 1, 1, "unknown-key", "cuda-version 12.6.*"},
    {"undefined-alias.yml", REFUSED, 4, 5, "no anchor &pins", NULL},
    {"conflict-marker.yml", REFUSED, 5, 1, "conflict markers", NULL},
    {"bom-crlf.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"cr-only.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"utf-16-le.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"utf-16-be-without-mark.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"utf-16-cut.yml", REFUSED, 2, 1, "byte 22", NULL},
    {"nul.yml", REFUSED, 3, 20, "NUL", NULL},
    {"empty.yml", REFUSED, 1, 1, "empty", NULL},
    {"comment-only.yml", REFUSED, 1, 1, "empty", NULL},
    {"template.yml", REFUSED, 3, 2, "template", NULL},
    {"no-space.yml", REFUSED, 2, 3, "space after", NULL},
    {"no-break-space.yml", REFUSED, 2, 3, "U+00A0", NULL},
    {"no-break-space-in-item.yml", REFUSED, 2, 5, "U+00A0", NULL},
    {"tag.yml", REFUSED, 2, 5, "!include", NULL},
    {"python-tag.yml", REFUSED, 2, 5, "python", NULL},
    {"pip-not-indented.yml", READ, 3, 5, "pip-not-indented", "torch 2.6.0"},
    {"variables-list.yml", REFUSED, 3, 3, "mapping", NULL},
    {"latin-1.yml", REFUSED, 1, 6, "byte 5", NULL},
    {"capital-keys.yml", REFUSED, 2, 1, "did you mean dependencies", NULL},
    {"near-key.yml", READ, 2, 1, "unknown-key", NULL},
    {"platforms.yml", READ, 2, 1, "platforms-key", NULL},
    {"top-level-pip.yml", READ, 2, 1, "top-level-pip", NULL},
    {"two-pip-lists.yml", READ, 2, 5, "several-pip-lists", "numpy -"},
    {"block-scalar.yml", READ, 0, 0, NULL, "cuda-version 12.6.*"},
    {"channel-number.yml", READ, 0, 0, NULL, NULL},
    {"channels-text.yml", REFUSED, 1, 11, "list", NULL},
    {"two-documents.yml", REFUSED, 3, 1, "second document", NULL},
    {"control.yml", REFUSED, 3, 9, "control", NULL},
    {"generator.yml", REFUSED, 5, 3, "generator", NULL},
    {"explicit.txt", READ, 0, 0, NULL, "cuda-cudart 12.6.77"},
    {"explicit-bad.txt", REFUSED, 2, 1, "address", NULL},
    {"requirements.txt", READ, 6, 1, "requirements-missing", "numpy <3"},
    {"loop.txt", REFUSED, 2, 1, "names itself", NULL},
};

/* In the corpus that is not part of the distribution. */
static const struct row corpus[] = {
    {"01-tab-indent.yml", REFUSED, 6, 1, "tab", NULL},
    {"02-tab-after-dash.yml", REFUSED, 3, 4, "tab", NULL},
    {"04-duplicate-key.yml", REFUSED, 6, 1, "first in line 2", NULL},
    {"05-top-level-list.yml", REFUSED, 1, 1, "mapping", NULL},
    {"07-dependencies-map.yml", REFUSED, 3, 3, "- name=version", NULL},
    {"08-dependencies-string.yml", REFUSED, 2, 15, "list", NULL},
    {"10-map-item-float.yml", REFUSED, 3, 5, "3.10", NULL},
    {"11-pip-nested-list.yml", REFUSED, 6, 7, "one text", NULL},
    {"13-pip-null.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"14-merge-key.yml", READ, 1, 1, "unknown-key", "cuda-version 12.4.*"},
    {"16-alias-bomb.yml", REFUSED, 6, 8, "10,000 nodes", NULL},
    {"17-deep-flow-nesting.yml", REFUSED, 2, 79, "64 levels", NULL},
    {"19-git-conflict.yml", REFUSED, 5, 1, "conflict markers", NULL},
    {"20-utf8-bom.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"22-nul-byte.yml", REFUSED, 3, 22, "byte 45", NULL},
    {"23-empty.yml", REFUSED, 1, 1, "empty", NULL},
    {"25-jinja.yml", REFUSED, 4, 2, "template", NULL},
    {"26-missing-space-after-dash.yml", REFUSED, 3, 3, "space after", NULL},
    {"28-at-sign-explicit.txt", READ, 0, 0, NULL, "cuda-cudart 12.4.127"},
    {"29-undefined-alias.yml", REFUSED, 3, 5, "*missing", NULL},
    {"31-python-tag.yml", REFUSED, 3, 5, "tag", NULL},
    {"32-bad-indent-pip.yml", READ, 5, 5, "pip-not-indented", "torch 2.4.0+cu124"},
    {"34-variables-list.yml", REFUSED, 5, 3, "mapping", NULL},
    {"35-variables-types.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"37-many-items.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"38-huge-version.yml", READ, 5, 5, "invalid-spec", NULL},
    {"40-latin1.yml", REFUSED, 1, 6, "byte 5", NULL},
    {"41-nbsp.yml", REFUSED, 3, 3, "U+00A0", NULL},
    {"43-cr-only.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"44-env-and-pkg-case.yml", REFUSED, 2, 1, "did you mean dependencies", NULL},
    {"46-top-level-pip.yml", READ, 4, 1, "top-level-pip", "cuda-version 12.4.*"},
    {"47-two-pip-maps.yml", READ, 4, 5, "several-pip-lists", "numpy -"},
    {"49-block-scalar.yml", READ, 0, 0, NULL, "cudatoolkit 11.8.*"},
    {"50-non-string-channel.yml", READ, 0, 0, NULL, "cuda-version 12.4.*"},
    {"../good/133.yml", REFUSED, 134, 3, "generator", NULL},
};

static void check_refused(const struct row *row, const struct err *err)
{
    char text[4096];
    snprintf(text, sizeof text, "%s (%s)", err->why, err->mend);
    ck_assert_msg(err->kind == ERR_INPUT && strstr(text, row->says), "%s: %s", row->file, text);
    ck_assert_msg(err->line == row->line && err->column == row->column, "%s: %u:%u", row->file, err->line,
                  err->column);
    ck_assert_msg(!strchr(err->why, '\n') && !strchr(err->mend, '\n'), "%s: %s", row->file, text);
}

static void check_read(struct arena *arena, const struct row *row, const struct spec *spec)
{
    const struct note *note = spec->notes.n ? &spec->notes.v[0] : NULL;
    ck_assert_msg(cstr_eq(row->says, note ? note->id : NULL), "%s: note %s", row->file, note ? note->id : "none");
    ck_assert_msg(!note || (note->line == row->line && note->column == row->column), "%s: %u:%u", row->file,
                  note ? note->line : 0, note ? note->column : 0);
    if (!row->dep)
        return;
    ck_assert_msg(spec->deps.n > 0, "%s: no dependency", row->file);
    const struct dep *dep = &spec->deps.v[spec->deps.n - 1];
    const char *text = arena_printf(arena, "%s %s", dep->name, dep->version ? dep->version : "-");
    ck_assert_msg(strcmp(text, row->dep) == 0, "%s: %s", row->file, text);
}

static void check_row(const char *dir, const struct row *row)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    clock_t start = clock();
    bool good = spec_read(arena, data_new(arena, NULL), path_join(arena, dir, row->file), &spec, &err);
    ck_assert_msg(clock() - start < 10 * CLOCKS_PER_SEC, "%s took too long", row->file);
    ck_assert_msg(good == (row->outcome == READ), "%s: %s", row->file, good ? "was read" : err.why);
    if (good)
        check_read(arena, row, &spec);
    else
        check_refused(row, &err);
}

static const char *below_srcdir(struct arena *arena, const char *path)
{
    const char *top = getenv("top_srcdir");
    return path_join(arena, top ? top : ".", path);
}

START_TEST(own_faults)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        check_row(below_srcdir(arena, "tests/corpus/faults"), &faults[i]);
}
END_TEST

START_TEST(corpus_of_bad_files)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *dir = below_srcdir(arena, "../shared/corpus/bad");
    for (size_t i = 0; file_is_dir(dir) && i < sizeof corpus / sizeof *corpus; i++)
        check_row(dir, &corpus[i]);
}
END_TEST

static bool parse(struct arena *arena, const struct text *text, struct spec *spec, struct err *err)
{
    return spec_parse(arena, data_new(arena, NULL), "made.yml", text_str(text), spec, err);
}

START_TEST(variables_keep_their_text)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    const char *file = below_srcdir(arena, "tests/corpus/faults/variables.yml");
    ck_assert(spec_read(arena, data_new(arena, NULL), file, &spec, &err));
    ck_assert_uint_eq(spec.variables.n, 4);
    ck_assert_str_eq(spec.variables.v[0].value, "010");
    ck_assert_str_eq(spec.variables.v[1].value, "yes");
    ck_assert_ptr_null(spec.variables.v[2].value);
    ck_assert_str_eq(spec.variables.v[3].value, "1.10");
}
END_TEST

START_TEST(dropped_pip_lists_pin_nothing)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    const char *file = below_srcdir(arena, "tests/corpus/faults/two-pip-lists.yml");
    ck_assert(spec_read(arena, data_new(arena, NULL), file, &spec, &err));
    ck_assert(spec.deps.v[0].dropped && !spec.deps.v[1].dropped);
    ck_assert_int_eq(spec.release.major, -1);
}
END_TEST

START_TEST(twenty_thousand_levels)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    text_add(&text, "dependencies:\n  - ");
    for (int i = 0; i < 20000; i++)
        text_add(&text, "[");
    ck_assert(!parse(arena, &text, &spec, &err));
    ck_assert_msg(strstr(err.why, "64 levels") && err.line == 2, "%s", err.why);
}
END_TEST

START_TEST(bomb_of_aliases)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    text_add(&text, "a0: &a0 [x, x]\n");
    for (int i = 1; i < 60; i++)
        text_add(&text, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    text_add(&text, "dependencies: *a59\n");
    ck_assert(!parse(arena, &text, &spec, &err));
    ck_assert_msg(strstr(err.why, "10,000") && err.line > 1, "%s", err.why);
}
END_TEST

START_TEST(many_keys_are_compared_in_no_time)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    text_add(&text, "variables:\n");
    for (int i = 0; i < 90000; i++)
        text_add(&text, "  V%d: x\n", i);
    text_add(&text, "dependencies: []\n");
    ck_assert_msg(parse(arena, &text, &spec, &err), "%s", err.why);
    ck_assert_uint_eq(spec.variables.n, 90000);
}
END_TEST

START_TEST(too_many_files)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    text_add(&text, "dependencies:\n  - pip:\n");
    for (int i = 0; i < 65; i++)
        text_add(&text, "    - -r %s\n", below_srcdir(arena, "tests/corpus/faults/loop-not.txt"));
    ck_assert(!parse(arena, &text, &spec, &err));
    ck_assert_msg(strstr(err.why, "64 files") && err.line == 67, "%u: %s", err.line, err.why);
}
END_TEST

START_TEST(too_many_lines)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    for (int i = 0; i < 100001; i++)
        text_add(&text, "a==1\n");
    ck_assert(!spec_parse(arena, data_new(arena, NULL), "made.txt", text_str(&text), &spec, &err));
    ck_assert_msg(strstr(err.why, "100,000") && err.line == 100001, "%u: %s", err.line, err.why);
}
END_TEST

/* One megabyte that contradicts each of ten thousand lines is not told ten thousand times. */
START_TEST(a_long_line_is_repeated_few_times)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct text text = {.arena = arena};
    struct err err = {0};
    struct spec spec;
    text_add(&text, "dependencies:\n  - cuda-version=12.4=");
    for (int i = 0; i < 1000000; i++)
        text_bytes(&text, "h", 1);
    text_add(&text, "\n");
    for (int i = 0; i < 10000; i++)
        text_add(&text, "  - cuda-version=12.6\n");
    ck_assert(parse(arena, &text, &spec, &err));
    ck_assert_uint_eq(spec.pins.n, 10001);
    ck_assert_uint_eq(spec.conflicts.n, 20);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        own_faults,
        corpus_of_bad_files,
        variables_keep_their_text,
        dropped_pip_lists_pin_nothing,
        twenty_thousand_levels,
        bomb_of_aliases,
        many_keys_are_compared_in_no_time,
        too_many_files,
        too_many_lines,
        a_long_line_is_repeated_few_times,
        NULL,
    };
    return unit_run(unit_suite("bad", tests));
}
