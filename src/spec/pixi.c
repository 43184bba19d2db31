#include "spec/pixi.h"

#include <stdlib.h>
#include <string.h>

#include "spec/matchspec.h"
#include "spec/locked.h"
#include "spec/pip.h"
#include "spec/pyproject.h"
#include "util/text.h"

enum { MOST_FEATURES = 1000 };

struct manifest {
    struct building *b;
    struct strv targets;  /* whose [target.NAME] tables count, the most special last */
    struct strv features; /* of the default environment */
    struct strv left;     /* features that are not, and ask for something */
    struct strv conditional;
    const char *platform; /* the platform's name; NULL where several could be meant */
    bool no_default;      /* the default environment leaves out the tables at the top */
};

static const struct node *child(const struct node *map, const char *key)
{
    return map && map->kind == NODE_MAP ? yaml_value(map, key) : NULL;
}

/* NULL for none; a key that holds something else than a table is refused. */
static bool table_at(struct building *b, const struct node *map, const char *key, const struct node **table)
{
    *table = child(map, key);
    return !*table || (*table)->kind == NODE_MAP
           || building_fail(b, locked_place(b, *table), NULL, "%s must be a table", key);
}

/* 12.10 without quotes is a number, which pixi refuses. */
static bool check_text(struct building *b, const struct node *key, const struct node *value)
{
    if (value->kind == NODE_SCALAR && !value->is_bare)
        return true;
    if (value->kind == NODE_SCALAR)
        return building_fail(b, locked_place(b, value),
                             arena_printf(b->arena, "write %s = \"%s\"", key->text, value->text),
                             "%s must be a text in quotes", key->text);
    return building_fail(b, locked_place(b, value), NULL, "%s must be a text", key->text);
}

/* The text below a key of a specification's table; NULL for none. */
static bool text_in(struct building *b, const struct node *map, const char *name, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < map->keys.n; i++)
        if (strcmp(map->keys.v[i]->text, name) == 0) {
            *text = map->items.v[i]->text;
            return check_text(b, map->keys.v[i], map->items.v[i]);
        }
    return true;
}

/* ---- one dependency */

static bool check_name(struct building *b, const struct node *key)
{
    return locked_is_name(key->text)
           || building_fail(b, locked_place(b, key), NULL, "\"%s\" is no name of a package", key->text);
}

/* NAME = { version, build, channel, subdir }: the parts win over what the version's text may hold. */
static bool read_conda_table(struct building *b, const struct node *key, const struct node *table)
{
    const char *version, *build, *channel, *subdir, *url;
    if (!text_in(b, table, "version", &version) || !text_in(b, table, "build", &build)
        || !text_in(b, table, "channel", &channel) || !text_in(b, table, "subdir", &subdir)
        || !text_in(b, table, "url", &url))
        return false;
    struct dep *dep = building_dep(b, MANAGER_CONDA, locked_place(b, key),
                                   str_of(arena_printf(b->arena, "%s %s", key->text, version ? version : "")));
    conda_dep(b, dep);
    if (!dep->name)
        return true;
    if (url)
        matchspec_read_address(b->arena, dep, str_of(url));
    dep->build = build ? build : dep->build;
    dep->subdir = subdir ? subdir : dep->subdir;
    dep->channel = channel ? matchspec_channel(b->arena, str_of(channel)) : dep->channel;
    if (build || channel)
        dep->text = arena_printf(b->arena, "%s%s%s %s%s%s", channel ? dep->channel : "", channel ? "::" : "", key->text,
                                 version ? version : "*", build ? " " : "", build ? build : "");
    return true;
}

static bool read_conda(struct manifest *m, const struct node *key, const struct node *value)
{
    struct building *b = m->b;
    if (value->kind == NODE_MAP)
        return read_conda_table(b, key, value);
    if (!check_text(b, key, value))
        return false;
    conda_dep(b, building_dep(b, MANAGER_CONDA, locked_place(b, key),
                              str_of(arena_printf(b->arena, "%s %s", key->text, value->text))));
    return true;
}

/* Between a name and its version: pip takes "name==1", and refuses "name 1", which must not become "name1". */
static const char *blank_before(const char *version)
{
    return memchr("=<>!~", version[0], 5) ? "" : " ";
}

/* NAME = { version, extras, index, url, git, path } as PEP 508 writes it. */
static bool requirement_of(struct building *b, const struct node *key, const struct node *table, const char **text)
{
    struct text line = {.arena = b->arena};
    const struct node *extras = yaml_value(table, "extras");
    const char *version, *url, *git, *path;
    if (!text_in(b, table, "version", &version) || !text_in(b, table, "url", &url) || !text_in(b, table, "git", &git)
        || !text_in(b, table, "path", &path))
        return false;
    text_add(&line, "%s", key->text);
    for (size_t i = 0; extras && extras->kind == NODE_LIST && i < extras->items.n; i++)
        if (extras->items.v[i]->kind == NODE_SCALAR)
            text_add(&line, "%s%s%s", i ? "," : "[", extras->items.v[i]->text, i + 1 == extras->items.n ? "]" : "");
    if (url || git || path)
        text_add(&line, " @ %s%s", git && !str_starts(str_of(git), "git+") ? "git+" : "", url ? url : git ? git : path);
    else if (version && strcmp(version, "*") != 0)
        text_add(&line, "%s%s", blank_before(version), version);
    *text = line.s;
    return true;
}

/* The index that torch is taken from decides which CUDA it was built with. */
static bool read_index(struct building *b, const struct node *key, const struct node *table)
{
    const char *index;
    if (!text_in(b, table, "index", &index))
        return false;
    return !index || strcmp(key->text, "torch") != 0
           || pip_line(b, locked_place(b, key), str_of(arena_printf(b->arena, "--index-url %s", index)), false);
}

static bool read_pip(struct manifest *m, const struct node *key, const struct node *value)
{
    struct building *b = m->b;
    const char *text = NULL;
    if (value->kind == NODE_MAP) {
        if (!requirement_of(b, key, value, &text))
            return false;
    } else if (!check_text(b, key, value)) {
        return false;
    } else {
        const char *version = strcmp(value->text, "*") == 0 ? "" : value->text;
        text = arena_printf(b->arena, "%s%s%s", key->text, blank_before(version), version);
    }
    return pip_line(b, locked_place(b, key), str_of(text), false)
           && (value->kind != NODE_MAP || read_index(b, key, value));
}

/* ---- the tables of one feature */

static const struct kind {
    const char *table;
    bool (*read)(struct manifest *m, const struct node *key, const struct node *value);
} kinds[] = {
    {"dependencies", read_conda},
    {"host-dependencies", read_conda},
    {"build-dependencies", read_conda},
    {"pypi-dependencies", read_pip},
};

/* NAME = { when = "__cuda >=12" } and [dependencies."if(linux)"] hold on some machines only. */
static bool is_conditional(const struct node *key, const struct node *value)
{
    return str_starts(str_of(key->text), "if(") || child(value, "when");
}

static bool read_one(struct manifest *m, const struct kind *kind, const struct node *key, const struct node *value)
{
    struct building *b = m->b;
    size_t first = b->spec->deps.n;
    bool conditional = is_conditional(key, value);
    if (conditional && m->conditional.n < 64)
        strv_add(b->arena, &m->conditional, key->text);
    if (str_starts(str_of(key->text), "if("))
        return true;
    if (!building_room(b, locked_place(b, key)) || !check_name(b, key) || !kind->read(m, key, value))
        return false;
    for (size_t i = first; conditional && i < b->spec->deps.n; i++)
        b->spec->deps.v[i].dropped = true;
    return true;
}

static bool read_kind(struct manifest *m, const struct node *tables, const struct kind *kind)
{
    const struct node *specs;
    if (!table_at(m->b, tables, kind->table, &specs))
        return false;
    for (size_t i = 0; specs && i < specs->keys.n; i++)
        if (!read_one(m, kind, specs->keys.v[i], specs->items.v[i]))
            return false;
    return true;
}

static int dep_cmp(const void *left, const void *right)
{
    const struct dep *l = *(struct dep *const *)left, *r = *(struct dep *const *)right;
    int order =
        l->manager != r->manager ? (l->manager > r->manager) - (l->manager < r->manager) : strcmp(l->name, r->name);
    return order ? order : (l > r) - (l < r);
}

/* A package that a later table names again is taken from there: [target.linux-64] wins. Its index goes with it. */
static void drop_replaced(struct building *b, size_t first)
{
    struct {
        VEC(struct dep *);
    } named = {0};
    struct dep *end = b->spec->deps.v + b->spec->deps.n;
    for (size_t i = first; i < b->spec->deps.n; i++)
        if (b->spec->deps.v[i].name && !b->spec->deps.v[i].dropped)
            *vec_add(b->arena, &named) = &b->spec->deps.v[i];
    if (named.n)
        qsort(named.v, named.n, sizeof *named.v, dep_cmp);
    for (size_t i = 1; i < named.n; i++) {
        struct dep *before = named.v[i - 1];
        if (before->manager != named.v[i]->manager || strcmp(before->name, named.v[i]->name) != 0)
            continue;
        before->dropped = true;
        if (before + 1 < end && before[1].manager == MANAGER_PIP && !before[1].name)
            before[1].dropped = true;
    }
}

/* The driver that the environment is made for, as conda's virtual package has it: cuda = "12" or { driver = "12" }. */
static bool read_driver(struct building *b, const struct node *table)
{
    for (size_t i = 0; table && i < table->keys.n; i++) {
        const struct node *key = table->keys.v[i], *value = table->items.v[i];
        const char *version = value->text;
        if (strcmp(key->text, "cuda") != 0)
            continue;
        if (value->kind == NODE_MAP ? !text_in(b, value, "driver", &version) : !check_text(b, key, value))
            return false;
        if (version)
            conda_dep(b, building_dep(b, MANAGER_CONDA, locked_place(b, key),
                                      str_of(arena_printf(b->arena, "__cuda >=%s", version))));
    }
    return true;
}

static bool read_options(struct building *b, const struct node *options)
{
    const struct node *more = child(options, "extra-index-urls");
    const char *index = locked_text(options, "index-url");
    if (index
        && !pip_line(b, locked_place(b, yaml_value(options, "index-url")),
                     str_of(arena_printf(b->arena, "--index-url %s", index)), false))
        return false;
    for (size_t i = 0; more && more->kind == NODE_LIST && i < more->items.n; i++)
        if (more->items.v[i]->kind == NODE_SCALAR
            && !pip_line(b, locked_place(b, more->items.v[i]),
                         str_of(arena_printf(b->arena, "--extra-index-url %s", more->items.v[i]->text)), false))
            return false;
    return true;
}

static bool read_tables(struct manifest *m, const struct node *tables, bool dropped)
{
    struct building *b = m->b;
    size_t first = b->spec->deps.n;
    const struct node *targets, *target, *requirements, *options;
    if (!table_at(b, tables, "target", &targets) || !table_at(b, tables, "system-requirements", &requirements)
        || !table_at(b, tables, "pypi-options", &options))
        return false;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if (!read_kind(m, tables, &kinds[kind]))
            return false;
        for (size_t i = 0; i < m->targets.n; i++)
            if (!table_at(b, targets, m->targets.v[i], &target) || !read_kind(m, target, &kinds[kind]))
                return false;
    }
    drop_replaced(b, first);
    if (!read_driver(b, requirements) || !read_options(b, options))
        return false;
    for (size_t i = first; dropped && i < b->spec->deps.n; i++)
        b->spec->deps.v[i].dropped = true;
    return true;
}

/* ---- platforms, features, environments */

/* Entries are "linux-64" or { platform = "linux-64", name = "gpu", cuda = "12" }. */
static const char *platform_name(const struct node *entry, const char **subdir)
{
    const char *name = entry->kind == NODE_SCALAR ? entry->text : locked_text(entry, "name");
    const char *platform = entry->kind == NODE_SCALAR ? entry->text : locked_text(entry, "platform");
    *subdir = platform ? platform : name;
    return name ? name : platform;
}

static void note_platforms(struct building *b, const struct node *platforms, const struct strv *ours)
{
    const char *list = locked_list(b->arena, ours);
    if (ours->n)
        building_note(b, "several-platforms", locked_place(b, platforms),
                      arena_printf(b->arena,
                                   "which of the platforms %s counts depends on the machine: what one of them "
                                   "alone asks for does not count",
                                   list),
                      NULL);
    else
        building_note(b, "other-platforms", locked_place(b, platforms),
                      arena_printf(b->arena, "%s is not among the platforms", locked_platform()), NULL);
}

static bool choose_platform(struct manifest *m, const struct node *workspace)
{
    const struct node *platforms = child(workspace, "platforms"), *chosen = NULL;
    struct strv ours = {0};
    const char *subdir;
    strv_add(m->b->arena, &m->targets, "unix");
    strv_add(m->b->arena, &m->targets, "linux");
    for (size_t i = 0; platforms && platforms->kind == NODE_LIST && i < platforms->items.n; i++) {
        const char *name = platform_name(platforms->items.v[i], &subdir);
        if (!cstr_eq(subdir, locked_platform()))
            continue;
        strv_add(m->b->arena, &ours, name);
        chosen = platforms->items.v[i];
    }
    if (platforms && ours.n != 1)
        note_platforms(m->b, platforms, &ours);
    if (ours.n > 1)
        return true;
    m->platform = ours.n ? ours.v[0] : locked_platform();
    strv_add(m->b->arena, &m->targets, locked_platform());
    if (strcmp(m->platform, locked_platform()) != 0)
        strv_add(m->b->arena, &m->targets, m->platform);
    return !chosen || chosen->kind != NODE_MAP || read_driver(m->b, chosen);
}

static bool add_features(struct manifest *m, const struct node *list)
{
    struct building *b = m->b;
    if (list && list->kind != NODE_LIST)
        return building_fail(b, locked_place(b, list), NULL, "the features of an environment must be a list");
    if (list && list->items.n > MOST_FEATURES)
        return building_fail(b, locked_place(b, list), NULL, "more than 1,000 features");
    for (size_t i = 0; list && i < list->items.n; i++)
        if (list->items.v[i]->kind == NODE_SCALAR)
            strv_add(b->arena, &m->features, list->items.v[i]->text);
    return true;
}

/* The default environment is the tables at the top, unless [environments] says more. */
static bool choose_features(struct manifest *m, const struct node *tables, const struct node **inlined)
{
    const struct node *environments;
    if (!table_at(m->b, tables, "environments", &environments))
        return false;
    const struct node *chosen = child(environments, "default");
    if (!chosen || chosen->kind != NODE_MAP)
        return add_features(m, chosen);
    *inlined = chosen;
    m->no_default = cstr_eq(locked_text(chosen, "no-default-feature"), "true");
    return add_features(m, yaml_value(chosen, "features"));
}

static bool is_for_us(const struct manifest *m, const struct node *feature)
{
    const struct node *platforms = child(feature, "platforms");
    const char *subdir;
    if (!platforms || platforms->kind != NODE_LIST)
        return true;
    for (size_t i = 0; i < platforms->items.n; i++) {
        const char *name = platform_name(platforms->items.v[i], &subdir);
        if (m->platform && (cstr_eq(name, m->platform) || cstr_eq(subdir, locked_platform())))
            return true;
    }
    return false;
}

static bool read_features(struct manifest *m, const struct node *tables)
{
    struct building *b = m->b;
    const struct node *features;
    if (!table_at(b, tables, "feature", &features))
        return false;
    for (size_t i = 0; features && i < features->keys.n; i++) {
        const char *name = features->keys.v[i]->text;
        size_t before = b->spec->deps.n;
        bool counts = strv_find(&m->features, name) < m->features.n && is_for_us(m, features->items.v[i]);
        if (!read_tables(m, features->items.v[i], !counts))
            return false;
        if (!counts && b->spec->deps.n > before)
            strv_add(b->arena, &m->left, name);
    }
    if (m->left.n)
        building_remark(b, "other-features", locked_place(b, features),
                        arena_printf(b->arena, "the environment default is read, without the features %s",
                                     locked_list(b->arena, &m->left)));
    return true;
}

static void read_channels(struct building *b, const struct node *workspace)
{
    const struct node *channels = child(workspace, "channels");
    for (size_t i = 0; channels && channels->kind == NODE_LIST && i < channels->items.n; i++) {
        const struct node *item = channels->items.v[i];
        const char *name = item->kind == NODE_SCALAR ? item->text : locked_text(item, "channel");
        if (name)
            strv_add(b->arena, &b->spec->channels, matchspec_channel(b->arena, str_of(name)));
    }
}

static const struct node *workspace_of(const struct node *tables)
{
    const struct node *workspace = child(tables, "workspace");
    return workspace ? workspace : child(tables, "project");
}

static bool read_pixi(struct manifest *m, const struct node *tables)
{
    struct building *b = m->b;
    const struct node *inlined = NULL, *workspace = workspace_of(tables), *options;
    read_channels(b, workspace);
    if (!choose_features(m, tables, &inlined) || !choose_platform(m, workspace)
        || !table_at(b, workspace, "pypi-options", &options) || !read_options(b, options)
        || !read_tables(m, tables, m->no_default) || (inlined && !read_tables(m, inlined, false))
        || !read_features(m, tables))
        return false;
    if (m->conditional.n)
        building_remark(b, "conditional-dependencies", locked_place(b, tables),
                        arena_printf(b->arena, "what holds on some machines only does not count: %s",
                                     locked_list(b->arena, &m->conditional)));
    return true;
}

bool manifest_read(struct building *b, const struct node *root)
{
    struct manifest m = {.b = b};
    const struct node *pixi = child(child(root, "tool"), "pixi"), *workspace = workspace_of(root);
    bool is_pixi = !pixi && (child(workspace, "channels") || child(workspace, "platforms"));
    b->spec->format = is_pixi ? "pixi" : "pyproject";
    if (is_pixi)
        return read_pixi(&m, root);
    if (pixi && !read_pixi(&m, pixi))
        return false;
    return pyproject_read(b, root, pixi != NULL, &m.features);
}
