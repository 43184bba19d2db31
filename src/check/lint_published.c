/* Versions and builds that no channel holds. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "check/lint_rule.h"

static const char *const manager_names[] = {[MANAGER_CONDA] = "conda", [MANAGER_PIP] = "pip"};

/* One of several globs that blanks separate. */
static bool is_listed(const char *list, const char *name, struct arena *arena)
{
    struct str rest = str_of(list), word;
    while (str_cut(&rest, ' ', &word))
        if (fnmatch(str_dup(arena, word), name, 0) == 0)
            return true;
    return false;
}

static bool is_about(const struct linting *l, const struct table *table, size_t row, const struct dep *dep)
{
    return strcmp(table_cell(table, row, "manager"), manager_names[dep->manager]) == 0
        && is_listed(table_cell(table, row, "package"), dep->name, l->arena);
}

static bool is_of_channel(const struct table *table, size_t row, struct str channel)
{
    const char *named = table_cell(table, row, "channel");
    return strcmp(named, "any") == 0 || str_eq_c(channel, named);
}

static bool has_extra(const struct dep *dep, const char *glob)
{
    struct str rest = str_of(dep->extras), extra;
    while (str_cut(&rest, ',', &extra)) {
        extra = str_trim(extra);
        char name[64];
        if (extra.n >= sizeof name)
            continue;
        memcpy(name, extra.s, extra.n);
        name[extra.n] = '\0';
        if (fnmatch(glob, name, 0) == 0)
            return true;
    }
    return false;
}

static bool admits(const struct dep *dep, const char *version)
{
    if (!dep->version)
        return true;
    return dep->manager == MANAGER_CONDA ? conda_version_matches(dep->version, version)
                                         : pep440_matches(dep->version, version);
}

static bool admits_one_of(const struct linting *l, const struct dep *dep, const char *versions)
{
    struct str rest = str_of(versions), version;
    while (str_cut(&rest, ' ', &version))
        if (version.n && admits(dep, str_dup(l->arena, version)))
            return true;
    return false;
}

/* The row that says that `channel` holds nothing of what the dependency admits; table->rows for none. */
static size_t row_against(const struct linting *l, const struct dep *dep, struct str channel)
{
    const struct table *table = l->published;
    for (size_t row = 0; row < table->rows; row++) {
        const char *subdir = table_cell(table, row, "subdir"), *versions = table_cell(table, row, "versions");
        if (table_cell(table, row, "extra") || !is_of_channel(table, row, channel) || !is_about(l, table, row, dep))
            continue;
        if (subdir && (!dep->subdir || fnmatch(subdir, dep->subdir, 0) != 0))
            continue;
        if (lint_within(l->arena, dep, table_cell(table, row, "area")) && !(versions && admits_one_of(l, dep, versions)))
            return row;
    }
    return table->rows;
}

/* The same for a build string. Digits in front of a star may go on. */
static size_t build_row_against(const struct linting *l, const struct dep *dep, struct str channel)
{
    const struct table *table = l->builds;
    const char *found = dep->build ? strstr(dep->build, "cuda") : NULL;
    size_t n = found ? strspn(found + 4, "0123456789") : 0;
    if (n < 2 || n > 3 || found[4 + n] == '.')
        return table->rows;
    for (size_t row = 0; row < table->rows; row++) {
        struct str rest, variant, newest = {"", 0};
        bool exists = false;
        if (!is_of_channel(table, row, channel) || !is_about(l, table, row, dep))
            continue;
        for (rest = str_of(table_cell(table, row, "variants")); str_cut(&rest, ' ', &variant); newest = variant)
            exists |= strncmp(variant.s, found + 4, n) == 0 && (variant.n == n || found[4 + n] == '*');
        if (!exists && strtoul(found + 4, NULL, 10) < strtoul(newest.s, NULL, 10))
            return row;
    }
    return table->rows;
}

typedef size_t (*row_finder)(const struct linting *l, const struct dep *dep, struct str channel);

/* The row against the first channel, when there is one against each that the dependency may come from. */
static size_t row_against_all(const struct linting *l, const struct dep *dep, row_finder find, size_t none)
{
    const struct strv *channels = &l->spec->channels;
    size_t first = none;
    bool any = false;
    if (dep->manager == MANAGER_PIP)
        return find(l, dep, STR("any"));
    if (dep->channel && strstr(dep->channel, "/label/"))
        return none;
    if (dep->channel)
        return find(l, dep, lint_channel(dep->channel));
    for (size_t i = 0; i < channels->n; i++) {
        if (strcmp(channels->v[i], "nodefaults") == 0)
            continue;
        size_t row = strstr(channels->v[i], "/label/") ? none : find(l, dep, lint_channel(channels->v[i]));
        if (row == none)
            return none;
        first = any ? first : row;
        any = true;
    }
    return any ? first : find(l, dep, STR("defaults"));
}

static void report_published(struct linting *l, const struct dep *dep, size_t row)
{
    const struct table *table = l->published;
    bool sure = strcmp(table_cell(table, row, "channel"), "any") == 0 || lint_channels_closed(l, dep);
    const char *mend = table_cell(table, row, "mend");
    lint_dep(l, "never-published", sure ? STATUS_FAIL : STATUS_WARN, dep, mend, "%s matches nothing%s: %s", dep->text,
             sure ? "" : " in the channels of this file", table_cell(table, row, "why"));
}

static void report_build(struct linting *l, const struct dep *dep, size_t row)
{
    bool sure = lint_channels_closed(l, dep);
    lint_dep(l, "never-published", sure ? STATUS_FAIL : STATUS_WARN, dep,
             arena_printf(l->arena, "%s was built for cuda %s", dep->name, table_cell(l->builds, row, "variants")),
             "%s matches nothing%s: there is no such build of %s", dep->text,
             sure ? "" : " in the channels of this file", dep->name);
}

/* pip takes the newest release that it may. */
static void look_at_extras(struct linting *l, const struct dep *dep)
{
    const struct table *table = l->published;
    for (size_t row = 0; row < table->rows; row++) {
        const char *extra = table_cell(table, row, "extra");
        if (!extra || !is_about(l, table, row, dep) || !has_extra(dep, extra))
            continue;
        if (admits(dep, "99999") || lint_within(l->arena, dep, table_cell(table, row, "area")))
            lint_dep(l, "lost-extra", STATUS_WARN, dep, table_cell(table, row, "mend"),
                     "%s brings no CUDA: %s, and pip only warns of an extra it does not know", dep->text,
                     table_cell(table, row, "why"));
    }
}

/* The names that the tables speak of, so that a file of thousands of other packages costs little. */
struct names {
    struct strv exact /* ascending */, globs;
};

static void collect_names(struct arena *arena, const struct table *table, struct names *names)
{
    for (size_t row = 0; row < table->rows; row++) {
        struct str rest = str_of(table_cell(table, row, "package")), word;
        while (str_cut(&rest, ' ', &word))
            strv_add(arena, str_find(word, '*') < word.n ? &names->globs : &names->exact, str_dup(arena, word));
    }
    strv_sort(&names->exact);
}

static int name_cmp(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool is_known(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->globs.n; i++)
        if (fnmatch(names->globs.v[i], name, 0) == 0)
            return true;
    return bsearch(&name, names->exact.v, names->exact.n, sizeof *names->exact.v, name_cmp) != NULL;
}

void lint_published(struct linting *l)
{
    struct names names = {0};
    collect_names(l->arena, l->published, &names);
    collect_names(l->arena, l->builds, &names);
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        size_t row;
        if (!dep->name || dep->problem || dep->dropped || !is_known(&names, dep->name)
            || spec_is_unexpanded(str_of(dep->text)))
            continue;
        if ((row = row_against_all(l, dep, row_against, l->published->rows)) < l->published->rows)
            report_published(l, dep, row);
        else if (dep->manager == MANAGER_CONDA
                 && (row = row_against_all(l, dep, build_row_against, l->builds->rows)) < l->builds->rows)
            report_build(l, dep, row);
        if (dep->extras)
            look_at_extras(l, dep);
    }
}
