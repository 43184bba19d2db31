/* What environment files ask for, and how conda reads a match spec: our own rows always, the corpus where it is. */
#include <stdio.h>
#include <string.h>

#include "spec/matchspec.h"
#include "unit.h"
#include "util/file.h"

static struct arena *arena;
static struct data *data;

/* The file's pin as one text: "12.4", ">=11.8", "none", "conflict". */
static const char *asked_for(const char *file, struct str content)
{
    struct spec spec;
    struct err err;
    if (!spec_parse(arena, data, file, content, &spec, &err))
        return "refused";
    if (spec.conflicts.n)
        return "conflict";
    if (!spec.has_effective)
        return "none";
    return spec.effective_text;
}

static const struct own {
    const char *dependencies, *wanted;
} own[] = {
    {"- cuda-version=12.4", "12.4"},
    {"- cuda-version 12.4.*", "12.4"},
    {"- cudatoolkit=10.2.89=h8f6ccaa_8", "10.2"},
    {"- cudatoolkit=10", ">=10,<11"},
    {"- cudatoolkit", "none"},
    {"- conda-forge::cudatoolkit ==11.3.1  # why not", "11.3"},
    {"- pytorch:pytorch-cuda=11.8", "11.8"},
    {"- cuda-toolkit=12.4.1", "12.4"},
    {"- cuda-cudart=12.4.127", "12.4"},
    {"- nvidia/label/cuda-12.1.0::cuda-toolkit", "12.1"},
    {"- cuda-version>=12.2,<12.6", ">=12.2,<12.6"},
    {"- cuda-version>12", ">12"},
    {"- pytorch=2.0=py3.10_cuda11.7_cudnn8.5.0_0", "11.7"},
    {"- pytorch=*=*cuda126*", ">=12.6,<13"},
    {"- cuda-version=12.8\n  - pytorch=*=*cuda126*", "12.8"},
    {"- cudatoolkit=11.3\n  - cuda-version=12.4", "conflict"},
    {"- cudatoolkit=8.0=3\n  - pytorch=0.4.0=py35_cuda9.0.176_cudnn7.1.2_1", "conflict"},
    {"- cuda-version=12.6\n  - cuda-cudart=12.1.105", "conflict"},
    {"- cuda-version=12.4\n  - cuda-version>=12.6", "conflict"},
    {"- cuda-version=12.4|12.6", "12.4 or 12.6"},
    {"- cuda-version 12.6.*|12.4.*", "12.4 or 12.6"},
    {"- cuda-version=12.4|>=12.6,<12.8", "12.4 or >=12.6,<12.8"},
    {"- cuda-version=11.8|>=12", "11.8 or >=12"},
    {"- cuda-version=12.4|12.4.*|>=12.3,<12.5", ">=12.3,<12.5"},
    {"- cuda-version=12.4|*", "none"},
    {"- cuda-cudart=12.4.99|12.4.127", "12.4"},
    {"- cuda-version=12.4|12.6\n  - cuda-version>=12.5", "12.6"},
    {"- cuda-version=12.4|12.6|12.8\n  - cuda-toolkit=12.2|12.6|12.8", "12.6 or 12.8"},
    {"- cuda-version=12.4|12.6\n  - cuda-version=12.5", "conflict"},
    {"- cuda-version=12.4|12.6\n  - cuda-version>=12.7", "conflict"},
    {"- cuda-version=12.4|12.6\n  - cuda-version=12.6", "12.6"},
    {"- cuda-version<12\n  - pytorch=*=*cuda126*", "<12"},
    {"- cuda-version=${CUDA}", "none"},
    {"- cuda-version=12.${MINOR}", "none"},
    {"- cuda-version={{ cuda }}", "none"},
    {"- pip:\n    - torch @ https://${T}@example.org/torch-2.4.0+cu124-cp311-cp311-linux_x86_64.whl", "12.4"},
    {"- pip:\n    - torch==${TORCH}", "none"},
    {"- pip:\n    - torch==2.4.0+cu124; sys_platform == 'win32'", "none"},
    {"- pip:\n    - torch==2.4.0+cu124; sys_platform == 'linux'", "12.4"},
    {"- python=3.11\n  - pip:\n    - torch==2.4.0+cu118; python_version < '3.9'\n"
     "    - torch==2.4.0+cu124; python_version >= '3.9'", "12.4"},
    {"- pip:\n    - torch==2.4.0+cu124; python_version < '3.9'", "12.4"},
    {"- gcc=12.4\n  - dgl-cuda11.1", "none"},
    {"- pytorch pytorch-cuda=12.1 torchvision", "none"},
    {"- pip:\n    - torch==2.4.0+cu124", "12.4"},
    {"- pip:\n    - torch==2.4.0+cpu", "none"},
    {"- pip:\n    - torch==2.3.1", "12.1"},
    {"- pip:\n    - torch>=2.3", "none"},
    {"- cuda-version=12.4\n  - pip:\n    - torch==2.3.1", "12.4"},
    {"- pip:\n    - --extra-index-url https://download.example.org/whl/cu117\n    - torch==2.0.1", "11.7"},
    {"- pip:\n    - nvidia-cuda-runtime-cu12==12.4.127", "12.4"},
    {"- pip:\n    - nvidia-cuda-runtime==13.0.96", "13.0"},
    {"- pip:\n    - cuda-toolkit[cudart]==13.0.2", "13.0"},
    {"- cudatoolkit=11.8\n  - pip:\n    - torch==2.4.0+cu124", "conflict"},
};

START_TEST(own_files_ask_for_what_a_careful_reader_says)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const char *text = arena_printf(arena, "dependencies:\n  %s\n", own[i].dependencies);
        ck_assert_msg(strcmp(asked_for("own.yml", str_of(text)), own[i].wanted) == 0, "%s: %s, not %s",
                      own[i].dependencies, asked_for("own.yml", str_of(text)), own[i].wanted);
    }
}
END_TEST

START_TEST(kinds_of_pins)
{
    static const struct { const char *dependency; enum pin_kind kind; } rows[] = {
        {"cuda-cudart=12.4.127", PIN_BUILD}, {"cuda-cudart=12.4", PIN_MINOR}, {"cuda-toolkit=12.4.1", PIN_RELEASE},
        {"cuda-version=12.4", PIN_MINOR}, {"cudatoolkit=11.3.1", PIN_MINOR}, {"cuda-version>=12", PIN_BOUND},
        {"cuda-version=12.4|12.6", PIN_BOUND},
        {"pytorch=*=*cuda126*", PIN_BOUND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec spec;
        struct err err;
        const char *text = arena_printf(arena, "dependencies:\n  - %s\n", rows[i].dependency);
        ck_assert(spec_parse(arena, data, "own.yml", str_of(text), &spec, &err));
        ck_assert_uint_eq(spec.pins.n, 1);
        ck_assert_msg(spec.pins.v[0].kind == rows[i].kind, "%s", rows[i].dependency);
        ck_assert_uint_eq(spec.pins.v[0].line, 2);
        ck_assert_uint_eq(spec.pins.v[0].column, 5);
    }
}
END_TEST

START_TEST(versions_in_conda_order)
{
    ck_assert_int_lt(conda_version_cmp("1.1dev1", "1.1"), 0);
    ck_assert_int_lt(conda_version_cmp("1.1a1", "1.1"), 0);
    ck_assert_int_gt(conda_version_cmp("1.1post1", "1.1"), 0);
    ck_assert_int_lt(conda_version_cmp("0.9.6", "0.960923"), 0);
    ck_assert_int_lt(conda_version_cmp("1996.07.12", "1!0.4.1"), 0);
    ck_assert_int_eq(conda_version_cmp("1.1", "1.1.0"), 0);
    ck_assert_int_gt(conda_version_cmp("1.1+1", "1.1"), 0);
    ck_assert_int_lt(conda_version_cmp("12.4", "12.10"), 0);
    ck_assert(conda_version_matches("12.4.*", "12.4.127"));
    ck_assert(!conda_version_matches("12.4.*", "12.40"));
    ck_assert(conda_version_matches(">=12,<13|11.8", "11.8"));
    ck_assert(!conda_version_matches(">=12,<13|11.8", "13.0"));
    ck_assert(conda_version_matches("~=2.3.1", "2.3.9"));
    ck_assert(!conda_version_matches("~=2.3.1", "2.4"));
    ck_assert(!conda_version_matches("!=12.4.*", "12.4.1"));
    ck_assert(conda_version_matches("*", "1"));
    ck_assert(conda_version_matches("11.8", "11.8.0"));
}
END_TEST

/* The corpus lies beside a checkout, not in it. */
static bool corpus(const char *name, struct str *content)
{
    const char *top = getenv("top_srcdir");
    struct err err;
    return file_read(arena, arena_printf(arena, "%s/../shared/corpus/%s", top ? top : ".", name), 16 * 1024 * 1024,
                     "corpus", content, &err);
}

static struct str column(struct str line, size_t index)
{
    struct str cell = {"", 0};
    for (size_t i = 0; i <= index; i++)
        if (!str_cut(&line, '\t', &cell))
            return (struct str){"", 0};
    return cell;
}

/* ">=11.8" where INDEX.tsv says so; "11.*" is ">=11,<12" in our words; a bound by a development version loses its tail. */
static bool is_range(const char *got, struct str range)
{
    struct release major;
    if (str_ends(range, ".*") && release_parse(str_slice(range, 0, range.n - 2), &major))
        return strcmp(got, arena_printf(arena, ">=%d,<%d", major.major, major.major + 1)) == 0;
    return strncmp(got, range.s, strlen(got)) == 0;
}

START_TEST(corpus_files_ask_for_what_their_index_says)
{
    struct str index, line, content;
    size_t count = 0;
    if (!corpus("good/INDEX.tsv", &index))
        return;
    str_cut(&index, '\n', &line);
    while (str_cut(&index, '\n', &line) && line.n) {
        const char *file = str_dup(arena, column(line, 0));
        struct str wanted = column(line, 5), range = str_trim(column(line, 8));
        ck_assert(corpus(arena_printf(arena, "good/%s", file), &content));
        const char *got = asked_for(file, content);
        bool good = strcmp(file, "133.yml") == 0       ? strcmp(got, "refused") == 0 /* no environment file at all */
            : str_starts(wanted, "conflict")           ? strcmp(got, "conflict") == 0
            : str_eq_c(wanted, "none") && range.n      ? is_range(got, range)
                                                       : str_eq_c(wanted, got);
        ck_assert_msg(good, "%s: %s, not %.*s %.*s", file, got, (int)wanted.n, wanted.s, (int)range.n, range.s);
        count++;
    }
    ck_assert_uint_gt(count, 90);
}
END_TEST

/* conda reads two items that list several packages as one with an odd version, and takes a blank in front, which YAML
 * never leaves there, for an empty name. */
static const char *const exceptions[] = {"monai-core pydicom nibabel opencv", "timm einops lpips scikit-image",
                                         " cudatoolkit=11.2"};

static bool is_exception(struct str text)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (str_eq_c(text, exceptions[i]))
            return true;
    return false;
}

static bool same(struct str wanted, const char *got)
{
    return str_eq(wanted, str_of(got));
}

START_TEST(match_specs_are_read_as_conda_reads_them)
{
    struct str index, line;
    size_t count = 0;
    if (!corpus("matchspec.tsv", &index))
        return;
    str_cut(&index, '\n', &line);
    while (str_cut(&index, '\n', &line) && line.n) {
        char *text = str_dup(arena, column(line, 0));
        if (is_exception(str_of(text)))
            continue;
        char *tab = strstr(text, "\\t");
        if (tab) {
            *tab = '\t';
            memmove(tab + 1, tab + 2, strlen(tab + 2) + 1);
        }
        struct dep dep = {.text = text};
        matchspec_parse(arena, &dep);
        bool good = column(line, 7).n ? dep.problem != NULL
                                      : !dep.problem && same(column(line, 2), dep.name) && same(column(line, 3), dep.version)
                && same(column(line, 4), dep.build) && same(column(line, 5), dep.channel)
                && same(column(line, 6), dep.subdir);
        ck_assert_msg(good, "%s: name %s version %s build %s channel %s subdir %s problem %s", text, dep.name, dep.version,
                      dep.build, dep.channel, dep.subdir, dep.problem);
        count++;
    }
    ck_assert_uint_gt(count, 400);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        own_files_ask_for_what_a_careful_reader_says,
        kinds_of_pins,
        versions_in_conda_order,
        corpus_files_ask_for_what_their_index_says,
        match_specs_are_read_as_conda_reads_them,
        NULL,
    };
    arena = arena_new();
    data = data_new(arena, NULL);
    int status = unit_run(unit_suite("good", tests));
    arena_free(arena);
    return status;
}
