#include "util/env.h"

#include <string.h>

#include "util/vec.h"

static bool names(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

const char *env_get(const char *const *env, const char *name)
{
    for (; *env; env++)
        if (names(*env, name))
            return *env + strlen(name) + 1;
    return NULL;
}

bool env_has(const char *const *env, const char *name)
{
    const char *value = env_get(env, name);
    return value && value[0];
}

const char *const *env_with(struct arena *arena, const char *const *env, const char *name, const char *value)
{
    struct strv copy = {0};
    for (; *env; env++)
        if (!names(*env, name))
            strv_add(arena, &copy, *env);
    if (value)
        strv_add(arena, &copy, arena_printf(arena, "%s=%s", name, value));
    strv_add(arena, &copy, NULL);
    return copy.v;
}

const char *const *env_from_block(struct arena *arena, struct str block)
{
    struct strv env = {0};
    struct str entry;
    while (str_cut(&block, '\0', &entry))
        if (str_find(entry, '=') < entry.n)
            strv_add(arena, &env, str_dup(arena, entry));
    strv_add(arena, &env, NULL);
    return env.v;
}
