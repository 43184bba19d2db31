#include "check/import.h"

#include <ctype.h>
#include <string.h>

#include "check/common.h"
#include "check/cudart.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

const char explain_cudart_import[] =
    "What it means: with --import, the environment's python imports the named modules in that order, in the "
    "environment "
    "of an activated shell, and the loader itself tells (LD_DEBUG) which libcudart it loads, who asks for it and by "
    "which rule. Each must be of the pinned release, and all of one release.\n\n"
    "Why it matters: packages load libraries by path, by name and in an order of their own; what the files say is not "
    "always what happens.\n\n"
    "How to mend it: the evidence names who asked. If that is a package, install its build for the pinned release; if "
    "LD_LIBRARY_PATH led there, take the directory out.\n\n"
    "Source: ld.so(8), LD_DEBUG.";

enum { DEADLINES = 24 }; /* of what may hang: a large framework may take that many times longer */

bool import_is_module(const char *name)
{
    bool begins = true;
    for (const char *c = name; *c; c++) {
        bool letter = isalpha((unsigned char)*c) || *c == '_';
        if (!letter && (begins || (!isdigit((unsigned char)*c) && *c != '.')))
            return false;
        begins = *c == '.';
    }
    return !begins;
}

static const char *names(const struct check_input *input)
{
    struct text text = {.arena = input->arena};
    for (size_t i = 0; i < input->modules->n; i++)
        text_add(&text, "%s%s", i ? ", " : "", input->modules->v[i]);
    return text.s;
}

static void judge_loaded(const struct check_input *input, struct result *result, const struct loaded *loaded,
                         struct identity *identity)
{
    const struct pin *pin;
    cudart_identify(input, loaded->path, 0, identity);
    const char *release = release_text(input->arena, identity->release);
    check_evidence(input, result, loaded->path, 0, 0, "%s was loaded by %s, for %s: %s (%s)", loaded->path,
                   loaded->rule, loaded->asker, release, identity->how);
    if (identity->disagreement)
        check_fail(input, result, "%s: %s", loaded->path, identity->disagreement);
    else if (cudart_fits(input, identity, &pin) == FIT_NO) {
        check_fail(input, result, "importing %s loads %s, which is %s, for %s by %s; the pin is %s (%s:%u)",
                   names(input), loaded->path, release, loaded->asker, loaded->rule, pin->text, pin->file, pin->line);
        check_fix(
            input, result, "%s",
            strstr(loaded->rule, "LD_LIBRARY_PATH")
                ? arena_printf(input->arena, "take %s out of LD_LIBRARY_PATH", path_dirname(input->arena, loaded->path))
                : arena_printf(input->arena, "install the build of %s for the pinned release",
                               path_basename(loaded->asker)));
    }
}

static void judge_import(const struct check_input *input, struct result *result, const struct import *import)
{
    struct identity first = {.release = RELEASE_NONE};
    for (size_t i = 0; i < import->loaded.n; i++) {
        struct identity identity;
        judge_loaded(input, result, &import->loaded.v[i], &identity);
        if (i == 0)
            first = identity;
        if (release_agree(first.release, identity.release))
            continue;
        check_fail(input, result, "a process that imports %s holds two CUDA runtimes: %s (%s) and %s (%s)",
                   names(input), first.path, release_text(input->arena, first.release), identity.path,
                   release_text(input->arena, identity.release));
        check_fix(input, result, "install builds of one CUDA release");
    }
    if (import->problem) {
        check_fail(input, result, "python cannot import %s: %s", names(input), import->problem);
        check_fix(input, result, "run it by hand in the activated environment: python -c \"import %s\"", names(input));
    } else if (import->loaded.n == 0)
        check_skip(input, result, "importing %s loads no shared libcudart: it has none, or opens it later",
                   names(input));
    else
        check_pass(input, result, "importing %s loads %s, which is %s", names(input), first.path,
                   release_text(input->arena, first.release));
}

void check_cudart_import(const struct check_input *input, struct result *result)
{
    const char *python = input->facts->inventory->python;
    struct import import;
    _cleanup_removed_ const char *dir = NULL;
    if (!input->modules || input->modules->n == 0) {
        check_skip(input, result, "nothing is imported: give --import MODULE");
        return;
    }
    if (!python) {
        check_skip(input, result, "the environment has no python");
        return;
    }
    dir = check_temporary_dir(input);
    if (!dir) {
        check_skip(input, result, "nothing can be written below the directory for temporary files (TMPDIR)");
        return;
    }
    loader_import(input->arena, python, check_environment(input), input->modules, "libcudart", dir,
                  DEADLINES * input->deadline_ms, &import);
    if (import.ran)
        judge_import(input, result, &import);
    else
        check_skip(input, result, "python cannot be asked: %s", import.skipped);
}
