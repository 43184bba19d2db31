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
    if (strv_find(&state->seen, element) < state->seen.n)
        check_evidence(input, result, NULL, 0, 0, "%s stands in LD_LIBRARY_PATH twice", element);
    strv_add(input->arena, &state->seen, element);
    if (!file_is_dir(element)) {
        check_evidence(input, result, NULL, 0, 0, "%s in LD_LIBRARY_PATH does not exist", element);
        return;
    }
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
    struct str rest = str_of(value), element;
    struct path_state state = {0};
    if (!value) {
        check_pass(input, result, "LD_LIBRARY_PATH is not set: nothing overrides the environment");
        return;
    }
    check_evidence(input, result, NULL, 0, 0, "LD_LIBRARY_PATH is %s", value);
    for (size_t i = 0; i < strlen(value); i++)
        if (value[i] == ';') {
            check_warn(input, result, "LD_LIBRARY_PATH holds a semicolon, which the loader takes for a separator");
            break;
        }
    while (str_cut(&rest, ':', &element))
        judge_element(input, result, str_dup(input->arena, element), &state);
    check_pass(input, result, "no foreign CUDA library comes before the environment's own");
}
