#include "spec/environment.h"

#include <string.h>

#include "spec/pip.h"
#include "spec/yaml_tree.h"
#include "util/text.h"

static struct place place_of(const struct building *b, const struct node *node)
{
    return (struct place){b->spec->file, node->line, node->column};
}

static bool is_empty(const struct node *node)
{
    return !node || (node->kind == NODE_SCALAR && node->is_null);
}

/* A blank that looks like a space and is none, copied from a web page. */
static bool has_no_break_space(const char *text)
{
    return strstr(text, "\xc2\xa0") != NULL;
}

static bool read_pip_list(struct building *b, const struct node *list, bool dropped)
{
    static const char mend[] = "write each package as one line: \"    - name==version\"";
    if (is_empty(list))
        return true;
    if (list->kind != NODE_LIST)
        return building_fail(b, place_of(b, list), mend, "pip: must hold a list");
    for (size_t i = 0; i < list->items.n; i++) {
        const struct node *item = list->items.v[i];
        if (item->kind != NODE_SCALAR)
            return building_fail(b, place_of(b, item), mend, "an item of the pip: list must be one text");
        if (!item->is_null && !pip_line(b, place_of(b, item), str_of(item->text), dropped))
            return false;
    }
    return true;
}

static const struct node *pip_of(const struct node *item)
{
    return item->kind == NODE_MAP && item->keys.n == 1 ? yaml_value(item, "pip") : NULL;
}

/* The mapping that stands where a line was meant. */
static bool refuse_mapping(struct building *b, const struct node *item)
{
    const struct node *value = item->kind == NODE_MAP && item->keys.n ? item->items.v[0] : NULL;
    if (!value || value->kind != NODE_SCALAR)
        return building_fail(b, place_of(b, item), NULL, "a dependency must be one text, or pip: with a list");
    const char *key = item->keys.v[0]->text;
    return building_fail(b, place_of(b, item), arena_printf(b->arena, "write \"- %s=%s\"", key, value->text),
                         "a dependency must be one text, not a mapping (\"%s: %s\")", key, value->text);
}

static bool read_item(struct building *b, const struct node *item, bool dropped)
{
    const struct node *pip = pip_of(item);
    if (pip)
        return read_pip_list(b, pip, dropped);
    if (item->kind != NODE_SCALAR)
        return refuse_mapping(b, item);
    if (item->is_null)
        return building_fail(b, place_of(b, item), NULL, "an empty dependency");
    if (has_no_break_space(item->text))
        return building_fail(b, place_of(b, item), "write plain spaces", "a no-break space (U+00A0) in \"%s\"",
                             item->text);
    if (!building_room(b, place_of(b, item)))
        return false;
    conda_dep(b, building_dep(b, MANAGER_CONDA, place_of(b, item), str_of(item->text)));
    return true;
}

static void note_pip_lists(struct building *b, const struct node *list, size_t last)
{
    for (size_t i = 0; i < last; i++)
        if (pip_of(list->items.v[i]))
            building_note(b, "several-pip-lists", place_of(b, list->items.v[i]),
                          "conda ignores this pip: list: a later one replaces it (mamba installs both)",
                          "put all pip packages into one list");
}

/* "- pip:" with nothing below it, and then items that only pip's grammar explains. */
static void note_pip_not_indented(struct building *b, const struct node *list)
{
    bool empty_pip = false;
    for (size_t i = 0; i < list->items.n; i++) {
        const struct node *item = list->items.v[i], *pip = pip_of(item);
        if (pip)
            empty_pip = is_empty(pip);
        else if (empty_pip && item->kind == NODE_SCALAR && strstr(item->text, "=="))
            building_note(b, "pip-not-indented", place_of(b, item),
                          arena_printf(b->arena,
                                       "\"%s\" stands behind an empty pip: list and so among conda's packages",
                                       item->text),
                          "indent it below - pip:");
    }
}

static bool refuse_dependencies(struct building *b, const struct node *node)
{
    const char *mend = "write each dependency as \"  - name=version\"";
    if (node->kind == NODE_SCALAR && str_starts(str_of(node->text), "-"))
        mend = has_no_break_space(node->text) ? "a no-break space (U+00A0) stands behind the -: write a plain space"
                                              : "write a space after each -";
    else if (node->kind == NODE_MAP)
        for (size_t i = 0; i < node->items.n; i++)
            if (node->items.v[i]->kind == NODE_MAP)
                mend = "if this is the input of a generator of environment files, give the file that it writes";
    return building_fail(b, place_of(b, node), mend, "dependencies must be a list");
}

static bool read_dependencies(struct building *b, const struct node *list)
{
    if (is_empty(list))
        return true;
    if (list->kind != NODE_LIST)
        return refuse_dependencies(b, list);
    size_t last = 0;
    for (size_t i = 0; i < list->items.n; i++)
        if (pip_of(list->items.v[i]))
            last = i;
    for (size_t i = 0; i < list->items.n; i++)
        if (!read_item(b, list->items.v[i], i < last))
            return false;
    note_pip_lists(b, list, last);
    note_pip_not_indented(b, list);
    return true;
}

static bool read_variables(struct building *b, const struct node *map)
{
    if (is_empty(map))
        return true;
    if (map->kind != NODE_MAP)
        return building_fail(b, place_of(b, map), "write each as \"  NAME: value\"", "variables must be a mapping");
    for (size_t i = 0; i < map->keys.n; i++) {
        const struct node *key = map->keys.v[i], *value = map->items.v[i];
        if (value->kind != NODE_SCALAR)
            return building_fail(b, place_of(b, value), NULL, "the value of %s must be one text", key->text);
        *vec_add(b->arena, &b->spec->variables) = (struct variable){
            .name = key->text, .value = value->is_null ? NULL : value->text, .line = key->line, .column = key->column};
    }
    return true;
}

static bool read_channels(struct building *b, const struct node *list)
{
    if (is_empty(list))
        return true;
    if (list->kind != NODE_LIST)
        return building_fail(b, place_of(b, list), "write each as \"  - name\"", "channels must be a list");
    for (size_t i = 0; i < list->items.n; i++) {
        const struct node *item = list->items.v[i];
        if (item->kind != NODE_SCALAR)
            return building_fail(b, place_of(b, item), NULL, "a channel must be one text");
        strv_add(b->arena, &b->spec->channels, item->text);
    }
    return true;
}

static const char *const known_keys[] = {"name", "channels", "dependencies", "variables", "prefix", NULL};

static void note_key(struct building *b, const struct node *key)
{
    if (strcmp(key->text, "pip") == 0) {
        building_note(b, "top-level-pip", place_of(b, key), "conda ignores pip: at the top level",
                      "move it below dependencies, as \"  - pip:\"");
        return;
    }
    if (strcmp(key->text, "platforms") == 0) {
        building_note(b, "platforms-key", place_of(b, key), "conda ignores platforms; conda-lock reads it", NULL);
        return;
    }
    for (size_t i = 0; known_keys[i]; i++)
        if (strcmp(key->text, known_keys[i]) == 0)
            return;
    const char *near = text_nearest(key->text, known_keys);
    building_note(b, "unknown-key", place_of(b, key), arena_printf(b->arena, "conda ignores the key \"%s\"", key->text),
                  near ? arena_printf(b->arena, "did you mean %s?", near) : NULL);
}

static bool refuse_without_dependencies(struct building *b, const struct node *root)
{
    for (size_t i = 0; i < root->keys.n; i++) {
        const char *near = text_nearest(root->keys.v[i]->text, known_keys);
        if (near && strcmp(near, "dependencies") == 0)
            return building_fail(b, place_of(b, root->keys.v[i]), "did you mean dependencies?", "unknown key \"%s\"",
                                 root->keys.v[i]->text);
    }
    return building_fail(b, place_of(b, root), NULL, "there is no dependencies key");
}

bool environment_read(struct building *b, const struct node *root)
{
    b->spec->format = "environment";
    if (is_empty(root))
        return building_fail(b, (struct place){b->spec->file, 1, 1}, NULL, "the file is empty");
    if (root->kind != NODE_MAP)
        return building_fail(b, place_of(b, root), NULL,
                             "an environment file is a mapping with name, channels and dependencies");
    const struct node *name = yaml_value(root, "name"), *dependencies = yaml_value(root, "dependencies");
    if (!dependencies)
        return refuse_without_dependencies(b, root);
    if (!is_empty(name) && name->kind != NODE_SCALAR)
        return building_fail(b, place_of(b, name), NULL, "name must be one text");
    b->spec->name = is_empty(name) ? NULL : name->text;
    for (size_t i = 0; i < root->keys.n; i++)
        note_key(b, root->keys.v[i]);
    return read_channels(b, yaml_value(root, "channels")) && read_dependencies(b, dependencies)
           && read_variables(b, yaml_value(root, "variables"));
}
