#include "check/common.h"

#include <stdlib.h>

#include "util/env.h"
#include "util/file.h"
#include "util/path.h"

const char *const *check_environment(const struct check_input *input)
{
    return input->activated ? input->activated : input->env;
}

struct loader_options check_loader_options(const struct check_input *input, const char *executable)
{
    const char *const *env = check_environment(input);
    return (struct loader_options){
        .executable = executable,
        .ld_library_path = env_get(env, "LD_LIBRARY_PATH"),
        .ld_preload = env_get(env, "LD_PRELOAD"),
        .root = "",
    };
}

struct resolution check_dlopen(const struct check_input *input, const char *executable, const char *name)
{
    struct loader_options options = check_loader_options(input, executable);
    struct resolution resolution = {0};
    loader_dlopen(loader_new(input->arena, &options), NULL, name, &resolution);
    return resolution;
}

const char *check_rule_text(const struct resolution *resolution)
{
    return resolution->detail ? resolution->detail : loader_via_text(resolution->via);
}

const char *check_activated_value(const struct check_input *input, const char *name)
{
    const char *value = env_get(check_environment(input), name);
    return value && value[0] ? value : NULL;
}

void check_library_path_elements(const struct check_input *input, struct strv *elements)
{
    char *list = arena_strdup(input->arena, check_activated_value(input, "LD_LIBRARY_PATH"));
    for (char *c = list; c && *c; c++)
        if (*c == ';')
            *c = ':';
    struct str rest = str_of(list), element;
    while (list && str_cut(&rest, ':', &element))
        strv_add(input->arena, elements, str_dup(input->arena, element));
}

const char *check_library_in(const struct check_input *input, const char *dir, const char *const *starts)
{
    struct strv names = {0};
    if (!dir_list(input->arena, dir, &names))
        return NULL;
    for (; *starts; starts++)
        for (size_t i = 0; i < names.n; i++)
            if (str_starts(str_of(names.v[i]), *starts))
                return path_join(input->arena, dir, names.v[i]);
    return NULL;
}

const char *check_temporary_dir(const struct check_input *input)
{
    const char *tmp = env_get(input->env, "TMPDIR");
    char *dir = arena_printf(input->arena, "%s/condagpu-verify-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    return mkdtemp(dir);
}

void check_remove_dir(const char **dir)
{
    if (*dir)
        dir_remove(*dir);
}
