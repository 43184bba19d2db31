#include "check/common.h"

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

const char *check_activated_value(const struct check_input *input, const char *name)
{
    const char *value = env_get(check_environment(input), name);
    return value && value[0] ? value : NULL;
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
