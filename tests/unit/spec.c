/* The readers of environment files: versions, pip's lines, encodings, formats. */
#include "spec/spec.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "spec/marker.h"
#include "spec/pep440.h"
#include "unit.h"
#include "util/file.h"

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

/* python=3.11 on linux; the machine's own name and release are not in the rows. */
START_TEST(weighs_markers)
{
    static const struct {
        const char *marker, *wanted;
    } rows[] = {
        {"python_version == '3.11'", "true"}, {"python_version<\"3.9\"", "false"}, {"python_version >= '3.9'", "true"},
        {"'3.9' <= python_version", "true"}, {"python_version ~= '3.8'", "true"}, {"python_version == '3.*'", "true"},
        {"python_version != '3.11'", "false"}, {"python_version in '3.10 3.11'", "true"},
        {"python_version not in '3.10, 3.12'", "true"}, {"python_version not  in '3.11'", "false"},
        {"python_version === '3.11'", "true"}, {"os_name === 'POSIX'", "true"}, {"python_version < '3.2'", "false"},
        {"python_full_version >= '3.11'", "true"}, {"python_full_version < '3.11.4'", "unknown"},
        {"python_full_version == '3.11.4'", "unknown"}, {"python_full_version != '3.11.4'", "unknown"},
        {"python_full_version == '3.11.*'", "true"}, {"python_full_version != '3.10.*'", "true"},
        {"python_full_version ~= '3.11.4'", "unknown"}, {"'3.11' in python_full_version", "unknown"},
        {"implementation_version >= '3.8'", "true"}, {"platform_python_implementation != 'PyPy'", "true"},
        {"implementation_name == 'cpython'", "true"}, {"os_name == 'nt'", "false"}, {"os.name == 'posix'", "true"},
        {"sys_platform == 'linux'", "true"}, {"sys_platform >= 'darwin'", "unknown"},
        {"sys_platform >= 'linux'", "true"},
        {"sys_platform < 'linux'", "false"}, {"sys_platform != 'linux'", "false"}, {"os_name == os_name", "unknown"},
        {"sys_platform < 'a'", "false"},
        {"'lin' in sys_platform", "true"}, {"platform_system == 'Linux'", "true"}, {"sys.platform=='win32'", "false"},
        {"platform_machine == 'no such'", "false"}, {"platform_release != ''", "true"},
        {"extra == 'test'", "false"}, {"extra != 'test'", "true"},
        {"os_name == 'nt' or os_name == 'posix'", "true"},
        {"os_name == 'nt' and python_full_version > '3.11.2'", "false"},
        {"os_name == 'posix' and python_full_version > '3.11.2'", "unknown"},
        {"os_name == 'posix' or python_full_version > '3.11.2'", "true"},
        {"os_name == 'posix' or os_name == 'nt' and os_name == 'nt'", "true"},
        {"(os_name == 'posix' or os_name == 'nt') and os_name == 'nt'", "false"},
        {"((os_name=='posix'))", "true"}, {"  os_name  ==\t'posix'  ", "true"},
        {"", NULL}, {"python", NULL}, {"python_version", NULL}, {"python_version >=", NULL}, {"python_version 3", NULL},
        {"python_version >= 3.8", NULL}, {"python_version >= '3.8", NULL}, {"python_versions >= '3.8'", NULL},
        {"(os_name == 'posix'", NULL}, {"os_name == 'posix')", NULL}, {"os_name == 'posix' and", NULL},
        {"os_name == 'posix' or or os_name == 'nt'", NULL}, {"os_name = 'posix'", NULL}, {"'a' == 'a'", NULL},
        {"not os_name == 'posix'", NULL}, {"os_name not 'posix'", NULL}, {"os_name ~= 'posix'", NULL},
        {"python_version ~= '3'", NULL}, {"os_name == 'posix' os_name", NULL},
        {"os_name == 'a' && os_name == 'b'", NULL},
    };
    static const char *const words[] = {[TRUTH_FALSE] = "false", [TRUTH_UNKNOWN] = "unknown", [TRUTH_TRUE] = "true"};
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    struct marker_world world;
    ck_assert(spec_parse(arena, data_new(arena, NULL), "a.yml", STR("dependencies:\n  - python=3.11\n"), &spec, &err));
    marker_world(arena, &spec, &world);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem = marker_problem(arena, str_of(rows[i].marker));
        ck_assert_msg((problem == NULL) == (rows[i].wanted != NULL), "%s: %s", rows[i].marker, problem);
        if (!rows[i].wanted)
            continue;
        const char *got = words[marker_holds(arena, str_of(rows[i].marker), &world)];
        ck_assert_msg(strcmp(got, rows[i].wanted) == 0, "%s: %s", rows[i].marker, got);
    }
}
END_TEST

START_TEST(takes_python_for_markers_from_the_conda_pin)
{
    static const struct {
        const char *python, *version, *full; /* NULL where it is not known */
    } rows[] = {
        {"python=3.11", "3.11", NULL}, {"python 3.11.4", "3.11", "3.11.4"},
        {"python=3.10.8=h1_0_cpython", "3.10", "3.10.8"},
        {"python==3.9", "3.9", NULL}, {"python", NULL, NULL}, {"python>=3.11", NULL, NULL}, {"python=3", NULL, NULL},
        {"python=3.10|3.11", NULL, NULL}, {"numpy=1.26", NULL, NULL}, {"pypy3.9", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct err err = {0};
        struct spec spec;
        struct marker_world world;
        const char *text = arena_printf(arena, "dependencies:\n  - %s\n", rows[i].python);
        ck_assert(spec_parse(arena, data_new(arena, NULL), "a.yml", str_of(text), &spec, &err));
        marker_world(arena, &spec, &world);
        const char *version = world.of[MARKER_PYTHON_VERSION].first, *full = world.of[MARKER_PYTHON_FULL_VERSION].first;
        bool exact = full && strcmp(full, world.of[MARKER_PYTHON_FULL_VERSION].last) == 0;
        ck_assert_msg(cstr_eq(version, rows[i].version) && cstr_eq(exact ? full : NULL, rows[i].full), "%s: %s, %s",
                      rows[i].python, version, full);
        bool pypy = strncmp(rows[i].python, "pypy", 4) == 0;
        ck_assert((world.of[MARKER_IMPLEMENTATION_NAME].first == NULL) == pypy);
    }
}
END_TEST

START_TEST(deep_markers_end)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    char deep[200] = "";
    memset(deep, '(', 64);
    memset(stpcpy(deep + 64, "os_name == 'posix'"), ')', 64);
    ck_assert_ptr_null(marker_problem(arena, str_of(deep)));
    const char *deeper = arena_printf(arena, "(%s)", deep);
    ck_assert_str_eq(marker_problem(arena, str_of(deeper)), "the marker's parentheses are nested more than 64 deep");
}
END_TEST

/* What the reader says of the file: "ID:line". */
START_TEST(notes_what_pins_otherwise_than_it_looks)
{
    static const struct {
        const char *dependencies, *wanted;
    } rows[] = {
        {"- cuda-version=12.4", ""},
        {"- cuda-version=${CUDA}", "unexpanded:2"},
        {"- cuda-version=$CUDA_VERSION", "unexpanded:2"},
        {"- numpy={{ numpy }}", "unexpanded:2"},
        {"- cuda-version=12.4=^h.*$", ""},
        {"- pip:\n    - torch==${TORCH}", "unexpanded:3"},
        {"- pip:\n    - a @ https://${TOKEN}@h/a-1.0-py3-none-any.whl", ""},
        {"- pip:\n    - --index-url https://${TOKEN}@h/cu124", ""},
        {"- pip:\n    - torch==2.4.0+cu124; os_name == 'nt'", "marker-false:3"},
        {"- pip:\n    - torch==2.4.0+cu124; python_version < '3.9'", "marker-unknown:3"},
        {"- pip:\n    - numpy==1.0; os_name == 'nt'", ""},
        {"- pip:\n    - torch==2.4.0+cu124; python_version < '3.9'\n  - pip: []", "several-pip-lists:2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct err err = {0};
        struct spec spec;
        const char *got = "", *text = arena_printf(arena, "dependencies:\n  %s\n", rows[i].dependencies);
        ck_assert(spec_parse(arena, data_new(arena, NULL), "a.yml", str_of(text), &spec, &err));
        for (size_t j = 0; j < spec.notes.n; j++)
            got = arena_printf(arena, "%s%s:%u", got, spec.notes.v[j].id, spec.notes.v[j].line);
        ck_assert_msg(strcmp(got, rows[i].wanted) == 0, "%s: %s", rows[i].dependencies, got);
    }
}
END_TEST

START_TEST(a_constraint_counts_where_the_package_is_wanted_here)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    char file[] = "/tmp/condagpu-spec-XXXXXX";
    ck_assert_int_eq(close(mkstemp(file)), 0);
    ck_assert(file_write_atomic(file, STR("torch==2.4.0+cu124\nnvidia-cuda-runtime-cu12==12.1.105; os_name == 'nt'\n"),
                                0600, &err));
    const char *text = arena_printf(arena, "-c %s\ntorch; os_name == 'nt'\nnvidia-cuda-runtime-cu12\n", file);
    bool good = spec_parse(arena, data_new(arena, NULL), "r.txt", str_of(text), &spec, &err);
    unlink(file);
    ck_assert(good);
    ck_assert_uint_eq(spec.deps.n, 3);
    ck_assert(spec.deps.v[0].foreign && !spec.deps.v[1].dropped && spec.deps.v[2].foreign && spec.deps.v[2].dropped);
    ck_assert(!spec.has_effective);
}
END_TEST

static struct cuda_range from_to(int from_major, int from_minor, int to_major, int to_minor)
{
    return (struct cuda_range){.min = {from_major, from_minor, -1}, .max = {to_major, to_minor, -1}};
}

START_TEST(joins_and_narrows_sets_of_releases)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct cuda_range ranges[] = {from_to(12, 6, 12, 7), from_to(11, 8, 12, 2), from_to(12, 1, 12, 3)};
    struct cuda_range set = range_union(arena, ranges, 3);
    ck_assert_str_eq(range_text(arena, &set), ">=11.8,<12.3 or 12.6");
    ck_assert(range_may_hold(&set, (struct release){12, 2, -1}) && range_may_hold(&set, (struct release){12, 6, 3}));
    ck_assert(!range_may_hold(&set, (struct release){12, 3, -1}) && !range_may_hold(&set, (struct release){12, 7, -1}));
    ck_assert(range_may_hold(&set, (struct release){12, -1, -1}));
    ck_assert(!range_may_hold(&set, (struct release){13, -1, -1}));
    struct cuda_range later = {.min = {12, 0, -1}, .min_exclusive = true, .max = RELEASE_NONE};
    ck_assert(range_narrow(arena, &set, &later));
    ck_assert_str_eq(range_text(arena, &set), ">12.0,<12.3 or 12.6");
    struct cuda_range earlier = {.min = RELEASE_NONE, .max = {12, 6, 0}, .max_inclusive = true};
    ck_assert(range_narrow(arena, &set, &earlier));
    ck_assert_str_eq(range_text(arena, &set), ">12.0,<12.3 or >=12.6,<=12.6.0");
    struct cuda_range between = from_to(12, 3, 12, 6);
    ck_assert(!range_narrow(arena, &set, &between));
    ck_assert_str_eq(range_text(arena, &set), ">12.0,<12.3 or >=12.6,<=12.6.0");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        orders_python_versions,
        matches_python_versions,
        reads_lines_of_pip,
        tells_formats_by_content,
        weighs_markers,
        takes_python_for_markers_from_the_conda_pin,
        deep_markers_end,
        notes_what_pins_otherwise_than_it_looks,
        joins_and_narrows_sets_of_releases,
        a_constraint_counts_where_the_package_is_wanted_here,
        NULL,
    };
    return unit_run(unit_suite("spec", tests));
}
