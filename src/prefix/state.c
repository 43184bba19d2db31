#include "prefix/state.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_STATE = 4 * 1024 * 1024 };

#define SCHEMA "condagpu.state/1"

static void json_cleanup(json_t **document)
{
    json_decref(*document);
}
#define _cleanup_json_ __attribute__((cleanup(json_cleanup)))

static const char *string_of(struct arena *arena, const json_t *object, const char *key)
{
    return arena_strdup(arena, json_string_value(json_object_get(object, key)));
}

static bool is_id(const char *id)
{
    return id && strlen(id) == 8 && strspn(id, "0123456789abcdef") == 8;
}

static void read_files(struct arena *arena, const json_t *list, struct state *state)
{
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        const char *relative = string_of(arena, item, "path"), *sha256 = string_of(arena, item, "sha256");
        if (relative && sha256)
            *vec_add(arena, &state->hooks) = (struct state_file){relative, sha256};
    }
}

static void read_strings(struct arena *arena, const json_t *list, struct strv *strings)
{
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item)
        if (json_is_string(item))
            strv_add(arena, strings, arena_strdup(arena, json_string_value(item)));
}

static char *dump(struct arena *arena, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    char *copy = arena_strdup(arena, text);
    free(text);
    return copy;
}

bool state_read(struct arena *arena, const char *prefix, struct state *state, struct err *err)
{
    const char *path = path_join(arena, prefix, STATE_FILE);
    struct str content;
    json_error_t error;
    *state = (struct state){0};
    if (!file_exists(path))
        return true;
    if (!file_read(arena, path, LARGEST_STATE, "state file", &content, err))
        return false;
    _cleanup_json_ json_t *root = json_loadb(content.s, content.n, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        err_set(err, ERR_INPUT, "state file", path, (unsigned)error.line, (unsigned)error.column, "%s", error.text);
        return err_mend(err, "remove the file, then run condagpu init again");
    }
    state->id = string_of(arena, root, "id");
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0 || !is_id(state->id)) {
        err_set(err, ERR_INPUT, "state file", path, 0, 0, "not a " SCHEMA " document");
        return err_mend(err, "remove the file, then run condagpu init again");
    }
    state->present = true;
    state->version = string_of(arena, root, "version");
    const json_t *file = json_object_get(root, "file"), *config = json_object_get(root, "config");
    state->file = string_of(arena, file, "path");
    state->file_sha256 = string_of(arena, file, "sha256");
    state->config = string_of(arena, config, "path");
    state->config_sha256 = string_of(arena, config, "sha256");
    state->spec = dump(arena, json_object_get(root, "spec"));
    read_files(arena, json_object_get(root, "hooks"), state);
    read_strings(arena, json_object_get(root, "links"), &state->links);
    return true;
}

static json_t *input_json(const char *path, const char *sha256)
{
    return path ? json_pack("{s:s, s:s}", "path", path, "sha256", sha256 ? sha256 : "") : json_null();
}

struct str state_text(struct arena *arena, const struct state *state)
{
    _cleanup_json_ json_t *root = json_object();
    json_t *hooks = json_array(), *links = json_array();
    for (size_t i = 0; i < state->hooks.n; i++)
        json_array_append_new(hooks, json_pack("{s:s, s:s}", "path", state->hooks.v[i].relative, "sha256",
                                               state->hooks.v[i].sha256));
    for (size_t i = 0; i < state->links.n; i++)
        json_array_append_new(links, json_string(state->links.v[i]));
    json_object_set_new(root, "schema", json_string(SCHEMA));
    json_object_set_new(root, "id", json_string(state->id));
    json_object_set_new(root, "version", json_string(state->version));
    json_object_set_new(root, "file", input_json(state->file, state->file_sha256));
    json_object_set_new(root, "config", input_json(state->config, state->config_sha256));
    json_object_set_new(root, "spec", state->spec ? json_loads(state->spec, 0, NULL) : json_null());
    json_object_set_new(root, "hooks", hooks);
    json_object_set_new(root, "links", links);
    char *text = json_dumps(root, JSON_INDENT(2));
    if (!text)
        abort(); /* out of memory: every string in it was read or made as UTF-8 */
    char *copy = arena_printf(arena, "%s\n", text);
    free(text);
    return str_of(copy);
}

bool state_equal(struct arena *arena, const struct state *left, const struct state *right)
{
    return left->present == right->present
        && (!left->present || str_eq(state_text(arena, left), state_text(arena, right)));
}

char *state_new_id(struct arena *arena)
{
    unsigned number = 0;
    while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        if (errno != EINTR)
            abort();
    return arena_printf(arena, "%08x", number);
}

const char *state_recorded(const struct state *state, const char *relative, const char *sha256)
{
    const char *first = NULL;
    for (size_t i = 0; i < state->hooks.n; i++) {
        if (strcmp(state->hooks.v[i].relative, relative) != 0)
            continue;
        if (cstr_eq(state->hooks.v[i].sha256, sha256))
            return sha256;
        if (!first)
            first = state->hooks.v[i].sha256;
    }
    return first;
}
