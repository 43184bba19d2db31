#include "check/toolkit.h"

#include <string.h>

#include "check/common.h"
#include "util/file.h"
#include "util/path.h"

static const char *const runtime_names[] = {"libcudart.so", "libcudnn.so", "libcublas.so", "libnvJitLink.so", NULL};

struct path_state {
    bool environment_seen; /* an element of the environment with CUDA libraries came before */
    struct strv seen;
};

/* A system toolkit's directory that our own hook put there, where the environment has no runtime. */
static bool is_planned(const struct check_input *input, const char *element)
{
    for (size_t i = 0; i < input->plan->ops.n; i++) {
        const struct op *op = &input->plan->ops.v[i];
        if (strcmp(op->name, "LD_LIBRARY_PATH") == 0 && cstr_eq(op->value, element))
            return true;
    }
    return false;
}

static void judge_doubled(const struct check_input *input, struct result *result, const char *element,
                          struct path_state *state)
{
    const char *plain = path_absolute(input->arena, element); /* without a slash at its end */
    if (strv_find(&state->seen, plain) < state->seen.n) {
        check_evidence(input, result, NULL, 0, 0, "%s stands in LD_LIBRARY_PATH twice", plain);
        check_warn(input, result, "%s stands in LD_LIBRARY_PATH twice: what adds to it was run twice", plain);
        check_fix(input, result, "start from a fresh shell, and let the script that adds it look whether it is there");
    } else
        strv_add(input->arena, &state->seen, plain);
}

/* Images for containers name these, and the container runtime fills them where there is a GPU. */
static bool is_filled_later(const char *element)
{
    static const char *const dirs[] = {"/usr/local/nvidia/lib", "/usr/local/nvidia/lib64"};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (strcmp(element, dirs[i]) == 0)
            return true;
    return false;
}

static void judge_missing(const struct check_input *input, struct result *result, const char *element)
{
    check_evidence(input, result, NULL, 0, 0, "%s in LD_LIBRARY_PATH does not exist", element);
    if (is_filled_later(element))
        return;
    check_warn(input, result, "%s in LD_LIBRARY_PATH does not exist: whoever creates it decides what is loaded", element);
    check_fix(input, result, "take %s out of LD_LIBRARY_PATH where it is set", element);
}

/* The base environment's lib, or another one's. */
static void judge_foreign_environment(const struct check_input *input, struct result *result, const char *element)
{
    const char *prefix = path_dirname(input->arena, path_absolute(input->arena, element));
    if (!file_is_dir(path_join(input->arena, prefix, "conda-meta")))
        return;
    check_evidence(input, result, NULL, 0, 0, "%s belongs to the conda environment %s", element, prefix);
    check_warn(input, result, "%s in LD_LIBRARY_PATH belongs to another conda environment", element);
    check_fix(input, result, "take %s out of LD_LIBRARY_PATH: each environment finds its own libraries", element);
}

static void judge_element(const struct check_input *input, struct result *result, const char *element,
                          struct path_state *state)
{
    const struct inventory *inventory = input->facts->inventory;
    bool ours = path_below(inventory->prefix, element) || path_below(inventory->real, element)
        || is_planned(input, element);
    if (element[0] != '/') {
        check_warn(input, result, "LD_LIBRARY_PATH holds the %s element \"%s\": the loader searches the working directory",
                   element[0] ? "relative" : "empty", element);
        check_fix(input, result, "give absolute directories only, without empty elements");
        return;
    }
    judge_doubled(input, result, element, state);
    if (!file_is_dir(element)) {
        judge_missing(input, result, element);
        return;
    }
    if (!ours)
        judge_foreign_environment(input, result, element);
    const char *library = check_library_in(input, element, runtime_names);
    if (ours) {
        state->environment_seen |= library != NULL;
        return;
    }
    if (library && !state->environment_seen) {
        const char *how = NULL;
        struct release release = cudart_decode(input->arena, library, &how);
        check_fail(input, result, "%s%s%s%s stands in LD_LIBRARY_PATH before the environment's own CUDA libraries",
                   library, release.major < 0 ? "" : " (release ",
                   release.major < 0 ? "" : release_text(input->arena, release), release.major < 0 ? "" : ")");
        check_fix(input, result, input->facts->state->present
                      ? "take %s out of LD_LIBRARY_PATH, or activate the environment after it was set"
                      : "run condagpu init: its hooks put the environment in front of %s", element);
    } else if (library)
        check_evidence(input, result, NULL, 0, 0, "%s comes after the environment and does not win", library);
}

void check_library_path(const struct check_input *input, struct result *result)
{
    const char *value = check_activated_value(input, "LD_LIBRARY_PATH");
    struct strv elements = {0};
    struct path_state state = {0};
    if (!value) {
        check_pass(input, result, "LD_LIBRARY_PATH is not set: nothing overrides the environment");
        return;
    }
    check_evidence(input, result, NULL, 0, 0, "LD_LIBRARY_PATH is %s", value);
    if (strchr(value, ';'))
        check_warn(input, result, "LD_LIBRARY_PATH holds a semicolon, which the loader takes for a separator");
    check_library_path_elements(input, &elements);
    for (size_t i = 0; i < elements.n; i++) {
        struct result own = {0};
        judge_element(input, &own, elements.v[i], &state);
        check_merge(input, result, &own);
    }
    check_pass(input, result, "no foreign CUDA library comes before the environment's own");
}
