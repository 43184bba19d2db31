/* The readers of environment files: versions, pip's lines, encodings, formats. */
#include "spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "spec/pep440.h"
#include "unit.h"

START_TEST(orders_python_versions)
{
    /* Each is older than the next. */
    static const char *const ascending[] = {
        "1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2",
        "1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5",
        "1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1", "2.4.0", "2.4.0+cpu", "2.4.0+cu118", "2.4.0+cu124",
        "10.0", "99999999999999999999999.4", "1!0.1",
    };
    for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++)
        for (size_t j = 0; j < sizeof ascending / sizeof *ascending; j++) {
            int order = pep440_cmp(ascending[i], ascending[j]);
            ck_assert_msg((i < j) == (order < 0) && (i == j) == (order == 0), "%s and %s: %d", ascending[i],
                          ascending[j], order);
        }
    static const char *const equal[][2] = {
        {"1.0", "1"}, {"1.0.0", "1"}, {"1.0alpha1", "1.0a1"}, {"1.0-preview_2", "1.0rc2"}, {"1.0c2", "1.0RC2"},
        {"1.0-1", "1.0.post1"}, {"1.0.rev", "1.0.post0"}, {"v1.01", "1.1"}, {"0!2", "2"}, {"1+ABC-1", "1+abc.1"},
    };
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        ck_assert_msg(pep440_cmp(equal[i][0], equal[i][1]) == 0, "%s and %s", equal[i][0], equal[i][1]);
}
END_TEST

START_TEST(matches_python_versions)
{
    static const struct {
        const char *constraint, *version;
        bool wanted;
    } rows[] = {
        {"", "1.0", true}, {"==2.4.0", "2.4.0+cu124", true}, {"==2.4.0+cu124", "2.4.0+cu124", true},
        {"==2.4.0+cu124", "2.4.0", false}, {"==2.4.0+cu124", "2.4.0+cu121", false}, {"==2.4", "2.4.0", true},
        {"==2.4.*", "2.4.1", true}, {"==2.4.*", "2.40", false}, {"==2.4.*", "2.4a1", true}, {"==1.0.*", "1", true},
        {"!=2.4.*", "2.4.1", false}, {"!=2.4.0", "2.4.1", true}, {">=2,<3", "2.7", true}, {">=2,<3", "3.0", false},
        {">=2,<3,", "2.7", true}, {"<3", "3.0rc1", false}, {"<3rc2", "3.0rc1", true}, {"<=3", "3.0+cu124", true},
        {">1.7", "1.7.1", true}, {">1.7", "1.7.0.post1", false}, {">1.7", "1.7+local", false},
        {">1.7.post1", "1.7.post2", true}, {"~=2.2", "2.9", true}, {"~=2.2", "3.0", false}, {"~=2.2", "2.1", false},
        {"~=1.4.5", "1.4.9", true}, {"~=1.4.5", "1.5", false}, {"~=2.2.post3", "2.3", true}, {"~=2", "2.1", false},
        {"===2.0-Custom", "2.0-custom", true}, {"===1.0", "1.0.0", false}, {"==1!1.0", "1.0", false},
        {">=12.1.105", "12.4.127", true}, {"==13.*", "13.0.48", true}, {"=2.0", "2.0", false}, {"==", "1", false},
        {">=1+local", "2", false}, {"==1.0a1.*", "1.0a1", false}, {",>=1", "2", false}, {">=x", "2", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(pep440_matches(rows[i].constraint, rows[i].version) == rows[i].wanted, "%s with %s",
                      rows[i].constraint, rows[i].version);
}
END_TEST

static const char *shown(struct arena *arena, const struct dep *dep)
{
    return arena_printf(arena, "%s|%s|%s|%s|%s|%s", dep->name ? dep->name : "", dep->version ? dep->version : "",
                        dep->extras ? dep->extras : "", dep->channel ? dep->channel : "",
                        dep->marker ? dep->marker : "", dep->problem ? "refused" : "");
}

/* Every row is the one item of a pip: list. */
START_TEST(reads_lines_of_pip)
{
    static const struct {
        const char *line, *wanted; /* name|version|extras|channel|marker|refused */
    } rows[] = {
        {"numpy", "numpy|||||"},
        {"Nvidia_cuda.-runtime-CU12 == 12.4.127", "nvidia-cuda-runtime-cu12|==12.4.127||||"},
        {"torch==2.4.0+cu124 --hash=sha256:00", "torch|==2.4.0+cu124||||"},
        {"torch (>=2, <3)", "torch|>=2,<3||||"},
        {"jax[cuda12, k8s]>=0.4; python_version > '3'", "jax|>=0.4|cuda12,k8s||python_version > '3'|"},
        {"x~=1.2 # why", "x|~=1.2||||"},
        {"torch @ https://h/torch-2.4.0%2Bcu124-cp310-cp310-linux_x86_64.whl ; extra == 'a'",
         "torch|==2.4.0+cu124||https://h/torch-2.4.0%2Bcu124-cp310-cp310-linux_x86_64.whl|extra == 'a'|"},
        {"https://h/a;b/torch-2.4.0-py3-none-any.whl#sha256=0",
         "torch|==2.4.0||https://h/a;b/torch-2.4.0-py3-none-any.whl#sha256=0||"},
        {"git+https://h/r.git@v1#egg=Flash_attn&x=1", "flash-attn|||git+https://h/r.git@v1#egg=Flash_attn&x=1||"},
        {"flash_attn @ git+ssh://git@h/r.git", "flash-attn|||git+ssh://git@h/r.git||"},
        {"git+ssh://git@h/r.git", "|||git+ssh://git@h/r.git||"},
        {"./wheels/foo_bar-1.0-py3-none-any.whl", "foo-bar|==1.0||./wheels/foo_bar-1.0-py3-none-any.whl||"},
        {"-e .", "|||.||"},
        {"-e git+https://h/r#egg=foo", "foo|||git+https://h/r#egg=foo||"},
        {"--editable=./src", "|||./src||"},
        {"--index-url https://h/cu124", "|||https://h/cu124||"},
        {"--extra-index-url=https://h/cu124", "|||https://h/cu124||"},
        {"-ihttps://h/cu124", "|||https://h/cu124||"},
        {"-f https://h/torch_stable.html", "|||https://h/torch_stable.html||"},
        {"--pre", "|||||"},
        {"--no-binary :all:", "|||||"},
        {"--no-binary", "|||||refused"},
        {"--bogus", "|||||refused"},
        {"torch=2.4", "|||||refused"},
        {"torch==2.4.", "|||||refused"},
        {"torch==", "|||||refused"},
        {"torch 2.4", "|||||refused"},
        {"torch[cuda", "|||||refused"},
        {"torch;", "|||||refused"},
        {"==2.4", "|||||refused"},
        {"torch @ https://h/numpy-1.0-py3-none-any.whl", "|==1.0||https://h/numpy-1.0-py3-none-any.whl||refused"},
        {"x==999999999999999999999999999999.1", "x|==999999999999999999999999999999.1||||"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct err err = {0};
        struct spec spec;
        const char *text = arena_printf(arena, "dependencies:\n  - pip:\n    - |-\n      %s\n", rows[i].line);
        ck_assert_msg(spec_parse(arena, data_new(arena, NULL), "a.yml", str_of(text), &spec, &err), "%s: %s",
                      rows[i].line, err.why);
        ck_assert_uint_eq(spec.deps.n, 1);
        ck_assert_msg(strcmp(shown(arena, &spec.deps.v[0]), rows[i].wanted) == 0, "%s: %s", rows[i].line,
                      shown(arena, &spec.deps.v[0]));
    }
}
END_TEST

START_TEST(tells_formats_by_content)
{
    static const struct {
        const char *file, *content, *format;
    } rows[] = {
        {"-", "name: x\ndependencies: []\n", "environment"},
        {"requirements.txt", "# c\n\ntorch==2.4.0\n", "requirements"},
        {"-", "--index-url https://h\n", "requirements"},
        {"-", "-r /nonexistent/base.txt\n", "requirements"},
        {"x", "numpy\n", "requirements"},
        {"x.txt", "# platform: linux-64\n@EXPLICIT\nhttps://h/c/linux-64/a-1-0.conda\n", "explicit"},
        {"x.yml", "@EXPLICIT\n", "explicit"},
        {"x.yml", "numpy\n", NULL},
        {"x", "- numpy\n", NULL},
        {"x", "hello world\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct err err = {0};
        struct spec spec;
        bool good = spec_parse(arena, data_new(arena, NULL), rows[i].file, str_of(rows[i].content), &spec, &err);
        ck_assert_msg(good == (rows[i].format != NULL), "%s: %s", rows[i].content, err.why);
        ck_assert_msg(!good || strcmp(spec.format, rows[i].format) == 0, "%s: %s", rows[i].content, spec.format);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        orders_python_versions,
        matches_python_versions,
        reads_lines_of_pip,
        tells_formats_by_content,
        NULL,
    };
    return unit_run(unit_suite("spec", tests));
}
