/* What differs between two machines, member by member of their snapshots. */
#include "cmd/probe_diff.h"

#include <stdlib.h>
#include <string.h>

#include "report/format.h"

struct difference {
    const char *member;      /* "gpus[0].name" */
    const char *left, *right; /* as JSON writes the value; "-" where there is none */
};

struct comparison {
    struct arena *arena;
    struct {
        VEC(struct difference);
    } differences;
};

/* What changes from one moment to the next on one machine. */
static bool is_momentary(const char *member)
{
    size_t n = strlen(member);
    return strcmp(member, "memory.available") == 0 || (n > 12 && strcmp(member + n - 12, ".memory_free") == 0);
}

static const char *value_text(struct arena *arena, const json_t *value)
{
    if (!value)
        return "-";
    if (json_is_string(value))
        return arena_strdup(arena, json_string_value(value));
    struct text text = {.arena = arena};
    char *dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    text_add(&text, "%s", dumped ? dumped : "?");
    free(dumped);
    return text.s;
}

static bool same_member(const json_t *left, const json_t *right, const char *key)
{
    const json_t *one = json_object_get(left, key), *other = json_object_get(right, key);
    return one == other || (one && other && json_equal(one, other)); /* or neither has it */
}

/* Items of a list are the same thing when they have the same name; GPUs are counted. */
static const json_t *counterpart(const json_t *list, size_t index, const json_t *item)
{
    static const char *const keys[] = {"name", "root", "device", NULL};
    if (json_object_get(item, "uuid")) /* a GPU: many have the same name */
        return json_array_get(list, index);
    for (const char *const *key = keys; *key; key++) {
        const json_t *name = json_object_get(item, *key), *other;
        for (size_t i = 0; name && (other = json_array_get(list, i)); i++)
            if (same_member(other, item, *key) && same_member(other, item, "port"))
                return other;
        if (name)
            return NULL;
    }
    return json_array_get(list, index);
}

static const char *item_name(struct arena *arena, const char *list, size_t index, const json_t *item)
{
    const json_t *name = json_object_get(item, "uuid") ? NULL : json_object_get(item, "name");
    if (!name)
        name = json_object_get(item, "root");
    if (!name)
        name = json_object_get(item, "device");
    return json_is_string(name) ? arena_printf(arena, "%s[%s]", list, json_string_value(name))
                                : arena_printf(arena, "%s[%zu]", list, index);
}

static void compare(struct comparison *c, const char *member, const json_t *left, const json_t *right);

static void compare_lists(struct comparison *c, const char *member, const json_t *left, const json_t *right)
{
    const json_t *item;
    for (size_t i = 0; (item = json_array_get(left, i)); i++)
        compare(c, item_name(c->arena, member, i, item), item, counterpart(right, i, item));
    for (size_t i = 0; (item = json_array_get(right, i)); i++)
        if (!counterpart(left, i, item))
            compare(c, item_name(c->arena, member, i, item), NULL, item);
}

static void compare_objects(struct comparison *c, const char *member, const json_t *left, const json_t *right)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)left, key, value)
        compare(c, *member ? arena_printf(c->arena, "%s.%s", member, key) : arena_strdup(c->arena, key), value,
                json_object_get(right, key));
}

static void compare(struct comparison *c, const char *member, const json_t *left, const json_t *right)
{
    if (json_is_object(left) && json_is_object(right))
        compare_objects(c, member, left, right);
    else if (json_is_array(left) && json_is_array(right))
        compare_lists(c, member, left, right);
    else if (!(left && right && json_equal(left, right)) && !is_momentary(member))
        *vec_add(c->arena, &c->differences) = (struct difference){
            member, value_text(c->arena, left), value_text(c->arena, right)};
}

static void write_text(const struct comparison *c, const char *const names[2], struct text *out)
{
    size_t member_width = 0, left_width = strlen(names[0]);
    for (size_t i = 0; i < c->differences.n; i++) {
        const struct difference *d = &c->differences.v[i];
        size_t member = strlen(d->member), left = strlen(d->left);
        member_width = member > member_width ? member : member_width;
        left_width = left > left_width && left <= 60 ? left : left_width;
    }
    if (c->differences.n)
        text_add(out, "%-*s  %-*s  %s\n", (int)member_width, "", (int)left_width, names[0], names[1]);
    for (size_t i = 0; i < c->differences.n; i++) {
        const struct difference *d = &c->differences.v[i];
        text_add(out, "%-*s  %-*s  %s\n", (int)member_width, text_printable(c->arena, str_of(d->member)),
                 (int)left_width, text_printable(c->arena, str_of(d->left)),
                 text_printable(c->arena, str_of(d->right)));
    }
}

static void write_json(const struct comparison *c, const char *const names[2], struct text *out)
{
    _cleanup_json_ json_t *root = json_object();
    json_t *files = json_array(), *differences = json_array();
    for (size_t i = 0; i < 2; i++)
        json_push(files, json_text(c->arena, names[i]));
    for (size_t i = 0; i < c->differences.n; i++) {
        json_t *object = json_object();
        json_put(object, "member", json_text(c->arena, c->differences.v[i].member));
        json_put(object, "left", json_text(c->arena, c->differences.v[i].left));
        json_put(object, "right", json_text(c->arena, c->differences.v[i].right));
        json_push(differences, object);
    }
    json_put(root, "schema", json_text(c->arena, "condagpu.probe-diff/1"));
    json_put(root, "files", files);
    json_put(root, "differences", differences);
    json_write(root, 2, out);
}

bool probe_diff(struct arena *arena, const struct machine *const machines[2], bool json, struct text *out)
{
    struct comparison comparison = {.arena = arena};
    const char *const names[2] = {machines[0]->source, machines[1]->source};
    _cleanup_json_ json_t *left = machine_to_json(machines[0]);
    _cleanup_json_ json_t *right = machine_to_json(machines[1]);
    compare(&comparison, "", left, right);
    text_bytes(out, "", 0);
    if (json)
        write_json(&comparison, names, out);
    else
        write_text(&comparison, names, out);
    return comparison.differences.n == 0;
}
