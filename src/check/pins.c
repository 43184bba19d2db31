#include "check/pins.h"

#include <fnmatch.h>
#include <string.h>

#include "check/lint.h"
#include "util/path.h"

/* Where a pin goes, in the words of the file. */
static const char *pin_mend(const struct spec *spec)
{
    static const struct {
        const char *format, *mend;
    } mends[] = {
        {"pixi", "add cuda-version = \"X.Y.*\" to [dependencies]"},
        {"pyproject", "pin torch==A.B.C+cuXYZ or nvidia-cuda-runtime-cu12==X.Y.Z in its dependencies"},
        {"pixi-lock", "add cuda-version = \"X.Y.*\" to the manifest and lock again"},
        {"conda-lock", "add cuda-version=X.Y to the environment file and lock again"},
    };
    for (size_t i = 0; spec && i < sizeof mends / sizeof *mends; i++)
        if (cstr_eq(spec->format, mends[i].format))
            return mends[i].mend;
    return "add \"  - cuda-version=X.Y\" to the dependencies";
}

static void no_pin(const struct check_input *input, struct result *result, const char *what)
{
    if (input->allow_unpinned) {
        check_pass(input, result, "%s, which --allow-unpinned allows: this environment is taken as one without CUDA",
                   what);
        return;
    }
    check_fail(input, result, "%s", what);
    check_fix(input, result, "%s, or say --allow-unpinned", pin_mend(input->facts->spec));
}

/* What conda reads otherwise than its author meant, or leaves out. */
static void judge_notes(const struct check_input *input, struct result *result, const struct spec *spec)
{
    for (size_t i = 0; i < spec->notes.n; i++) {
        const struct note *note = &spec->notes.v[i];
        check_evidence(input, result, note->file, note->line, note->column, "%s", note->message);
        if (!note->remark)
            check_warn(input, result, "%s:%u: %s", note->file, note->line, note->message);
        if (note->mend && !result->fix)
            check_fix(input, result, "%s", note->mend);
    }
}

void check_pin_present(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    size_t bounding = 0;
    if (!spec) {
        no_pin(input, result, "there is no environment file, and init recorded none");
        return;
    }
    for (size_t i = 0; i < spec->pins.n; i++) {
        const struct pin *pin = &spec->pins.v[i];
        check_evidence(input, result, pin->file, pin->line, pin->column, "%s pins CUDA %s%s%s%s%s", pin->text,
                       pin->release, pin->why ? " (" : "", pin->why ? pin->why : "", pin->why ? ")" : "",
                       pin->foreign ? ", but its marker is false here"
                       : pin->dropped ? ", in a part of the file that does not count" : "");
        bounding += !pin->dropped;
    }
    judge_notes(input, result, spec);
    if (bounding == 0)
        no_pin(input, result, arena_printf(input->arena, "%s pins no CUDA release", spec->file));
    else if (spec->conflicts.n)
        check_pass(input, result, "%s pins CUDA (see pin-conflict)", spec->file);
    else
        check_pass(input, result, "%s pins CUDA %s%s", spec->file, spec->effective_text,
                   input->facts->spec_recorded ? " (as init recorded it: the file is not here)" : "");
}

void check_pin_conflict(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    for (size_t i = 0; spec && i < spec->conflicts.n; i++) {
        const struct conflict *conflict = &spec->conflicts.v[i];
        const struct pin *pins[] = {&spec->pins.v[conflict->first], &spec->pins.v[conflict->second]};
        check_fail(input, result, "%s", conflict->message);
        for (size_t j = 0; j < 2; j++)
            check_evidence(input, result, pins[j]->file, pins[j]->line, pins[j]->column, "%s pins CUDA %s",
                           pins[j]->text, pins[j]->release);
        check_fix(input, result, "let both lines name one release");
    }
    if (!result->message)
        check_pass(input, result, "the pins agree");
}

/* Findings of lint that say that a version or build does not exist. */
static bool is_unsatisfiable(const char *id)
{
    static const char *const ids[] = {"never-published", "torch-variant", "local-version", "several-specs", "invalid-spec",
                                      NULL};
    for (size_t i = 0; ids[i]; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

void check_pin_satisfiable(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    struct results found = {0};
    struct err err = {0};
    if (!spec || input->facts->spec_recorded)
        check_skip(input, result, spec ? "the environment file is not here, and init records no specs"
                                       : "there is no environment file");
    else if (!lint(input->arena, input->facts->data, spec, &found, &err))
        check_skip(input, result, "%s: %s", err.file, err.why);
    else
        check_pass(input, result, "nothing that %s asks for is known not to exist", spec->file);
    for (size_t i = 0; i < found.n; i++) {
        const struct evidence *place = found.v[i].evidence.v;
        if (!is_unsatisfiable(found.v[i].id))
            continue;
        if (found.v[i].status == STATUS_FAIL)
            check_fail(input, result, "%s", found.v[i].message);
        else
            check_warn(input, result, "%s", found.v[i].message);
        check_evidence(input, result, place->file, place->line, place->column, "%s", found.v[i].message);
        if (found.v[i].fix && !result->fix)
            check_fix(input, result, "%s", found.v[i].fix);
    }
}

static const struct dep *dep_of(const struct spec *spec, const struct pin *pin)
{
    for (size_t i = 0; i < spec->deps.n; i++) {
        const struct dep *dep = &spec->deps.v[i];
        if (dep->line == pin->line && dep->column == pin->column && cstr_eq(dep->text, pin->text))
            return dep;
    }
    return NULL;
}

static bool version_matches(const struct pin *pin, const struct dep *dep, const struct record *record)
{
    bool plain_build = dep && dep->build && dep->build[0] != '^'; /* a regular expression is left to conda */
    if (plain_build && record->build && fnmatch(dep->build, record->build, 0) != 0)
        return false;
    if (!dep || !dep->version)
        return true;
    return pin->manager == MANAGER_PIP ? pep440_matches(dep->version, record->version)
                                       : conda_version_matches(dep->version, record->version);
}

/* The dist-info of torch's wheels from PyPI leaves out the "+cu124": what stands before it must match all the same, and
 * torch-build reads the rest from torch/version.py. */
static bool public_matches(const struct check_input *input, const struct pin *pin, const struct dep *dep,
                           const struct record *record)
{
    const char *local = dep->version ? strchr(dep->version, '+') : NULL;
    if (pin->manager != MANAGER_PIP || !local || strchr(local, ',') || strchr(record->version, '+'))
        return false;
    return pep440_matches(arena_memdup(input->arena, dep->version, (size_t)(local - dep->version)), record->version);
}

static void judge_pin(const struct check_input *input, struct result *result, const struct pin *pin, size_t *missing)
{
    const struct spec *spec = input->facts->spec;
    const struct dep *dep = dep_of(spec, pin);
    enum record_kind kind = pin->manager == MANAGER_PIP ? RECORD_PIP : RECORD_CONDA;
    const struct record *record =
        dep && dep->name ? inventory_find(input->facts->inventory, kind, dep->name) : NULL;
    if (!dep || !dep->name)
        return; /* a pin that is no package of its own: an index line, a channel label */
    if (!record) {
        check_evidence(input, result, pin->file, pin->line, pin->column, "%s: no record of %s in the environment",
                       pin->text, dep->name);
        (*missing)++;
        return;
    }
    check_evidence(input, result, record->path, 0, 0, "%s %s is installed for %s", record->name, record->version,
                   pin->text);
    if (version_matches(pin, dep, record) || public_matches(input, pin, dep, record))
        return;
    check_fail(input, result, "%s %s is installed, but %s:%u pins %s", record->name, record->version, pin->file,
               pin->line, pin->text);
    check_fix(input, result, "%s the environment from %s", pin->manager == MANAGER_PIP ? "pip-install" : "update",
              spec->file);
}

/* Packages whose version is numbered as the toolkit is, so that two of them must agree. */
static const char *const numbered[] = {
    "cudatoolkit", "cuda-version", "cuda-cudart", "cuda-cudart-dev", "cuda-cudart_linux-64",
    "cuda-cudart_linux-aarch64", "cuda-nvcc", "cuda-nvcc-impl", "cuda-nvcc-tools", "cuda-nvrtc", "cuda-runtime",
    "cuda-libraries", "cuda-toolkit", "cuda-cupti",
};

static void judge_mixture(const struct check_input *input, struct result *result)
{
    const struct record *first = NULL;
    struct release first_release = RELEASE_NONE;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        struct release release;
        const struct record *record = inventory_find(input->facts->inventory, RECORD_CONDA, numbered[i]);
        if (!record || !release_parse(str_of(record->version), &release))
            continue;
        release.patch = -1; /* components of one release have patch numbers of their own */
        if (!first) {
            first = record;
            first_release = release;
        } else if (!release_agree(first_release, release)) {
            const char *both = arena_printf(input->arena, "%s %s beside %s %s", first->name, first->version,
                                            record->name, record->version);
            check_evidence(input, result, record->path, 0, 0, "%s", both);
            if (first_release.major != release.major)
                check_fail(input, result, "components of two CUDA releases are mixed: %s", both);
            else
                check_warn(input, result, "components of two CUDA minors are mixed: %s", both);
            check_fix(input, result, "conda install \"cuda-version=%s\", or make the environment anew",
                      release_text(input->arena, first_release));
        }
    }
}

static bool has_runtime(const struct check_input *input)
{
    struct strv files = {0};
    inventory_cudart_files(input->arena, input->facts->inventory, &files);
    return files.n > 0;
}

void check_pin_installed(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    size_t judged = 0, missing = 0;
    if (!spec || input->facts->spec_recorded) {
        check_skip(input, result, spec ? "the environment file is not here, and init records no versions of packages"
                                       : "there is no environment file");
        return;
    }
    for (size_t i = 0; i < spec->pins.n; i++) {
        if (spec->pins.v[i].dropped)
            continue;
        judge_pin(input, result, &spec->pins.v[i], &missing);
        judged++;
    }
    judge_mixture(input, result);
    if (missing && !has_runtime(input)) {
        check_fail(input, result, "%zu of %zu pinned packages have no record in %s, and there is no libcudart in it",
                   missing, judged, input->facts->inventory->prefix);
        check_fix(input, result, "install what %s asks for, or check that this is its environment", spec->file);
    } else if (judged && missing == judged) {
        check_warn(input, result, "nothing that %s pins has a record in %s", spec->file,
                   input->facts->inventory->prefix);
        check_fix(input, result, "check that this is the environment of that file");
    } else if (missing) {
        check_warn(input, result, "%zu of %zu pinned packages have no record in the environment", missing, judged);
        check_fix(input, result, "update the environment from %s", spec->file);
    }
    check_pass(input, result, "the records in the environment satisfy the pins");
}
