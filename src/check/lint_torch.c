/* torch: its variants, and what goes with what. */
#include <string.h>

#include "check/lint_rule.h"
#include "util/path.h"

static const char *const index_options[] = {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", NULL};

/* The row of torch_cuda.tsv for a release (2.1 is 2.1.0), or table->rows: its cells name one or a range, 2.1.0-2.1.2. */
static size_t torch_row(const struct table *torch, struct str version)
{
    struct release wanted, first, last;
    size_t row = torch->rows;
    if (!release_parse(version, &wanted))
        return row;
    wanted.patch = wanted.patch < 0 ? 0 : wanted.patch;
    for (row = 0; row < torch->rows; row++) {
        struct str span = str_of(table_cell(torch, row, "torch"));
        if (release_parse_span(str_slice(span, 0, str_find(span, ' ')), &first, &last)
            && release_cmp(wanted, first) >= 0 && release_cmp(wanted, last) <= 0)
            break;
    }
    return row;
}

/* Whether one of the words in `list` ("cu118,cu121", "pytorch-cuda=11.8,12.1", "11.8,12.4 (LAST)") is `word`. */
static bool has_word(const char *list, const char *word)
{
    for (const char *at = list; (at = strstr(at, word)); at++) {
        char before = at == list ? ',' : at[-1], behind = at[strlen(word)];
        if (strchr(",= (", before) && (behind == '\0' || strchr(", ()", behind)))
            return true;
    }
    return false;
}

/* The one version of "==2.4.0+cu121", or an empty view. */
static struct str exact_version(const struct dep *dep)
{
    struct str version = str_of(dep->version);
    if (!str_starts(version, "==") || str_find(version, ',') < version.n || str_ends(version, "*"))
        return (struct str){"", 0};
    return str_trim(str_slice(version, str_starts(version, "===") ? 3 : 2, version.n));
}

/* Only download.pytorch.org is known here: another index may hold what it likes. */
static void look_at_wheel(struct linting *l, const struct dep *dep)
{
    struct str version = exact_version(dep);
    size_t plus = str_find(version, '+');
    struct str variant = str_slice(version, plus + 1, version.n);
    const struct dep *index = lint_pip_option(l, index_options);
    if (!str_starts(variant, "cu"))
        return;
    if (!index)
        lint_dep(l, "local-version", STATUS_FAIL, dep,
                 arena_printf(l->arena, "add \"--extra-index-url https://download.pytorch.org/whl/%.*s\" to the pip list",
                              (int)variant.n, variant.s),
                 "PyPI has no %s: it holds no versions with a +, and no other index is named", dep->text);
    size_t row = strcmp(dep->name, "torch") == 0 ? torch_row(l->torch, str_slice(version, 0, plus)) : l->torch->rows;
    if (row == l->torch->rows || (index && !strstr(index->text, "download.pytorch.org")))
        return;
    const char *variants = table_cell(l->torch, row, "whl_variants");
    if (variants && !has_word(variants, str_dup(l->arena, variant)))
        lint_dep(l, "torch-variant", STATUS_FAIL, dep, arena_printf(l->arena, "it was built for %s", variants),
                 "torch %.*s was never built for %.*s", (int)plus, version.s, (int)variant.n, variant.s);
}

/* "2.1" of pytorch=2.1, pytorch==2.1.0, pytorch=2.1.0=build; empty for a range. */
static struct str leading_release(const struct dep *dep)
{
    struct str version = str_of(dep->version);
    if (str_ends(version, ".*"))
        version.n -= 2;
    while (str_starts(version, "="))
        version = str_slice(version, 1, version.n);
    struct release release;
    return release_parse(version, &release) ? version : (struct str){"", 0};
}

/* pytorch=2.0 with pytorch-cuda=12.1: both exist, but not for each other. */
static void look_at_pytorch_cuda(struct linting *l, const struct dep *cuda, const struct dep *torch)
{
    struct str channel = lint_channel(torch->channel), release = leading_release(torch), of = leading_release(cuda);
    if (lint_within(l->arena, torch, ">=2.6") || str_eq_c(channel, "conda-forge")) {
        struct result *result = lint_dep(l, "pytorch-cuda-unused", STATUS_WARN, cuda,
                                         "pin cuda-version for conda-forge's pytorch",
                                         "%s selects no build of %s: only pytorch of channel pytorch, up to 2.5.1, "
                                         "depends on it", cuda->text, torch->text);
        lint_also(l, result, torch);
        return;
    }
    struct release minor = RELEASE_NONE;
    size_t row = release.n && release_parse(of, &minor) ? torch_row(l->torch, release) : l->torch->rows;
    const char *built = row < l->torch->rows ? table_cell(l->torch, row, "pytorch_channel_cuda") : NULL;
    const char *wanted = release_text(l->arena, (struct release){minor.major, minor.minor, -1});
    if (!built || minor.minor < 0 || !strstr(built, "pytorch-cuda=") || has_word(built, wanted))
        return;
    struct result *result = lint_dep(l, "torch-variant", STATUS_FAIL, cuda,
                                     arena_printf(l->arena, "channel pytorch has it for %s", built),
                                     "%s was never built for CUDA %s", torch->text, wanted);
    lint_also(l, result, torch);
}

/* cpuonly, torch==2.4.0+cpu, or a build string with cpu of a package whose build string can name CUDA: many others
 * (arrow, faiss) have builds for CPUs that go well with CUDA. */
static bool is_cpu_build(const struct linting *l, const struct dep *dep)
{
    if (dep->manager == MANAGER_PIP)
        return strcmp(dep->name, "torch") == 0 && str_ends(exact_version(dep), "+cpu");
    if (strcmp(dep->name, "cpuonly") == 0)
        return true;
    if (!dep->build || !strstr(dep->build, "cpu") || strstr(dep->build, "cuda"))
        return false;
    size_t row = table_find(l->packages, "package", dep->name);
    return row < l->packages->rows && strcmp(table_cell(l->packages, row, "reads"), "build") == 0;
}

static void look_at_cpu(struct linting *l, const struct dep *dep)
{
    for (size_t i = 0; i < l->spec->pins.n; i++) {
        const struct pin *pin = &l->spec->pins.v[i];
        if (pin->dropped || pin->manager != MANAGER_CONDA)
            continue;
        struct result *result = lint_dep(l, "cpu-build", STATUS_WARN, dep, "drop one of the two",
                                         "%s asks for a build without CUDA, and %s pins CUDA %s", dep->text, pin->text,
                                         pin->release);
        *vec_add(l->arena, &result->evidence) = (struct evidence){pin->text, pin->file, pin->line, pin->column};
        return;
    }
}

static bool brings_nvcc(const struct dep *dep)
{
    static const char *const names[] = {"cuda", "cuda-toolkit", "cuda-compiler", "cudatoolkit-dev", "cuda-dev", NULL};
    if (strstr(dep->name, "nvcc"))
        return true;
    for (const char *const *name = names; dep->manager == MANAGER_CONDA && *name; name++)
        if (strcmp(*name, dep->name) == 0)
            return true;
    return false;
}

/* The name of a dependency, or the last word of the address that stands in its place. */
static const char *name_or_address(struct arena *arena, const struct dep *dep)
{
    if (dep->name || !dep->channel)
        return dep->name ? dep->name : "";
    struct str text = str_of(path_basename(dep->channel));
    text = str_slice(text, 0, str_find(text, '#'));
    text = str_slice(text, 0, str_find(text, '@'));
    if (str_ends(text, ".git"))
        text.n -= 4;
    return str_lower(arena, text);
}

/* A wheel is there already: by its address, or by a version such as 1.6.3+pt24cu121. */
static bool is_wheel(const struct dep *dep)
{
    return (dep->version && strchr(dep->version, '+')) || (dep->channel && str_ends(str_of(dep->channel), ".whl"));
}

static void look_at_compiled(struct linting *l)
{
    bool nvcc = false;
    for (size_t i = 0; i < l->spec->deps.n; i++)
        nvcc |= l->spec->deps.v[i].name && brings_nvcc(&l->spec->deps.v[i]);
    for (size_t i = 0; i < l->spec->deps.n && !nvcc && l->spec->pins.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        if (dep->manager != MANAGER_PIP || dep->dropped || is_wheel(dep))
            continue;
        size_t row = table_find(l->compile, "package", name_or_address(l->arena, dep));
        if (row == l->compile->rows)
            continue;
        const char *unless = table_cell(l->compile, row, "unless");
        if (unless && lint_pip_option(l, (const char *const[]){unless, NULL}))
            continue;
        lint_dep(l, "no-compiler", STATUS_WARN, dep, "add cuda-nvcc of the pinned release (CUDA 11: nvcc_linux-64)",
                 "%s may be compiled, and nothing here brings nvcc: %s", dep->text,
                 table_cell(l->compile, row, "why"));
        return;
    }
}

void lint_torch(struct linting *l)
{
    const struct dep *cuda = lint_dep_named(l, MANAGER_CONDA, "pytorch-cuda");
    const struct dep *conda = lint_dep_named(l, MANAGER_CONDA, "pytorch"), *pip = lint_dep_named(l, MANAGER_PIP, "torch");
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        if (!dep->name || dep->dropped || dep->problem)
            continue;
        if (dep->manager == MANAGER_PIP && str_starts(str_of(dep->name), "torch"))
            look_at_wheel(l, dep);
        if (is_cpu_build(l, dep))
            look_at_cpu(l, dep);
    }
    if (cuda && conda)
        look_at_pytorch_cuda(l, cuda, conda);
    if (conda && pip && pip->version) { /* what conda installed satisfies a plain "torch" */
        struct result *result = lint_dep(l, "torch-twice", STATUS_WARN, pip, "keep one of them",
                                         "pip may install %s over conda's %s", pip->text, conda->text);
        lint_also(l, result, conda);
    }
    look_at_compiled(l);
}
