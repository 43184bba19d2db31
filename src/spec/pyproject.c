#include "spec/pyproject.h"

#include <string.h>

#include "spec/locked.h"
#include "spec/pip.h"

static const struct node *child(const struct node *map, const char *key)
{
    return map && map->kind == NODE_MAP ? yaml_value(map, key) : NULL;
}

/* Each is one requirement of PEP 508; a dependency group may also include another, which is read by itself. */
static bool read_list(struct building *b, const char *what, const struct node *list)
{
    if (list && list->kind != NODE_LIST)
        return building_fail(b, locked_place(b, list), "write [\"name==version\"]", "%s must be a list", what);
    for (size_t i = 0; list && i < list->items.n; i++) {
        const struct node *item = list->items.v[i];
        struct place place = locked_place(b, item);
        if (child(item, "include-group"))
            continue;
        if (item->kind != NODE_SCALAR || item->is_bare || str_starts(str_trim(str_of(item->text)), "-"))
            return building_fail(b, place, "write \"name==version\"", "a dependency must be the text of a requirement");
        if (!pip_line(b, place, str_of(item->text), false))
            return false;
    }
    return true;
}

/* The lists of a table such as [project.optional-dependencies]. */
static bool read_groups(struct building *b, const char *what, const struct node *groups, const struct strv *chosen)
{
    struct strv left = {0};
    if (groups && groups->kind != NODE_MAP)
        return building_fail(b, locked_place(b, groups), NULL, "%s must be a table of lists", what);
    for (size_t i = 0; groups && i < groups->keys.n; i++) {
        const char *name = groups->keys.v[i]->text;
        size_t first = b->spec->deps.n;
        if (!read_list(b, name, groups->items.v[i]))
            return false;
        if (strv_find(chosen, name) < chosen->n)
            continue;
        for (size_t dep = first; dep < b->spec->deps.n; dep++)
            b->spec->deps.v[dep].dropped = true;
        strv_add(b->arena, &left, name);
    }
    if (left.n)
        building_remark(b, "other-extras", locked_place(b, groups),
                        arena_printf(b->arena, "%s are not installed unless asked for, and do not count: %s", what,
                                     locked_list(b->arena, &left)));
    return true;
}

/* Markers that say another system; what else a marker says is not weighed. */
static bool may_hold_here(struct arena *arena, const char *marker)
{
    static const char *const elsewhere[] = {"=='darwin'",  "=='win32'", "=='Darwin'",
                                            "=='Windows'", "!='linux'", "!='Linux'"};
    char *squeezed = arena_strdup(arena, marker ? marker : ""), *out = squeezed;
    bool holds = true;
    for (const char *c = squeezed; *c; c++)
        if (*c != ' ')
            *out++ = (char)(*c == '"' ? '\'' : *c);
    *out = '\0';
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        holds = holds && !strstr(squeezed, elsewhere[i]);
    return holds;
}

/* A source counts on this system, with its extra or group among those that count. */
static bool counts(struct arena *arena, const struct node *source, const struct strv *chosen)
{
    const char *extra = locked_text(source, "extra"), *group = locked_text(source, "group");
    const char *only = extra ? extra : group;
    return locked_text(source, "index") && may_hold_here(arena, locked_text(source, "marker"))
           && (!only || strv_find(chosen, only) < chosen->n);
}

static bool read_index(struct building *b, const struct node *indexes, const char *wanted)
{
    for (size_t i = 0; indexes && indexes->kind == NODE_LIST && i < indexes->items.n; i++) {
        const struct node *index = indexes->items.v[i];
        const char *url = locked_text(index, "url");
        if (url && cstr_eq(locked_text(index, "name"), wanted)
            && !pip_line(b, locked_place(b, yaml_value(index, "url")),
                         str_of(arena_printf(b->arena, "--index-url %s", url)), false))
            return false;
    }
    return true;
}

/* [tool.uv.sources] torch = { index = "NAME" }, or a list of them: the index decides which CUDA torch was built with.
 */
static bool read_uv(struct building *b, const struct node *uv, const struct strv *chosen)
{
    const struct node *torch = child(child(uv, "sources"), "torch");
    struct strv names = {0};
    if (torch && torch->kind == NODE_MAP && counts(b->arena, torch, chosen))
        strv_add(b->arena, &names, locked_text(torch, "index"));
    for (size_t i = 0; torch && torch->kind == NODE_LIST && i < torch->items.n; i++)
        if (counts(b->arena, torch->items.v[i], chosen))
            strv_add(b->arena, &names, locked_text(torch->items.v[i], "index"));
    if (names.n == 1)
        return read_index(b, child(uv, "index"), names.v[0]);
    if (names.n)
        building_note(b, "several-indexes", locked_place(b, torch),
                      arena_printf(b->arena, "which index torch is taken from depends on more than is read here: %s",
                                   locked_list(b->arena, &names)),
                      "pin torch==A.B.C+cuXYZ");
    return true;
}

static void note_dynamic(struct building *b, const struct node *project)
{
    const struct node *dynamic = child(project, "dynamic");
    for (size_t i = 0; dynamic && dynamic->kind == NODE_LIST && i < dynamic->items.n; i++)
        if (cstr_eq(dynamic->items.v[i]->text, "dependencies"))
            building_note(b, "dynamic-dependencies", locked_place(b, dynamic->items.v[i]),
                          "the dependencies are found when the project is built: what they pin is not known", NULL);
}

bool pyproject_read(struct building *b, const struct node *root, bool has_pixi, const struct strv *chosen)
{
    const struct node *project = child(root, "project");
    if (!project && !has_pixi)
        return building_fail(b, (struct place){b->spec->file, 1, 1}, NULL,
                             "neither pixi's tables ([workspace] or [tool.pixi]) nor [project] of pyproject.toml");
    note_dynamic(b, project);
    return read_list(b, "dependencies", child(project, "dependencies"))
           && read_groups(b, "optional-dependencies", child(project, "optional-dependencies"), chosen)
           && read_groups(b, "dependency-groups", child(root, "dependency-groups"), chosen)
           && read_uv(b, child(child(root, "tool"), "uv"), chosen);
}
