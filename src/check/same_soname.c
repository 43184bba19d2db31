#include <string.h>

#include "check/common.h"
#include "check/twins.h"
#include "util/path.h"

const char explain_same_soname[] =
    "What it means: the environment, or LD_LIBRARY_PATH, holds several different files of one CUDA library "
    "(libnvJitLink.so.12, libcudnn.so.9, libcublas.so.12 and so on), and for each program and extension that needs it "
    "the loader's rules tell which one it gets. Links to one file, copies of it, and two files of one version are no "
    "finding. It fails where something gets an older file than the one that was installed for it, and warns where two "
    "extensions get different versions: in one process the first that is imported then decides for both.\n\n"
    "Why it matters: a process holds one library of a soname. Newer libraries call functions that an older twin lacks "
    "(undefined symbol: __nvJitLinkComplete_12_4), or refuse it when they start.\n\n"
    "How to mend it: take the directory of the twin out of LD_LIBRARY_PATH, or let conda and pip bring one version, or "
    "let only one of them bring the library. condagpu why LIBRARY FILE shows the search.\n\n"
    "Source: ld.so(8): the first library of a soname that is loaded serves all who ask for it later.";

enum { MOST_NAMED = 4 }; /* askers of one kind that are named */

/* The twins of one soname, and what its askers get. */
struct group {
    const struct check_input *input;
    struct result *result;
    const struct twins *twins;
    const char *soname;
    const struct consumer *first; /* an extension that finds the library, and what it gets */
    const struct twin *first_twin;
    size_t askers, named;
};

static const char *version_text(const struct twin *twin)
{
    return twin->version ? twin->version : "version unknown";
}

/* The twin that won; one of a place that was not looked at is read now. */
static const struct twin *twin_of(const struct group *group, const struct resolution *resolution)
{
    for (size_t i = 0; i < group->twins->n; i++) {
        const struct twin *twin = &group->twins->v[i];
        if (strcmp(twin->soname, group->soname) == 0 && cstr_eq(twin->real, resolution->real))
            return twin;
    }
    struct twin *twin = arena_alloc(group->input->arena, sizeof *twin);
    if (twin_read(group->input, resolution->path, twin))
        twin_find_version(group->input, twin);
    return twin;
}

static bool is_same(const struct group *group, const struct twin *left, const struct twin *right)
{
    if (left == right || (left->version && right->version && twins_compare(left, right) == 0))
        return true;
    return twins_are_copies(group->input, left, right);
}

/* What was installed for an asker: the newest that its own installer brought, else the environment's newest. */
static const struct twin *meant_for(const struct group *group, bool by_pip)
{
    const struct twin *best = NULL;
    for (size_t i = 0; i < group->twins->n; i++) {
        const struct twin *twin = &group->twins->v[i];
        if (strcmp(twin->soname, group->soname) != 0 || !twin->in_prefix)
            continue;
        bool better_kind = best && twin->by_pip == by_pip && best->by_pip != by_pip;
        bool worse_kind = best && twin->by_pip != by_pip && best->by_pip == by_pip;
        if (!best || better_kind || (!worse_kind && twins_compare(best, twin) < 0))
            best = twin;
    }
    return best;
}

static bool is_by_pip(const struct check_input *input, const char *path)
{
    const struct strv *site_packages = &input->facts->inventory->site_packages;
    for (size_t i = 0; i < site_packages->n; i++)
        if (path_below(site_packages->v[i], path))
            return true;
    return false;
}

static const char *short_name(const struct check_input *input, const char *path)
{
    const char *relative = path_relative(input->facts->inventory->prefix, path);
    return relative ? relative : path;
}

static void advise(const struct group *group, const struct resolution *resolution, const struct twin *meant)
{
    const struct check_input *input = group->input;
    const char *dir = path_dirname(input->arena, resolution->path);
    if (group->result->fix)
        return;
    if (!path_below(input->facts->inventory->prefix, resolution->path) && resolution->via == VIA_LD_LIBRARY_PATH)
        check_fix(input, group->result, "take %s out of LD_LIBRARY_PATH", dir);
    else
        check_fix(input, group->result, "let conda and pip bring one version of %s (%s), or only one of them bring it",
                  group->soname, version_text(meant));
}

/* A CUDA library by itself is no program: whoever loads it may have its needs loaded before. */
static void judge_other(struct group *group, const struct consumer *asker, const struct twin *got,
                        const struct twin *meant)
{
    const struct check_input *input = group->input;
    const char *text =
        arena_printf(input->arena, "%s gets %s (%s) by %s, and %s (%s) was installed for it",
                     short_name(input, asker->path), asker->resolution.path, version_text(got),
                     check_rule_text(&asker->resolution), short_name(input, meant->path), version_text(meant));
    bool known = got->version && meant->version, older = known && twins_compare(got, meant) < 0;
    if (group->named++ < MOST_NAMED)
        check_evidence(input, group->result, asker->path, 0, 0, "%s", text);
    if (known && !older && got->in_prefix)
        return; /* newer, of the same major: made to serve what was built for an older one */
    if (older && !twins_is_cuda_name(path_basename(asker->path)))
        check_fail(input, group->result, "%s", text);
    else
        check_warn(input, group->result, "%s", text);
    advise(group, &asker->resolution, meant);
}

/* Two extensions can meet in one process; programs have one of their own. */
static void compare_with_first(struct group *group, const struct consumer *asker, const struct twin *got)
{
    const struct check_input *input = group->input;
    struct elf elf;
    if (twins_is_cuda_name(path_basename(asker->path)) || !elf_read(input->arena, asker->path, &elf)
        || elf.is_executable)
        return;
    if (!group->first) {
        group->first = asker;
        group->first_twin = got;
        return;
    }
    if (is_same(group, got, group->first_twin))
        return;
    check_warn(input, group->result,
               "%s gets %s %s and %s gets %s: in one process the first that is imported decides for both",
               short_name(input, group->first->path), group->soname, version_text(group->first_twin),
               short_name(input, asker->path), version_text(got));
    check_evidence(input, group->result, asker->path, 0, 0, "gets %s (%s)", got->path, version_text(got));
    advise(group, &asker->resolution, got);
}

static void judge_asker(struct group *group, const struct consumer *asker)
{
    if (!asker->resolution.real || strcmp(path_basename(asker->needed), group->soname) != 0)
        return;
    const struct twin *meant = meant_for(group, is_by_pip(group->input, asker->path));
    const struct twin *got = twin_of(group, &asker->resolution);
    group->askers++;
    if (!is_same(group, got, meant))
        judge_other(group, asker, got, meant);
    compare_with_first(group, asker, got);
}

/* What is opened by name is what nobody's DT_NEEDED tells: jax, TensorFlow and ctypes do so. */
static void judge_by_name(struct group *group)
{
    const struct check_input *input = group->input;
    struct resolution resolution = check_dlopen(input, input->facts->inventory->python, group->soname);
    const struct twin *newest = meant_for(group, true), *other = meant_for(group, false);
    if (twins_compare(newest, other) < 0)
        newest = other;
    if (!resolution.real)
        return;
    const struct twin *got = twin_of(group, &resolution);
    const char *text = arena_printf(input->arena, "whoever opens %s by name gets %s (%s) by %s", group->soname,
                                    resolution.path, version_text(got), check_rule_text(&resolution));
    check_evidence(input, group->result, NULL, 0, 0, "%s", text);
    if (group->askers || is_same(group, got, newest) || (got->in_prefix && twins_compare(got, newest) > 0))
        return;
    check_warn(input, group->result, "%s, and the environment holds %s (%s)", text, short_name(input, newest->path),
               version_text(newest));
    advise(group, &resolution, newest);
}

static void judge_group(const struct check_input *input, struct result *result, const struct twins *twins,
                        const char *soname, const struct consumers *askers)
{
    struct group group = {.input = input, .result = result, .twins = twins, .soname = soname};
    for (size_t i = 0; i < twins->n; i++)
        if (strcmp(twins->v[i].soname, soname) == 0)
            check_evidence(input, result, twins->v[i].path, 0, 0, "%s, %s", soname, version_text(&twins->v[i]));
    for (size_t i = 0; i < askers->n; i++)
        judge_asker(&group, &askers->v[i]);
    judge_by_name(&group);
}

static bool is_doubled(const struct check_input *input, const struct twins *twins, const struct twin *twin)
{
    for (size_t i = 0; i < twins->n; i++)
        if (&twins->v[i] != twin && strcmp(twins->v[i].soname, twin->soname) == 0
            && !twins_are_copies(input, &twins->v[i], twin))
            return true;
    return false;
}

/* The sonames with several files, of which one is the environment's. */
static void find_doubled(const struct check_input *input, const struct twins *twins, struct strv *sonames)
{
    for (size_t i = 0; i < twins->n; i++) {
        const struct twin *twin = &twins->v[i];
        if (twin->in_prefix && strv_find(sonames, twin->soname) == sonames->n && is_doubled(input, twins, twin))
            strv_add(input->arena, sonames, twin->soname);
    }
}

void check_same_soname(const struct check_input *input, struct result *result)
{
    struct loader_options options = check_loader_options(input, input->facts->inventory->python);
    struct twins twins = {0};
    struct strv sonames = {0};
    struct consumers askers;
    struct err err;
    twins_find(input, &twins);
    find_doubled(input, &twins, &sonames);
    if (sonames.n == 0) {
        check_pass(input, result, "%zu CUDA libraries, each there once under its soname", twins.n);
        return;
    }
    if (!loader_askers(input->arena, input->facts->inventory->prefix, &options, &sonames, &askers, &err)) {
        check_skip(input, result, "the environment cannot be searched: %s", err.why);
        return;
    }
    for (size_t i = 0; i < sonames.n; i++)
        judge_group(input, result, &twins, sonames.v[i], &askers);
    check_pass(input, result, "%zu CUDA libraries are there several times, and no older one comes first", sonames.n);
}
