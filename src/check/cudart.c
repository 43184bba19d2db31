#include "check/cudart.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/common.h"
#include "util/path.h"

static const char *pin_place(const struct check_input *input, const struct pin *pin)
{
    return arena_printf(input->arena, "%s (%s:%u)", pin->text, pin->file, pin->line);
}

/* "cuda-version=12.4", or the bound as conda takes it, quoted for a shell by the caller. */
static const char *wanted_spec(const struct check_input *input)
{
    const struct spec *spec = input->facts->spec;
    const char *text = spec && spec->has_effective ? spec->effective_text : NULL;
    if (!text)
        return "cuda-version";
    return arena_printf(input->arena, "cuda-version%s%s", text[0] >= '0' && text[0] <= '9' ? "=" : "", text);
}

static void advise(const struct check_input *input, struct result *result, const struct identity *identity,
                   const char *rule)
{
    const struct inventory *inventory = input->facts->inventory;
    const char *dir = path_dirname(input->arena, identity->path);
    struct release minor = {identity->release.major, identity->release.minor, -1};
    if (identity->release.major < 0)
        check_fix(input, result, "install the package that owns %s anew", identity->path);
    else if (!identity->in_prefix && rule && strstr(rule, "LD_PRELOAD"))
        check_fix(input, result, "take it out of LD_PRELOAD");
    else if (!identity->in_prefix && rule && !strstr(rule, "LD_LIBRARY_PATH"))
        check_fix(input, result, "condagpu why libcudart -p %s shows the search; put the environment's runtime on its way",
                  inventory->prefix);
    else if (!identity->in_prefix && input->facts->state->present)
        check_fix(input, result, "take %s out of LD_LIBRARY_PATH, or run condagpu init again", dir);
    else if (!identity->in_prefix)
        check_fix(input, result, "run condagpu init -p %s and activate the environment again", inventory->prefix);
    else if (identity->by_pip)
        check_fix(input, result, "install the pinned wheel with pip, or change the pin to %s",
                  release_text(input->arena, minor));
    else
        check_fix(input, result, "conda install -p %s cuda-cudart \"%s\", or change the pin to %s", inventory->prefix,
                  wanted_spec(input), release_text(input->arena, minor));
}

/* What a file that is loaded, or would be, means for the pin. `who` loads it; `called` is as for cudart_identify(). */
static struct identity judge(const struct check_input *input, struct result *result, const char *who, const char *path,
                             const char *rule, int called)
{
    struct identity identity;
    const struct pin *pin;
    cudart_identify(input, path, called, &identity);
    const char *release = release_text(input->arena, identity.release);
    enum fit fit = cudart_fits(input, &identity, &pin);
    check_evidence(input, result, NULL, 0, 0, "%s loads %s%s%s: %s (%s)", who, path,
                   rule ? " by " : "", rule ? rule : "", release, identity.how);
    if (identity.disagreement)
        check_fail(input, result, "%s: %s", path, identity.disagreement);
    else if (fit == FIT_NO && identity.release.major < 0)
        check_fail(input, result, "%s loads %s, and nothing tells which release that is; the pin is %s", who, path,
                   pin_place(input, pin));
    else if (fit == FIT_NO)
        check_fail(input, result, "%s loads %s, which is %s; the pin is %s", who, path, release,
                   pin_place(input, pin));
    else if (fit == FIT_UNVERIFIABLE)
        check_warn(input, result, "unverifiable (%s.?): nothing tells the patch level of %s; the pin is %s", release,
                   path, pin_place(input, pin));
    else if (!identity.in_prefix)
        check_warn(input, result, "%s loads %s, which is %s as pinned, but not the environment's own file", who, path,
                   release);
    else
        check_pass(input, result, "%s loads %s, which is %s", who, path, release);
    if (result->status == STATUS_FAIL || !identity.in_prefix)
        if (!result->fix)
            advise(input, result, &identity, rule);
    return identity;
}

static void remember(const struct check_input *input, const struct identity *identity, const char *how)
{
    struct release release = identity->release;
    if (!input->answer || input->answer->path)
        return;
    input->answer->path = identity->path;
    input->answer->version = release.patch >= 0 ? release_text(input->arena, release) : NULL;
    release.patch = -1;
    input->answer->release = release.major >= 0 ? release_text(input->arena, release) : NULL;
    input->answer->how = how;
}

/* Before CUDA 12 the call needs a driver (status 35, cudaErrorInsufficientDriver). */
static void judge_call(const struct check_input *input, struct result *result, const struct live *live)
{
    if (live->version == 0 && live->message)
        check_evidence(input, result, NULL, 0, 0, "%s", live->message);
    else if (live->version == 0)
        check_evidence(input, result, NULL, 0, 0,
                       "cudaRuntimeGetVersion answered with error %d%s: the release is read from the file", live->status,
                       live->status == 35 ? " (this runtime asks the driver, and there is none)" : "");
}

/* The library that is asked for is not found; the runtimes that are there instead say why. */
static void judge_missing(const struct check_input *input, struct result *result, const char *name, const char *reason)
{
    const char *prefix = input->facts->inventory->prefix;
    struct strv paths = {0};
    inventory_cudart_files(input->arena, input->facts->inventory, &paths);
    check_fail(input, result, "python cannot load %s: %s", name, reason ? reason : "not found");
    check_fix(input, result, "install the CUDA runtime: conda install cuda-cudart (or the nvidia-cuda-runtime wheel)");
    for (size_t i = 0; i < paths.n; i++) {
        struct identity identity;
        const struct pin *pin;
        cudart_identify(input, paths.v[i], 0, &identity);
        const char *release = release_text(input->arena, identity.release);
        check_evidence(input, result, NULL, 0, 0, "the environment holds %s: %s (%s)", paths.v[i],
                       release, identity.how);
        if (cudart_fits(input, &identity, &pin) == FIT_NO) {
            check_fail(input, result, "python cannot load %s: the environment holds %s, which is %s; the pin is %s",
                       name, paths.v[i], release, pin_place(input, pin));
            advise(input, result, &identity, NULL);
        } else
            check_fix(input, result, "run condagpu init -p %s and activate the environment again", prefix);
    }
}

/* Where no process of the environment can be asked, the emulation can show that something is wrong, but a pass needs the
 * process: what python would really do is not known. */
static void judge_without_python(const struct check_input *input, struct result *result, const char *name,
                                 const char *reason)
{
    struct resolution resolution = check_dlopen(input, NULL, name);
    check_evidence(input, result, NULL, 0, 0, "not asked of a live process: %s", reason);
    if (!resolution.path)
        return;
    struct result emulated = {0};
    struct identity identity = judge(input, &emulated, "a program", resolution.path, check_rule_text(&resolution), 0);
    check_evidence(input, result, NULL, 0, 0, "by the loader's rules alone: %s", emulated.message);
    if (emulated.status == STATUS_FAIL) {
        check_fail(input, result, "%s", emulated.message);
        check_fix(input, result, "%s", emulated.fix ? emulated.fix : "condagpu why libcudart shows the search");
    }
    remember(input, &identity, arena_printf(input->arena, "by the loader's rules alone: %s", reason));
}

/* A python that is there must answer: one that is broken, or dies while it loads libcudart, serves nobody. */
static void judge_no_answer(const struct check_input *input, struct result *result, const char *name,
                            const struct live *live)
{
    const struct inventory *inventory = input->facts->inventory;
    const char *bin = path_join(input->arena, inventory->prefix, "bin/python");
    struct stat status;
    judge_without_python(input, result, name, live->skipped);
    if (inventory->python && live->died) {
        check_fail(input, result, "%s while it loads %s", live->skipped, name);
        check_fix(input, result, "install the package that owns %s anew: the file may be cut short", name);
    } else if (inventory->python) {
        check_warn(input, result, "python cannot be asked which libcudart it loads: %s", live->skipped);
        check_fix(input, result, "let bin/python of the environment be the interpreter itself");
    } else if (lstat(bin, &status) == 0) {
        check_fail(input, result, "%s leads nowhere, so nothing can run in this environment", bin);
        check_fix(input, result, "conda install -p %s --force-reinstall python", inventory->prefix);
    } else
        check_skip(input, result, "the environment has no python, so no process of it can be asked");
}

void check_cudart_live(const struct check_input *input, struct result *result)
{
    const char *python = input->facts->inventory->python;
    struct strv sonames = {0};
    cudart_sonames(input, &sonames);
    if (!input->activated && input->facts->inventory->hooks.n)
        check_fail(input, result, "no shell survives the activation of this environment: %s", input->activated_problem);
    if (sonames.n == 0)
        check_skip(input, result, "no release is pinned and there is no libcudart in the environment");
    for (size_t i = 0; i < sonames.n; i++) {
        struct live live = {.skipped = "the prefix has no python"};
        if (python)
            loader_live(input->arena, python, check_environment(input), sonames.v[i], &live);
        if (!live.ran)
            judge_no_answer(input, result, sonames.v[i], &live);
        else if (!live.opened)
            judge_missing(input, result, sonames.v[i], live.message);
        else {
            struct resolution resolution = check_dlopen(input, python, sonames.v[i]);
            const char *rule = resolution.path ? check_rule_text(&resolution) : NULL;
            struct identity identity = judge(input, result, "python", live.path, rule, live.version);
            judge_call(input, result, &live);
            remember(input, &identity, arena_printf(input->arena, "loaded by %s", python));
        }
    }
}

/* A consumer that finds nothing cannot be loaded at all; one that opens the library by name may have other ways. */
static void judge_unresolved(const struct check_input *input, struct result *result, const struct consumer *consumer)
{
    const char *relative = path_relative(input->facts->inventory->prefix, consumer->path);
    const char *name = relative ? relative : consumer->path;
    check_evidence(input, result, consumer->path, 0, 0, "needs %s: %s", consumer->needed,
                   consumer->resolution.detail ? consumer->resolution.detail : "not found");
    if (consumer->kind == CONSUMER_DLOPEN)
        check_warn(input, result, "%s opens %s by name when it runs, and that is not found", name, consumer->needed);
    else
        check_fail(input, result, "%s needs %s, which the loader does not find", name, consumer->needed);
    check_fix(input, result, "install the CUDA release that %s was built for, or a build of it for the pinned one", name);
}

enum { MOST_NAMED = 8 }; /* consumers of one file that are named one by one */

/* The file that a consumer gets, whatever its links are called. */
static const char *file_of(const struct consumer *consumer)
{
    return consumer->resolution.real ? consumer->resolution.real : consumer->resolution.path;
}

/* By the file that they get, then by their order. */
static int by_file(const void *left, const void *right)
{
    const struct consumer *l = *(const struct consumer *const *)left, *r = *(const struct consumer *const *)right;
    int order = strcmp(file_of(l), file_of(r));
    return order ? order : (l > r) - (l < r);
}

/* Those that get one file, in their order. */
struct sharers {
    const struct consumer **v;
    size_t n;
};

/* For each consumer the sharers of its file where it is the first of them, else none. Sorted, as there may be tens of
 * thousands. */
static struct sharers *find_sharers(struct arena *arena, const struct consumers *consumers)
{
    struct sharers *of = arena_alloc(arena, (consumers->n + 1) * sizeof *of);
    const struct consumer **sorted = arena_alloc(arena, (consumers->n + 1) * sizeof *sorted);
    struct sharers *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < consumers->n; i++) {
        of[i] = (struct sharers){NULL, 0};
        if (consumers->v[i].kind != CONSUMER_STATIC && consumers->v[i].resolution.path)
            sorted[n++] = &consumers->v[i];
    }
    qsort(sorted, n, sizeof *sorted, by_file);
    for (size_t i = 0; i < n; i++) {
        if (!last || strcmp(file_of(sorted[i]), file_of(last->v[0])) != 0) {
            last = &of[sorted[i] - consumers->v];
            last->v = &sorted[i];
        }
        last->n++;
    }
    return of;
}

/* A file that opens libcudart by name may hold the names of several releases and use one: another release than the pinned
 * one is then a warning. */
static void merge(const struct check_input *input, struct result *result, const struct result *own,
                  const struct consumer *consumer, const struct strv *sonames)
{
    bool maybe = consumer->kind == CONSUMER_DLOPEN && strv_find(sonames, consumer->needed) == sonames->n;
    for (size_t i = 0; i < own->evidence.n; i++)
        *vec_add(input->arena, &result->evidence) = own->evidence.v[i];
    if (own->status == STATUS_FAIL && !maybe)
        check_fail(input, result, "%s", own->message);
    else if (own->status == STATUS_FAIL || own->status == STATUS_WARN)
        check_warn(input, result, "%s", own->message);
    else
        check_pass(input, result, "%s", own->message);
    if (own->fix && !result->fix)
        check_fix(input, result, "%s", own->fix);
}

/* All consumers that get the same file are judged once, by that file. */
static void judge_group(const struct check_input *input, struct result *result, const struct sharers *sharers,
                        const struct strv *sonames)
{
    const struct consumer *head = sharers->v[0];
    const char *relative = path_relative(input->facts->inventory->prefix, head->path);
    struct result own = {0};
    judge(input, &own, relative ? relative : head->path, head->resolution.path, check_rule_text(&head->resolution), 0);
    merge(input, result, &own, head, sonames);
    for (size_t i = 1; i < sharers->n && i <= MOST_NAMED; i++)
        check_evidence(input, result, sharers->v[i]->path, 0, 0, "likewise");
    if (sharers->n > 1 + MOST_NAMED)
        check_evidence(input, result, NULL, 0, 0, "and %zu more get %s", sharers->n - 1 - MOST_NAMED,
                       head->resolution.path);
}

void check_cudart_static(const struct check_input *input, struct result *result)
{
    const struct consumers *consumers = input->consumers;
    const struct sharers *sharers = find_sharers(input->arena, consumers);
    struct strv sonames = {0};
    size_t shared = 0;
    cudart_sonames(input, &sonames);
    for (size_t i = 0; i < consumers->n; i++) {
        const struct consumer *consumer = &consumers->v[i];
        shared += consumer->kind != CONSUMER_STATIC;
        if (consumer->kind == CONSUMER_STATIC)
            check_evidence(input, result, consumer->path, 0, 0, "holds a static runtime of release %s",
                           release_text(input->arena, consumer->release));
        else if (!consumer->resolution.path)
            judge_unresolved(input, result, consumer);
        else if (sharers[i].n)
            judge_group(input, result, &sharers[i], &sonames);
    }
    for (size_t i = 0; i < consumers->problems.n; i++)
        check_evidence(input, result, NULL, 0, 0, "%s", consumers->problems.v[i]);
    if (shared == 0)
        check_pass(input, result, "nothing among %zu ELF files asks for a shared libcudart", consumers->elf_read);
    else
        check_pass(input, result, "%zu of %zu ELF files ask for libcudart, and each gets the pinned release", shared,
                   consumers->elf_read);
}

/* Runtimes that nobody uses yet: the next package that is installed, or a ctypes.CDLL, may bring both into one process.
 * Renamed copies serve the wheel that brought them, and it is a consumer. */
static void judge_installed(const struct check_input *input, struct result *result)
{
    struct strv paths = {0};
    struct cudart_files files = {0};
    const struct cudart_file *first = NULL;
    inventory_cudart_files(input->arena, input->facts->inventory, &paths);
    loader_cudarts(input->arena, &paths, &files);
    for (size_t i = 0; i < files.n; i++) {
        const struct cudart_file *file = &files.v[i];
        if (file->bundled || file->decoded.major < 0)
            continue;
        const char *release = release_text(input->arena, file->decoded);
        check_evidence(input, result, file->path, 0, 0, "is of release %s", release);
        if (!first)
            first = file;
        if (release_agree(first->decoded, file->decoded))
            continue;
        check_warn(input, result, "two CUDA runtimes are installed, %s (%s) and %s (%s), and a process can come to hold both",
                   first->path, release_text(input->arena, first->decoded), file->path, release);
        check_fix(input, result, "let conda and pip bring one release, or only one of them bring the runtime");
    }
}

void check_cudart_single(const struct check_input *input, struct result *result)
{
    const struct consumer *first = NULL;
    for (size_t i = 0; i < input->consumers->n; i++) {
        const struct consumer *consumer = &input->consumers->v[i];
        if (consumer->kind == CONSUMER_STATIC || !consumer->resolution.path || consumer->release.major < 0)
            continue;
        if (!first)
            first = consumer;
        if (release_agree(first->release, consumer->release))
            continue;
        check_evidence(input, result, first->path, 0, 0, "loads %s (%s)", first->resolution.path,
                       release_text(input->arena, first->release));
        check_evidence(input, result, consumer->path, 0, 0, "loads %s (%s)", consumer->resolution.path,
                       release_text(input->arena, consumer->release));
        check_warn(input, result, "a process that imports both %s and %s holds two runtimes, %s and %s",
                   path_basename(first->path), path_basename(consumer->path),
                   release_text(input->arena, first->release), release_text(input->arena, consumer->release));
        check_fix(input, result, "install builds of both for one CUDA release");
    }
    if (!result->message)
        judge_installed(input, result);
    check_pass(input, result, "no two shared runtimes of different releases");
}
