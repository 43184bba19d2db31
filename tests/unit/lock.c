/* Lock files and manifests: which packages count, where they stand, what is refused. */
#include <config.h>

#include "spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "spec/locked.h"
#include "spec/toml_tree.h"
#include "unit.h"
#include "util/text.h"

/* @P@ is this machine's platform; @Q@ one that it is not. */
static struct str here(struct arena *arena, const char *content)
{
    struct text text = {.arena = arena};
    text_add(&text, "%s", "");
    for (; *content; content++) {
        if (strncmp(content, "@P@", 3) == 0 || strncmp(content, "@Q@", 3) == 0) {
            text_add(&text, "%s", content[1] == 'P' ? locked_platform() : "osx-arm64");
            content += 2;
        } else {
            text_add(&text, "%c", *content);
        }
    }
    return text_str(&text);
}

static bool parse(struct arena *arena, const char *file, const char *content, struct spec *spec, struct err *err)
{
    *err = (struct err){0};
    return spec_parse(arena, data_new(arena, NULL), file, here(arena, content), spec, err);
}

/* "name version build channel LINE:COLUMN; …", "-" for none, "!" in front of what does not count. */
static const char *shown(struct arena *arena, const struct spec *spec)
{
    struct text text = {.arena = arena};
    text_add(&text, "%s", "");
    for (size_t i = 0; i < spec->deps.n; i++) {
        const struct dep *dep = &spec->deps.v[i];
        text_add(&text, "%s%s%s %s %s %s %u:%u", i ? "; " : "", dep->dropped ? "!" : "", dep->name ? dep->name : "-",
                 dep->version ? dep->version : "-", dep->build ? dep->build : "-", dep->channel ? dep->channel : "-",
                 dep->line, dep->column);
    }
    return text.s;
}

static bool has_note(const struct spec *spec, const char *id)
{
    bool found = false;
    for (size_t i = 0; i < spec->notes.n; i++)
        found |= strcmp(spec->notes.v[i].id, id) == 0;
    return found;
}

struct good {
    const char *format, *content, *deps, *asked, *note; /* asked: the effective pin, NULL for none */
};

static void check_good(const struct good *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct spec spec;
        struct err err;
        ck_assert_msg(parse(arena, "-", rows[i].content, &spec, &err), "row %zu: %u:%u %s", i, err.line, err.column,
                      err.why);
        ck_assert_str_eq(spec.format, rows[i].format);
        ck_assert_msg(strcmp(shown(arena, &spec), here(arena, rows[i].deps).s) == 0, "row %zu: %s", i,
                      shown(arena, &spec));
        ck_assert_msg(cstr_eq(spec.has_effective ? spec.effective_text : NULL, rows[i].asked), "row %zu: %s", i,
                      spec.effective_text);
        ck_assert_msg(rows[i].note ? has_note(&spec, rows[i].note) : spec.notes.n == 0, "row %zu: the note is %s", i,
                      spec.notes.n ? spec.notes.v[0].id : "missing");
    }
}

struct bad {
    const char *content;
    unsigned line, column; /* column 0: where the library says, which its releases differ in */
    const char *why; /* in the reason or the mend */
};

static void check_bad(const struct bad *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct spec spec;
        struct err err;
        ck_assert_msg(!parse(arena, "-", rows[i].content, &spec, &err), "row %zu is read", i);
        ck_assert_int_eq(err.kind, ERR_INPUT);
        ck_assert_msg(err.line == rows[i].line && (!rows[i].column || err.column == rows[i].column) && err.column && err.why[0]
                          && (strstr(err.why, rows[i].why) || strstr(err.mend, rows[i].why)),
                      "row %zu: %u:%u %s (%s)", i, err.line, err.column, err.why, err.mend);
    }
}

#define CHANNEL "https://conda.anaconda.org/conda-forge"

START_TEST(conda_lock)
{
    static const struct good rows[] = {
        {"conda-lock",
         "# made by a tool\nversion: 1\nmetadata:\n  channels:\n  - url: conda-forge\n  platforms: [\"@P@\", \"@Q@\"]\npackage:\n"
         "- name: cuda-version\n  version: '12.4'\n  manager: conda\n  platform: @P@\n  dependencies: {}\n"
         "  url: " CHANNEL "/noarch/cuda-version-12.4-h3060b56_3.conda\n  category: main\n"
         "- name: cuda-version\n  version: '11.8'\n  manager: conda\n  platform: @Q@\n"
         "  url: " CHANNEL "/noarch/cuda-version-11.8-h0_3.conda\n"
         "- name: cuda-nvcc\n  version: 12.1.1\n  manager: conda\n  platform: @P@\n  category: dev\n"
         "- name: Torch\n  version: 2.4.0\n  manager: pip\n  platform: @P@\n"
         "  url: https://h.example.org/whl/torch-2.4.0%2Bcu124-cp312-cp312-linux_x86_64.whl\n",
         "cuda-version 12.4 h3060b56_3 conda-forge 8:3; torch ==2.4.0+cu124 - "
         "https://h.example.org/whl/torch-2.4.0%2Bcu124-cp312-cp312-linux_x86_64.whl 25:3",
         "12.4", "other-categories"},
        {"conda-lock", "version: 1\nmetadata: {}\npackage: []\n", "", NULL, NULL},
        /* A package whose address says no build, and a source of pip. */
        {"conda-lock",
         "version: 1\nmetadata: {}\npackage:\n- {name: cuda-cudart, version: 12.6.77, manager: conda, platform: @P@}\n"
         "- {name: x, version: '1.0', manager: pip, platform: @P@, url: 'https://h.example.org/x-1.0.tar.gz'}\n",
         "cuda-cudart 12.6.77 - - 4:3; x ==1.0 - https://h.example.org/x-1.0.tar.gz 5:3", "12.6", NULL},
        {"conda-lock",
         "version: 1\nmetadata: {}\npackage:\n- {name: torch, version: 2.4.0+cu124, manager: pip, platform: @P@, "
         "url: 'https://h.example.org/mine-1.0-py3-none-any.whl'}\n",
         "torch ==2.4.0+cu124 - https://h.example.org/mine-1.0-py3-none-any.whl 4:3", "12.4", NULL},
    };
    static const struct bad faults[] = {
        {"version: 1\nmetadata: {}\npackage:\n- {name: a, version: 1, manager: conda, platform: @Q@}\n", 4, 1, "osx-arm64"},
        {"version: 3\nmetadata: {}\npackage: []\n", 1, 10, "version that is not known"},
        {"version: 1\nmetadata: {}\npackage:\n- {name: a, manager: conda, platform: @P@}\n", 4, 3, "must have a name"},
        {"version: 1\nmetadata: {}\npackage:\n- a\n", 4, 3, "must have a name"},
        {"version: 1\nmetadata: {}\npackage:\n- {name: -r x, version: 1, manager: pip, platform: @P@}\n", 4, 3, "no name"},
        {"version: 1\nmetadata: {}\npackage:\n- {name: a, version: 1, manager: npm, platform: @P@}\n", 4, 3, "npm"},
        {"version: 1\nmetadata: {}\npackage: []\nversion: 1\n", 4, 1, "given twice"},
    };
    check_good(rows, sizeof rows / sizeof *rows);
    check_bad(faults, sizeof faults / sizeof *faults);
}
END_TEST

#define CUDART CHANNEL "/@P@/cuda-cudart-12.6.77-h5888daf_0.conda"
#define OLD CHANNEL "/@P@/cuda-cudart-11.8.89-h0_0.conda"

START_TEST(pixi_lock)
{
    static const struct good rows[] = {
        {"pixi-lock",
         "version: 6\nenvironments:\n  default:\n    channels:\n    - url: " CHANNEL "/\n    packages:\n      @Q@:\n"
         "      - conda: " OLD "\n      @P@:\n      - conda: " CUDART "\n      - pypi: https://h.example.org/sdist.tar.gz\n"
         "      - pypi: ./here\n"
         "  old:\n    packages:\n      @P@:\n      - conda: " OLD "\n"
         "packages:\n- conda: " CUDART "\n- conda: " OLD "\n"
         "- pypi: https://h.example.org/sdist.tar.gz\n  name: nvidia-cuda-runtime-cu12\n  version: 12.6.68\n",
         "cuda-cudart 12.6.77 h5888daf_0 conda-forge 10:9; "
         "nvidia-cuda-runtime-cu12 ==12.6.68 - https://h.example.org/sdist.tar.gz 11:9",
         "12.6", "other-environments"},
        /* Version 4 and 5 say kind, name and version. */
        {"pixi-lock",
         "version: 5\nenvironments:\n  gpu:\n    channels: []\n    packages:\n      @P@:\n      - conda: " CUDART "\n"
         "packages:\n- kind: conda\n  name: cuda-cudart\n  version: 12.6.77\n  url: " CUDART "\n",
         "cuda-cudart 12.6.77 h5888daf_0 conda-forge 7:9", "12.6", NULL},
        /* Version 7 names platforms, and builds from sources. */
        {"pixi-lock",
         "version: 7\nplatforms:\n- name: gpu\n  subdir: @P@\n  virtual-packages: [__unix=0=0, __cuda=12.4=0]\n- name: @Q@\nenvironments:\n  default:\n    packages:\n"
         "      gpu:\n      - conda: " CUDART "\n      - conda_source: mine[0a1b] @ .\n      @Q@:\n      - conda: " OLD "\n"
         "packages: []\n",
         "__cuda >=12.4 - - 5:34; cuda-cudart 12.6.77 h5888daf_0 conda-forge 11:9", "12.6", NULL},
        {"pixi-lock", "version: 6\nenvironments:\n  default:\n    packages: {}\npackages: []\n", "", NULL, NULL},
    };
    static const struct bad faults[] = {
        {"version: 6\nenvironments:\n  default:\n    packages:\n      @P@:\n      - conda: " CHANNEL "/@P@/a=b-1-0.conda\npackages: []\n",
         6, 9, "no name"},
        {"version: 3\nenvironments: {}\npackages: []\n", 1, 10, "4 to 7"},
        {"version: 6\nenvironments: {}\npackages: []\n", 2, 15, "no environment"},
        {"version: 6\nenvironments:\n  a: {}\n  b: {}\npackages: []\n", 3, 3, "a, b"},
        {"version: 6\nenvironments:\n  default:\n    packages:\n      @Q@: []\npackages: []\n", 5, 7, "only for osx-arm64"},
        {"version: 6\nenvironments:\n  default: x\npackages: []\n", 3, 12, "must have packages"},
        {"version: 6\nenvironments:\n  default:\n    packages:\n      @P@:\n      - kind: x\npackages: []\n", 6, 9, "conda: ADDRESS"},
        {"version: 7\nplatforms:\n- {name: a, subdir: @P@}\n- {name: b, subdir: @P@}\nenvironments:\n  default:\n    packages:\n"
         "      a: []\n      b: []\npackages: []\n", 8, 7, "a, b"},
        {"version: 6\nenvironments:\n  default:\n\tpackages: {}\npackages: []\n", 4, 1, "tab"},
    };
    check_good(rows, sizeof rows / sizeof *rows);
    check_bad(faults, sizeof faults / sizeof *faults);
}
END_TEST

#define WORKSPACE "[workspace]\nchannels = [\"conda-forge\"]\nplatforms = [\"@P@\", \"@Q@\"]\n"

START_TEST(pixi_manifest)
{
    static const struct good rows[] = {
        {"pixi",
         WORKSPACE "[dependencies]\ncuda-version = \"12.4.*\" # why\nzlib = \"*\"\n"
         "pytorch = { version = \">=2.4\", build = \"cuda12*\", channel = \"conda-forge\" }\n"
         "[dependencies.cudnn]\nversion = \">=9,<10\"\n",
         "cuda-version 12.4.* - - 5:1; zlib * - - 6:1; pytorch >=2.4 cuda12* conda-forge 7:1; cudnn >=9,<10 - - 8:15",
         "12.4", NULL},
        /* The driver's release is no pin of the runtime. */
        {"pixi", WORKSPACE "[system-requirements]\ncuda = \"12\"\n[dependencies]\ncuda-version = \"11.8.*\"\n",
         "cuda-version 11.8.* - - 7:1; __cuda >=12 - - 5:1", "11.8", NULL},
        {"pixi", "[workspace]\nplatforms = [{ cuda = { driver = \"12.8\" }, platform = \"@P@\", name = \"gpu\" }]\n"
                 "[target.gpu.dependencies]\ncuda-version = \"12.6.*\"\n",
         "__cuda >=12.8 - - 2:16; cuda-version 12.6.* - - 4:1", "12.6", NULL},
        {"pixi", "[workspace]\nplatforms = [\"@P@\", { platform = \"@P@\", name = \"gpu\" }]\n"
                 "[dependencies]\ncuda-version = \">=12\"\n[target.gpu.dependencies]\ncuda-version = \"12.6.*\"\n",
         "cuda-version >=12 - - 4:1", ">=12", "several-platforms"},
        {"pixi", "[project]\nchannels = []\nplatforms = [\"@Q@\"]\n", "", NULL, "other-platforms"},
        /* The table of the platform replaces the general one. */
        {"pixi", WORKSPACE "[target.@P@.dependencies]\ncuda-version = \"12.6.*\"\n[target.@Q@.dependencies]\n"
                           "cuda-version = \"10.2\"\n[dependencies]\ncuda-version = \"12.4.*\"\n[target.linux.dependencies]\n"
                           "cuda-version = \"12.5.*\"\n",
         "!cuda-version 12.4.* - - 9:1; !cuda-version 12.5.* - - 11:1; cuda-version 12.6.* - - 5:1", "12.6", NULL},
        /* Features that pin differently are kept apart. */
        {"pixi", WORKSPACE "[feature.old.dependencies]\ncuda-version = \"11.8.*\"\n[feature.new.dependencies]\n"
                           "cuda-version = \"12.6.*\"\n[feature.new.system-requirements]\ncuda = \"12\"\n"
                           "[environments]\ndefault = [\"new\"]\nold = { features = [\"old\"] }\n",
         "!cuda-version 11.8.* - - 5:1; cuda-version 12.6.* - - 7:1; __cuda >=12 - - 9:1", "12.6", "other-features"},
        {"pixi", WORKSPACE "[dependencies]\ncuda-version = \"11.8.*\"\n[feature.new.dependencies]\ncuda-version = \"12.6.*\"\n"
                           "[environments]\ndefault = { features = [\"new\"], no-default-feature = true }\n",
         "!cuda-version 11.8.* - - 5:1; cuda-version 12.6.* - - 7:1", "12.6", NULL},
        {"pixi", WORKSPACE "[feature.mac]\nplatforms = [\"@Q@\"]\ndependencies = { cuda-version = \"11.8\" }\n[environments]\n"
                           "default = [\"mac\"]\n",
         "!cuda-version 11.8 - - 6:18", NULL, "other-features"},
        {"pixi", WORKSPACE "[pypi-dependencies]\ntorch = { version = \"==2.4.0\", index = \"https://h.example.org/whl/cu118\" }\n"
                           "jax = { version = \">=0.4\", extras = [\"cuda12\", \"k8s\"] }\nnumpy = \"*\"\n"
                           "x = { git = \"https://h.example.org/x.git\" }\nme = { path = \".\", editable = true }\n"
                           "old = \"1.0\"\n",
         "torch ==2.4.0 - - 5:1; - - - https://h.example.org/whl/cu118 5:1; jax >=0.4 - - 6:1; numpy - - - 7:1; "
         "x - - git+https://h.example.org/x.git 8:1; me - - . 9:1; - - - - 10:1",
         "11.8", NULL},
        {"pixi", WORKSPACE "[pypi-options]\nextra-index-urls = [\"https://h.example.org/whl/cu124\"]\n[pypi-dependencies]\n"
                           "torch = \"==2.4.0\"\n",
         "torch ==2.4.0 - - 7:1; - - - https://h.example.org/whl/cu124 5:21", "12.4", NULL},
        {"pixi", "[workspace]\nchannels = [\"" CHANNEL "/\", { channel = \"nvidia/label/cuda-12.4.1\", priority = 1 }]\n"
                 "platforms = [\"@P@\"]\n[dependencies]\ncuda-toolkit = \"*\"\n",
         "cuda-toolkit * - - 5:1", "12.4", NULL},
        /* Inline tables over several lines; conditions, which are not weighed. */
        {"pixi", WORKSPACE "pypi-options = { index-url = \"https://h.example.org/whl/cu118\" }\n[dependencies]\n"
                           "cuda-version = {\n  version = \"12.6.*\",\n  when = \"__cuda\", # why\n}\n"
                           "\"if(linux)\" = { cudnn = \"9\" }\n[pypi-dependencies]\ntorch = \"==2.4.0\"\n",
         "- - - https://h.example.org/whl/cu118 4:30; !cuda-version 12.6.* - - 6:1; torch ==2.4.0 - - 12:1", "11.8",
         "conditional-dependencies"},
    };
    static const struct bad faults[] = {
        {WORKSPACE "[dependencies]\ncuda-version = 12.10\n", 5, 16, "write cuda-version = \"12.10\""},
        {WORKSPACE "[dependencies]\ncuda-version = [\"12\"]\n", 5, 16, "must be a text"},
        {WORKSPACE "[dependencies]\ncuda-version = { version = 12 }\n", 5, 28, "version = \"12\""},
        {WORKSPACE "[dependencies]\na = \"1\"\nb = \"1\"\na = \"2\"\n", 7, 0, "redefine"},
        {WORKSPACE "[dependencies]\n\"-r x\" = \"1\"\n", 5, 1, "no name"},
        {WORKSPACE "[dependencies]\na = \"1\n", 5, 0, "string"},
        {"dependencies = 1\n" WORKSPACE, 1, 16, "must be a table"},
        {"[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\n", 1, 1, "neither pixi"},
        {"[workspace]\nmembers = [\"a\"]\n", 1, 1, "neither pixi"},
    };
    check_good(rows, sizeof rows / sizeof *rows);
    check_bad(faults, sizeof faults / sizeof *faults);
}
END_TEST

START_TEST(pyproject)
{
    static const struct good rows[] = {
        {"pyproject", "[project]\nname = \"x\"\ndependencies = [\n  \"torch==2.4.0+cu124 ; sys_platform == 'linux'\",\n"
                      "  \"numpy>=1\",\n]\n[project.optional-dependencies]\nold = [\"torch==2.4.0+cu118\"]\n",
         "torch ==2.4.0+cu124 - - 4:3; numpy >=1 - - 5:3; !torch ==2.4.0+cu118 - - 8:8", "12.4", "other-extras"},
        {"pyproject", "[project]\nname = \"x\"\n", "", NULL, NULL},
        {"pyproject", "[project]\nname = \"x\"\ndynamic = [\"dependencies\"]\n", "", NULL, "dynamic-dependencies"},
        {"pyproject", "[project]\ndependencies = [\"torch==2.4.0\"]\n[tool.uv.sources]\ntorch = { index = \"pt\" }\n"
                      "[[tool.uv.index]]\nname = \"pt\"\nurl = \"https://h.example.org/whl/cu121\"\n",
         "torch ==2.4.0 - - 2:17; - - - https://h.example.org/whl/cu121 7:7", "12.1", NULL},
        {"pyproject", "[project]\ndependencies = [\"torch==2.4.0\"]\n[tool.uv.sources]\ntorch = [\n"
                      "  { index = \"cpu\", marker = \"sys_platform == 'darwin'\" },\n"
                      "  { index = \"old\", extra = \"old\" },\n"
                      "  { index = \"pt\", marker = 'platform_system == \"Linux\"' },\n]\n"
                      "[[tool.uv.index]]\nname = \"old\"\nurl = \"https://h.example.org/whl/cu118\"\n"
                      "[[tool.uv.index]]\nname = \"pt\"\nurl = \"https://h.example.org/whl/cu124\"\n",
         "torch ==2.4.0 - - 2:17; - - - https://h.example.org/whl/cu124 14:7", "12.4", NULL},
        {"pyproject", "[project]\ndependencies = []\n[tool.uv.sources]\ntorch = [{ index = \"a\" }, { index = \"b\" }]\n", "",
         NULL, "several-indexes"},
        {"pyproject", "[project]\ndependencies = [\"numpy\"]\n[project.optional-dependencies]\ngpu = [\"torch==2.4.0+cu124\"]\n"
                      "[tool.pixi.workspace]\nchannels = [\"conda-forge\"]\nplatforms = [\"@P@\"]\n"
                      "[tool.pixi.dependencies]\ncuda-version = \"12.4.*\"\n[tool.pixi.environments]\ndefault = [\"gpu\"]\n"
                      "[dependency-groups]\ndev = [\"torch==2.1.0+cu118\", { include-group = \"x\" }]\n",
         "cuda-version 12.4.* - - 9:1; numpy - - - 2:17; torch ==2.4.0+cu124 - - 4:8; !torch ==2.1.0+cu118 - - 13:8",
         "12.4", "other-extras"},
    };
    static const struct bad faults[] = {
        {"[project]\ndependencies = \"torch\"\n", 2, 16, "must be a list"},
        {"[project]\ndependencies = [1]\n", 2, 17, "text of a requirement"},
        {"[project]\ndependencies = [\"-r /etc/hostname\"]\n", 2, 17, "text of a requirement"},
        {"[project]\noptional-dependencies = [\"a\"]\n", 2, 25, "table of lists"},
        {"[tool.poetry]\nname = \"x\"\n", 1, 1, "neither pixi"},
        {"[build-system]\nrequires = []\n", 1, 1, "neither pixi"},
    };
    check_good(rows, sizeof rows / sizeof *rows);
    check_bad(faults, sizeof faults / sizeof *faults);
}
END_TEST

START_TEST(toml_by_content)
{
    static const struct {
        const char *content;
        bool wanted;
    } rows[] = {
        {"[project]\n", true}, {"# c\n\n[[a.\"b c\"]] # d\n", true}, {"name = \"x\"\n", true}, {"a.b = [1]\n", true},
        {"version = 6\n[a]\n", true}, {"version = 6\n", false}, {"torch==2.4.0\n[a]\n", false}, {"torch = 2.4\n", false},
        {"name: x\n", false}, {"- a = \"b\"\n", false}, {"[a, b]\n", false}, {"[]\n", false}, {"", false},
        {"{a = 1}\n", false}, {"numpy\n", false}, {"@EXPLICIT\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(is_toml(str_of(rows[i].content)) == rows[i].wanted, "%s", rows[i].content);
    /* The name decides only where the content leaves it open. */
    _cleanup_arena_ struct arena *arena = arena_new();
    struct spec spec;
    struct err err;
    ck_assert(!parse(arena, "pixi.toml", "version = 6\n", &spec, &err) && strstr(err.why, "neither pixi"));
    ck_assert(parse(arena, "environment.yml", WORKSPACE, &spec, &err));
    ck_assert(parse(arena, "pixi.toml", "@EXPLICIT\n", &spec, &err));
}
END_TEST

static const char *repeated(struct arena *arena, const char *what, size_t n, const char *end)
{
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n; i++)
        text_add(&text, "%s", what);
    text_add(&text, "%s", end);
    return text.s;
}

START_TEST(toml_limits)
{
    static const struct {
        const char *start, *what;
        size_t n;
        const char *end, *why;
    } rows[] = {
        {"[x]\n", "a.", 100, "b = 1\n", "64 levels"}, {"[x]\na = ", "[", 5000, "", "64 levels"},
        {"[x]\n", "\"!\".", 100000, "b = 1\n", "64 levels"}, {"[", "a.", 100, "b]\n", "64 levels"},
        {"[x]\na = [", "1,", 300000, "]\n", "200,000 nodes"}, {"[x]\na = ", "{a=", 5000, "", "64 levels"},
        {"[x]\na = '''x'''''\nb = { c = \"\\\"\", ", "\"!\".", 100, "b = 1}\n", "64 levels"},
        {"[x]\na = \"\"\"\n'''\"\"\"\nb = '\\'\n", "'!'.", 100, "b = 1\n", "64 levels"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        struct spec spec;
        struct err err;
        const char *text = arena_printf(arena, "%s%s", rows[i].start, repeated(arena, rows[i].what, rows[i].n, rows[i].end));
        ck_assert(!spec_parse(arena, data_new(arena, NULL), "-", str_of(text), &spec, &err));
        ck_assert_msg(strstr(err.why, rows[i].why) && err.line, "row %zu: %s", i, err.why);
    }
}
END_TEST

/* Dots and brackets in strings and comments are no levels; text stays as it is written. */
START_TEST(toml_tree_as_written)
{
    static const char text[] = "# [[[[\n[t]\na = \"........[[[[\\u00e9\"\nb = 1_000 # c\nc.d = [true, 1.50]\n"
                               "e = '''\nx\n'''\nf = 1979-05-27T07:32:00Z\n\"\xc3\xa9\" = 2.10\n";
    static const struct {
        const char *key, *text;
        bool is_bare;
        unsigned line, column;
    } rows[] = {
        {"a", "........[[[[\xc3\xa9", false, 3, 5}, {"b", "1_000", true, 4, 5}, {"c", NULL, false, 5, 1},
        {"e", "x\n", false, 6, 5}, {"f", "1979-05-27T07:32:00Z", true, 9, 5}, {"\xc3\xa9", "2.10", true, 10, 7},
    };
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct node *root;
    ck_assert_msg(toml_tree(arena, "-", str_of(text), &root, &err), "%s", err.why);
    const struct node *table = yaml_value(root, "t");
    ck_assert_uint_eq(table->keys.n, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < table->keys.n; i++) {
        const struct node *value = table->items.v[i];
        ck_assert_str_eq(table->keys.v[i]->text, rows[i].key);
        ck_assert_msg(!rows[i].text || strcmp(value->text, rows[i].text) == 0, "%s: %s", rows[i].key, value->text);
        ck_assert_msg(!rows[i].text || value->is_bare == rows[i].is_bare, "%s", rows[i].key);
        ck_assert_msg(!rows[i].text || (value->line == rows[i].line && value->column == rows[i].column), "%s: %u:%u",
                      rows[i].key, value->line, value->column);
    }
    const struct node *list = yaml_value(yaml_value(table, "c"), "d");
    ck_assert_str_eq(list->items.v[0]->text, "true");
    ck_assert_str_eq(list->items.v[1]->text, "1.50");
}
END_TEST

START_TEST(says_when_the_module_is_missing)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct spec spec;
    struct err err;
    setenv("CONDAGPU_PKGLIBDIR", "/nonexistent", 1);
    ck_assert(!parse(arena, "pixi.toml", WORKSPACE, &spec, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert(strstr(err.why, "TOML reader") && strstr(err.mend, "/nonexistent/condagpu-toml.so"));
}
END_TEST

START_TEST(says_when_built_without)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct spec spec;
    struct err err;
    ck_assert(!parse(arena, "pixi.toml", WORKSPACE, &spec, &err));
    ck_assert(strstr(err.why, "built without") && strstr(err.mend, "--without-toml"));
}
END_TEST

int main(void)
{
    const TTest *const all[] = {
        conda_lock, pixi_lock, toml_by_content, pixi_manifest, pyproject, toml_limits, toml_tree_as_written,
        says_when_the_module_is_missing, NULL,
    };
    const TTest *const without[] = {conda_lock, pixi_lock, says_when_built_without, NULL};
#ifdef HAVE_TOML
    (void)without;
    return unit_run(unit_suite("lock", all));
#else
    (void)all;
    return unit_run(unit_suite("lock", without));
#endif
}
