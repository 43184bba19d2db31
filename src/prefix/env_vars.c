#include <jansson.h>
#include <string.h>

#include "prefix/env_vars.h"
#include "prefix/inventory.h"
#include "util/file.h"
#include "util/path.h"

enum { LARGEST_FILE = 4 * 1024 * 1024 };

static void json_cleanup(json_t **document)
{
    json_decref(*document);
}
#define _cleanup_json_ __attribute__((cleanup(json_cleanup)))

bool env_vars_file(struct arena *arena, const char *path, const char *member, struct env_vars *vars,
                   struct strv *not_strings, struct err *err)
{
    static const char what[] = "environment variables";
    struct str content;
    json_error_t problem;
    if (!file_read(arena, path, LARGEST_FILE, what, &content, err))
        return false;
    _cleanup_json_ json_t *document = json_loadb(content.s, content.n, 0, &problem);
    if (!document)
        return err_set(err, ERR_INPUT, what, path, problem.line > 0 ? (unsigned)problem.line : 0,
                       problem.column > 0 ? (unsigned)problem.column : 0, "not JSON: %s", problem.text);
    if (!json_is_object(document))
        return err_set(err, ERR_INPUT, what, path, 1, 1, "not a JSON object");
    json_t *object = member ? json_object_get(document, member) : document;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (json_is_string(value))
            *vec_add(arena, vars) =
                (struct env_var){arena_strdup(arena, name), arena_strdup(arena, json_string_value(value)), path};
        else if (not_strings)
            strv_add(arena, not_strings, arena_strdup(arena, name));
    }
    return true;
}

/* The later of two equal names wins and takes the earlier one's place. */
static void merge(struct arena *arena, const struct env_vars *from, struct env_vars *to)
{
    for (size_t i = 0; i < from->n; i++) {
        size_t j = 0;
        while (j < to->n && strcmp(to->v[j].name, from->v[i].name) != 0)
            j++;
        if (j == to->n)
            vec_add(arena, to);
        to->v[j] = from->v[i];
    }
}

bool inventory_env_vars(struct arena *arena, const struct inventory *inventory, struct env_vars *vars, struct err *err)
{
    const char *state = path_join(arena, inventory->prefix, "conda-meta/state");
    struct env_vars found = {0};
    for (size_t i = 0; i < inventory->env_vars_d.n; i++)
        if (!env_vars_file(arena, inventory->env_vars_d.v[i], NULL, &found, NULL, err))
            return false;
    if (file_exists(state) && !env_vars_file(arena, state, "env_vars", &found, NULL, err))
        return false;
    *vars = (struct env_vars){0};
    merge(arena, &found, vars);
    return true;
}
