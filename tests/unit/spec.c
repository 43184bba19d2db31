/* The readers of environment files: versions, pip's lines, encodings, formats. */
#include "spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "spec/marker.h"
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

START_TEST(evaluates_markers)
{
    static const struct marker_environment known = {.python = "3.11.4", .machine = "x86_64", .release = "6.1.0"};
    static const struct marker_environment unknown = {.machine = "x86_64"};
    static const struct {
        const char *marker, *wanted; /* with all known, and with no python known: t, f, u(nknown), i(nvalid) */
    } rows[] = {
        {"sys_platform == 'linux'", "tt"}, {"sys_platform == \"win32\"", "ff"}, {"os_name!='nt'", "tt"},
        {"'linux' in sys_platform", "tt"}, {"sys_platform not in 'win32 darwin'", "tt"}, {"platform_system>'A'", "tt"},
        {"python_version >= '3.9'", "tu"}, {"python_version < '3.9'", "fu"}, {"'3.9' <= python_version", "tu"},
        {"python_version == '3.11.*'", "tu"}, {"python_version ~= '3.10'", "tu"}, {"python_version in '3.10 3.11'", "tu"},
        {"python_version >= '3.9' and sys_platform == 'win32'", "ff"}, {"sys_platform=='win32' and os_name=='nt' or os_name=='posix'", "tt"},
        {"os_name=='posix' or python_version<'3'", "tt"}, {"python_version<'3' or os_name=='posix'", "tt"},
        {"os_name=='nt' and (python_version<'3' or os_name=='posix')", "ff"}, {"(python_version<'4')", "tu"},
        {"python_full_version == '3.11.4'", "tu"}, {"platform_machine == 'aarch64'", "ff"}, {"extra == 'dev'", "ff"},
        {"platform_release >= '5'", "tu"}, {"platform_version == 'x'", "uu"}, {"implementation_name == 'cpython'", "tt"},
        {"platform.machine=='x86_64'", "tt"}, {"python_implementation=='CPython'", "tt"}, {"'a' == 'a'", "tt"},
        {"python_version", "ii"}, {"python_version >=", "ii"}, {"pyton_version >= '3'", "ii"}, {"(os_name=='nt'", "ii"},
        {"os_name=='nt' andd os_name=='nt'", "ii"}, {"os_name not 'nt'", "ii"}, {"os_name=='nt", "ii"},
        {"os_name=='nt' and", "ii"}, {"sys_platform ~= 'linux'", "ii"}, {"", "ii"}, {"os_name = 'nt'", "ii"},
        {"((((((((((((((((((((((((((((((((((os_name=='nt'))))))))))))))))))))))))))))))))))", "ii"},
    };
    static const char letters[] = {[MARKER_FALSE] = 'f', [MARKER_TRUE] = 't', [MARKER_UNKNOWN] = 'u', [MARKER_INVALID] = 'i'};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        const char *problem = NULL;
        ck_assert_msg(letters[marker_evaluate(arena, rows[i].marker, &known, &problem)] == rows[i].wanted[0]
                          && (problem != NULL) == (rows[i].wanted[0] == 'i'),
                      "%s: %s", rows[i].marker, problem ? problem : "");
        ck_assert_msg(letters[marker_evaluate(arena, rows[i].marker, &unknown, &problem)] == rows[i].wanted[1], "%s",
                      rows[i].marker);
    }
}
END_TEST

/* What a file pins, as text, and whether each of three releases is admitted. */
START_TEST(reads_alternatives_and_markers)
{
    static const struct {
        const char *dependencies, *pinned, *admitted; /* of 12.4, 12.5, 12.6 */
    } rows[] = {
        {"[cuda-version=12.4|12.6]", "12.4 or 12.6", "yny"},
        {"['cuda-version=12.4|=12.6']", "12.4 or 12.6", "yny"},
        {"['cuda-cudart=12.4.99|12.4.127']", "12.4", "ynn"},
        {"['cuda-version=11.8|>=12.5']", "11.8 or >=12.5", "nyy"},
        {"['cuda-version=12.4|12.6', 'cuda-version<12.6']", ">=12.4,<12.6", "ynn"},
        {"['cuda-version=12.4|!=12.5']", "", "nnn"},
        {"[{pip: ['torch==2.4.0+cu124; sys_platform == \"win32\"', 'torch==2.7.0+cu126; sys_platform != \"win32\"']}]",
         "12.6", "nny"},
        {"[python=3.11, {pip: ['torch==2.4.0+cu124; python_version < \"3.9\"']}]", "", "nnn"},
        {"['python>=3.8', {pip: ['torch==2.4.0+cu124; python_version < \"3.9\"']}]", "12.4", "ynn"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct err err = {0};
        struct spec spec;
        const char *text = arena_printf(arena, "dependencies: %s\n", rows[i].dependencies);
        ck_assert_msg(spec_parse(arena, data_new(arena, NULL), "a.yml", str_of(text), &spec, &err), "%s", err.why);
        ck_assert_str_eq(spec.has_effective ? spec.effective_text : "", rows[i].pinned);
        for (int minor = 4; minor <= 6; minor++)
            ck_assert_msg((spec.has_effective && spec_may_hold(&spec, (struct release){12, minor, -1}))
                              == (rows[i].admitted[minor - 4] == 'y'),
                          "%s: 12.%d", rows[i].dependencies, minor);
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
        evaluates_markers,
        reads_alternatives_and_markers,
        tells_formats_by_content,
        NULL,
    };
    return unit_run(unit_suite("spec", tests));
}
