#include "check/lint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint_rule.h"
#include "check/secret.h"
#include "spec/spec.h"

const struct check lint_rules[] = {
    {"invalid-file", "the file can be read",
     "What it means: the file is no YAML, no environment file, or there is none; the message has the place.\n\n"
     "How to mend it: as the message says. condagpu lint exits with 3.\n\n"
     "Source: YAML 1.1 as conda's reader takes it.",
     {NULL}, NULL},
    {"invalid-spec", "each dependency is one that its installer can read",
     "What it means: conda (or pip) stops at this line before it looks at any package.\n\n"
     "How to mend it: write NAME=VERSION for conda and NAME==VERSION for pip, one package an item.\n\n"
     "Source: conda's MatchSpec; PEP 508; pip's requirements file format.",
     {NULL}, NULL},
    {"several-specs", "each item names one package",
     "What it means: the item holds several words that look like packages. conda takes the first for the name and the "
     "second for its version, which no package has.\n\n"
     "How to mend it: give each package an item of its own.\n\n"
     "Source: conda's MatchSpec (\"name version build\").",
     {NULL}, NULL},
    {"never-published", "versions that are asked for exist",
     "What it means: no version that this line admits was ever published, in any channel or in none of the channels that "
     "the file names. Where conda's own settings (.condarc) may add a channel, it is a warning.\n\n"
     "Why it matters: the solver looks for minutes and then names other packages.\n\n"
     "How to mend it: the finding names what exists.\n\n"
     "Source: src/data/published.tsv and src/data/cuda_builds.tsv, which give the source of each row.",
     {NULL}, NULL},
    {"pin-conflict", "all pins of CUDA agree",
     "What it means: two lines ask for CUDA releases that cannot both be had.\n\n"
     "How to mend it: let both name one release; torch's wheel names its own by +cuNNN.\n\n"
     "Source: src/data/pin_packages.tsv and src/data/torch_cuda.tsv.",
     {NULL}, NULL},
    {"torch-variant", "torch was built for the CUDA that is asked for",
     "What it means: this release of torch exists, but not for this CUDA.\n\n"
     "How to mend it: take one of the variants that the finding names, or another release of torch.\n\n"
     "Source: src/data/torch_cuda.tsv.",
     {NULL}, NULL},
    {"local-version", "a version such as 2.4.0+cu121 has an index that holds it",
     "What it means: PyPI holds no versions with a +, and this file names no other index.\n\n"
     "How to mend it: add \"--extra-index-url https://download.pytorch.org/whl/cuNNN\" to the pip list. Where pip's own "
     "settings name the index, leave the rule out by --skip local-version.\n\n"
     "Source: PEP 440, local version identifiers; PyPI's upload rules.",
     {NULL}, NULL},
    {"lost-extra", "extras in brackets are known to the release that will come",
     "What it means: the newest release that this line admits no longer knows the extra. pip only warns and installs the "
     "package without it, which for jax is the build for CPUs.\n\n"
     "How to mend it: take the extra that took its place, or pin the release.\n\n"
     "Source: src/data/published.tsv.",
     {NULL}, NULL},
    {"pytorch-cuda-unused", "pytorch-cuda selects the pytorch that will come",
     "What it means: only pytorch of channel pytorch, up to 2.5.1, depends on pytorch-cuda. Beside any other pytorch it "
     "brings libraries and selects nothing.\n\n"
     "How to mend it: for conda-forge's pytorch pin cuda-version instead.\n\n"
     "Source: pytorch/pytorch#138506; rusty1s/pytorch_sparse#391.",
     {NULL}, NULL},
    {"cpu-build", "nothing asks for the CPU build beside a pin of CUDA",
     "What it means: cpuonly, or a build string with cpu, selects a torch without CUDA, and another line pins CUDA.\n\n"
     "How to mend it: drop one of the two.\n\n"
     "Source: pytorch/builder conda/pytorch-nightly; conda-forge/pytorch-cpu-feedstock.",
     {NULL}, NULL},
    {"torch-twice", "torch comes from one installer",
     "What it means: conda installs pytorch, and then pip installs torch over it. Which files win depends on the order, "
     "and the records of both remain.\n\n"
     "How to mend it: keep one of them.\n\n"
     "Source: conda env creates conda's part first, then calls pip.",
     {NULL}, NULL},
    {"no-compiler", "where something is compiled for CUDA, there is nvcc",
     "What it means: a package of this file compiles CUDA code, and the file brings libraries of CUDA but no nvcc. What "
     "the build finds then is the machine's own toolkit, of whatever release.\n\n"
     "How to mend it: add cuda-nvcc (CUDA 12 and later) or nvcc_linux-64 with cudatoolkit-dev (CUDA 11), of the pinned "
     "release.\n\n"
     "Source: src/data/cuda_compile.tsv.",
     {NULL}, NULL},
    {"comment-only", "what the comments say of CUDA is in the dependencies too",
     "What it means: a comment names a CUDA release, and no dependency pins one. The next solve may bring another.\n\n"
     "How to mend it: add \"- cuda-version=X.Y\".\n\n"
     "Source: the public environment files that this was found in.",
     {NULL}, NULL},
    {"literal-variable", "values below variables: need no expansion",
     "What it means: conda stores the values as they are: $CONDA_PREFIX, ~ and the like stay what they are.\n\n"
     "How to mend it: write the value out, or let condagpu init set the variable.\n\n"
     "Source: conda's activators quote each value of conda-meta/state.",
     {NULL}, NULL},
    {"secret", "nothing that looks like a credential stands in the file",
     "What it means: a token, a password in an address, or a variable that is by its name a secret. Environment files "
     "are shared, and conda keeps variables in conda-meta/state, readable to all.\n\n"
     "How to mend it: revoke it if the file was ever shared, and read it from outside: a credential helper, netrc, the "
     "CI's secrets.\n\n"
     "Source: src/data/secret.tsv.",
     {NULL}, NULL},
    {"several-pip-lists", "the file has one pip: list",
     "What it means: of several \"- pip:\" items conda keeps the last.\n\nHow to mend it: put all into one list.\n\n"
     "Source: conda env, reading of dependencies.",
     {NULL}, NULL},
    {"pip-not-indented", "pip's packages stand below - pip:",
     "What it means: they are written beside \"- pip:\", so conda looks for them itself.\n\n"
     "How to mend it: indent them.\n\nSource: YAML.",
     {NULL}, NULL},
    {"top-level-pip", "pip: stands below dependencies",
     "What it means: conda ignores the key at the top level.\n\nHow to mend it: move it.\n\nSource: conda env.",
     {NULL}, NULL},
    {"platforms-key", "the keys of the file are conda's",
     "What it means: conda ignores platforms; conda-lock reads it. No harm where that is meant.\n\n"
     "How to mend it: none is needed.\n\nSource: conda env; conda-lock.",
     {NULL}, NULL},
    {"unknown-key", "the keys of the file are conda's",
     "What it means: conda ignores the key.\n\nHow to mend it: the finding names the nearest key.\n\nSource: conda env.",
     {NULL}, NULL},
    {"requirements-missing", "the files of -r and -c are there",
     "What it means: a file that the pip list names cannot be read, so what it pins is not known.\n\n"
     "How to mend it: run condagpu lint where the files are.\n\nSource: pip's requirements file format.",
     {NULL}, NULL},
    {"requirements-elsewhere", "the files of -r and -c are local",
     "What it means: a file that the pip list names stands at an address; it is not fetched.\n\n"
     "How to mend it: fetch it and name the file, if what it pins matters.\n\nSource: pip's requirements file format.",
     {NULL}, NULL},
    {"unexpanded", "nothing is left to be expanded",
     "What it means: a variable or template stands in a dependency (${CUDA}, {{ cuda }}); conda expands none, and what pip "
     "puts in is not known here. The line pins nothing.\n\n"
     "How to mend it: write the version itself.\n\nSource: conda env; pip's requirements file format.",
     {NULL}, NULL},
    {"marker-unknown", "it is known whether the marker of a pin holds",
     "What it means: the marker asks for the version of python, and the file does not say which python comes. The line "
     "counts as a pin.\n\n"
     "How to mend it: pin python in the dependencies.\n\nSource: PEP 508.",
     {NULL}, NULL},
    {"marker-false", "what of a file counts here",
     "What it means: the marker of a line that names a CUDA release is false on this machine; it pins nothing here.\n\n"
     "How to mend it: none is needed.\n\nSource: PEP 508.",
     {NULL}, NULL},
    {"several-platforms", "one platform of the manifest is this machine's",
     "What it means: several platforms with names of their own stand for this kind of machine; only what they have in "
     "common counts.\n\n"
     "How to mend it: none is needed where they pin the same CUDA.\n\nSource: pixi's manifest.",
     {NULL}, NULL},
    {"other-platforms", "the manifest is for this platform",
     "What it means: this machine's platform is not among those of the manifest, so pixi would install nothing here.\n\n"
     "How to mend it: run condagpu where the environment is meant to be, or add the platform.\n\n"
     "Source: pixi's manifest.",
     {NULL}, NULL},
    {"several-indexes", "the index of torch is known",
     "What it means: which index torch comes from depends on a condition, and so does the CUDA it was built with.\n\n"
     "How to mend it: pin torch==A.B.C+cuXYZ.\n\nSource: uv's and pixi's sources of packages.",
     {NULL}, NULL},
    {"dynamic-dependencies", "the dependencies stand in the file",
     "What it means: the project finds its dependencies when it is built, so what they pin is not known here.\n\n"
     "How to mend it: give the file that they come from, or a lock file.\n\nSource: PEP 621, dynamic.",
     {NULL}, NULL},
    {"other-categories", "what of a lock file counts",
     "What it means: conda-lock.yml holds packages of other categories than main, which are not looked at.\n\n"
     "How to mend it: none is needed.\n\nSource: conda-lock's lock file format; condagpu(1), ENVIRONMENT FILES.",
     {NULL}, NULL},
    {"other-environments", "what of a lock file counts",
     "What it means: pixi.lock holds other environments than the default one, which are not looked at.\n\n"
     "How to mend it: none is needed.\n\nSource: pixi's lock file format; condagpu(1), ENVIRONMENT FILES.",
     {NULL}, NULL},
    {"other-features", "what of a manifest counts",
     "What it means: features that are no part of the default environment ask for packages; they do not count.\n\n"
     "How to mend it: none is needed.\n\nSource: pixi's manifest; condagpu(1), ENVIRONMENT FILES.",
     {NULL}, NULL},
    {"conditional-dependencies", "what of a manifest counts",
     "What it means: dependencies with a condition of their own do not count.\n\n"
     "How to mend it: none is needed.\n\nSource: pixi's manifest; condagpu(1), ENVIRONMENT FILES.",
     {NULL}, NULL},
    {"other-extras", "what of a project file counts",
     "What it means: extras and dependency groups that nothing chooses ask for packages; they do not count.\n\n"
     "How to mend it: none is needed.\n\nSource: PEP 621 and PEP 735; condagpu(1), ENVIRONMENT FILES.",
     {NULL}, NULL},
    {0},
};

static struct result *add(struct linting *l, const char *id, enum status status, const char *message, const char *mend)
{
    struct result *result = vec_add(l->arena, l->results);
    *result = (struct result){.id = id, .status = status, .message = message, .fix = mend};
    return result;
}

static struct evidence dep_place(const struct dep *dep)
{
    return (struct evidence){dep->text, dep->file, dep->line, dep->column};
}

struct result *lint_at(struct linting *l, const char *id, enum status status, struct evidence place, const char *mend,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct result *result = add(l, id, status, arena_vprintf(l->arena, format, args), mend);
    va_end(args);
    *vec_add(l->arena, &result->evidence) = place;
    return result;
}

struct result *lint_dep(struct linting *l, const char *id, enum status status, const struct dep *dep, const char *mend,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct result *result = add(l, id, status, arena_vprintf(l->arena, format, args), mend);
    va_end(args);
    *vec_add(l->arena, &result->evidence) = dep_place(dep);
    return result;
}

void lint_also(struct linting *l, struct result *result, const struct dep *dep)
{
    *vec_add(l->arena, &result->evidence) = dep_place(dep);
}

const struct dep *lint_dep_named(const struct linting *l, enum manager manager, const char *name)
{
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        if (dep->manager == manager && !dep->dropped && cstr_eq(dep->name, name))
            return dep;
    }
    return NULL;
}

const struct dep *lint_pip_option(const struct linting *l, const char *const *names)
{
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        if (dep->manager != MANAGER_PIP || dep->text[0] != '-')
            continue;
        for (const char *const *name = names; *name; name++)
            if (str_starts(str_of(dep->text), *name))
                return dep;
    }
    return NULL;
}

struct str lint_channel(const char *channel)
{
    static const char *const defaults[] = {"main", "r", "anaconda", "free", "msys2", NULL};
    struct str name = str_of(channel);
    size_t label = 0;
    while (label < name.n && !str_starts(str_slice(name, label, name.n), "/label/"))
        label++;
    name = str_slice(name, 0, label);
    while (str_ends(name, "/"))
        name.n--;
    size_t slash = name.n;
    while (slash > 0 && name.s[slash - 1] != '/')
        slash--;
    name = str_slice(name, slash, name.n);
    for (size_t i = 0; defaults[i]; i++)
        if (str_eq_c(name, defaults[i]))
            return STR("defaults");
    return name;
}

bool lint_channels_closed(const struct linting *l, const struct dep *dep)
{
    return (dep && dep->channel) || strv_find(&l->spec->channels, "nodefaults") < l->spec->channels.n;
}

static bool matches(const struct dep *dep, const char *constraint, const char *version)
{
    return !constraint
        || (dep->manager == MANAGER_CONDA ? conda_version_matches(constraint, version)
                                          : pep440_matches(constraint, version));
}

/* A constraint is a combination of comparisons with the numbers in it, so what it says can change only there: it is
 * enough to ask at each number, just above it, and at both ends. */
bool lint_within(struct arena *arena, const struct dep *dep, const char *area)
{
    enum { MOST_SAMPLES = 200 }; /* nobody writes more, and each is held against the whole constraint */
    struct strv samples = {0};
    strv_add(arena, &samples, "0");
    strv_add(arena, &samples, "99999");
    for (struct str rest = str_of(dep->version); rest.n;) {
        size_t from = 0, n = 0;
        while (from < rest.n && (rest.s[from] < '0' || rest.s[from] > '9'))
            from++;
        while (from + n < rest.n && ((rest.s[from + n] >= '0' && rest.s[from + n] <= '9') || rest.s[from + n] == '.'))
            n++;
        struct str number = str_slice(rest, from, from + n);
        rest = str_slice(rest, from + n, rest.n);
        while (str_ends(number, "."))
            number.n--;
        if (!number.n)
            continue;
        if (samples.n > MOST_SAMPLES)
            return false;
        strv_add(arena, &samples, str_dup(arena, number));
        strv_add(arena, &samples, arena_printf(arena, "%.*s.99999", (int)number.n, number.s));
    }
    for (size_t i = 0; i < samples.n; i++)
        if (matches(dep, dep->version, samples.v[i]) && !matches(dep, area, samples.v[i]))
            return false;
    return true;
}

/* What the reader of the file saw. */
static void take_notes(struct linting *l)
{
    for (size_t i = 0; i < l->spec->notes.n; i++) {
        const struct note *note = &l->spec->notes.v[i];
        bool fails = strcmp(note->id, "invalid-spec") == 0;
        lint_at(l, note->id, note->remark ? STATUS_SKIP : fails ? STATUS_FAIL : STATUS_WARN,
                (struct evidence){"", note->file, note->line, note->column}, note->mend, "%s", note->message);
    }
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        if (dep->manager == MANAGER_PIP && dep->problem)
            lint_dep(l, "invalid-spec", STATUS_FAIL, dep, NULL, "pip refuses \"%s\": %s", dep->text, dep->problem);
    }
}

static void take_conflicts(struct linting *l)
{
    for (size_t i = 0; i < l->spec->conflicts.n; i++) {
        const struct conflict *conflict = &l->spec->conflicts.v[i];
        const struct pin *pins = l->spec->pins.v, *later = &pins[conflict->second], *first = &pins[conflict->first];
        struct result *result = lint_at(l, "pin-conflict", STATUS_FAIL,
                                        (struct evidence){later->text, later->file, later->line, later->column},
                                        "let both lines name one release", "%s", conflict->message);
        *vec_add(l->arena, &result->evidence) = (struct evidence){first->text, first->file, first->line, first->column};
    }
}

static int by_place(const void *one, const void *other)
{
    const struct evidence *left = ((const struct result *)one)->evidence.v;
    const struct evidence *right = ((const struct result *)other)->evidence.v;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->column != right->column)
        return left->column < right->column ? -1 : 1;
    return strcmp(((const struct result *)one)->id, ((const struct result *)other)->id);
}

/* Lines are quoted in messages; what is secret in them is not. */
static void redact(struct linting *l, size_t first)
{
    struct secret secret;
    for (size_t i = first; i < l->results->n; i++) {
        struct result *result = &l->results->v[i];
        if (secret_find(l->secrets, str_of(result->message), 0, &secret))
            result->message = secret_redact(l->arena, l->secrets, str_of(result->message));
        for (size_t j = 0; j < result->evidence.n; j++)
            if (secret_find(l->secrets, str_of(result->evidence.v[j].text), 0, &secret))
                result->evidence.v[j].text = secret_redact(l->arena, l->secrets, str_of(result->evidence.v[j].text));
    }
}

static bool read_tables(struct linting *l, struct data *data, struct err *err)
{
    const struct {
        const char *name;
        const struct table **table;
    } tables[] = {
        {"published", &l->published}, {"cuda_builds", &l->builds},   {"cuda_compile", &l->compile},
        {"torch_cuda", &l->torch},    {"pin_packages", &l->packages}, {"secret", &l->secrets},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!(*tables[i].table = data_table(data, tables[i].name, err)))
            return false;
    return true;
}

bool lint(struct arena *arena, struct data *data, const struct spec *spec, struct results *results, struct err *err)
{
    struct linting l = {.arena = arena, .spec = spec, .results = results};
    size_t first = results->n;
    if (!read_tables(&l, data, err))
        return false;
    take_notes(&l);
    take_conflicts(&l);
    lint_published(&l);
    lint_torch(&l);
    lint_text(&l);
    redact(&l, first);
    if (results->n > first)
        qsort(results->v + first, results->n - first, sizeof *results->v, by_place);
    return true;
}

void lint_unreadable(struct arena *arena, const struct err *why, struct results *results)
{
    struct linting l = {.arena = arena, .results = results};
    lint_at(&l, "invalid-file", STATUS_FAIL,
            (struct evidence){"", arena_strdup(arena, why->file), why->line, why->column},
            why->mend[0] ? arena_strdup(arena, why->mend) : NULL, "%s", why->why);
}
