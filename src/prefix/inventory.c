#include "prefix/inventory.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prefix/state.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

static void note(struct arena *arena, struct inventory *inventory, const char *path, const char *why)
{
    strv_add(arena, &inventory->notes, arena_printf(arena, "%s: %s", path, why));
}

/* Lists a directory that may be missing; one that is there and cannot be read is a note. */
static void list(struct arena *arena, struct inventory *inventory, const char *path, struct strv *names)
{
    if (!dir_list(arena, path, names) && errno != ENOENT)
        note(arena, inventory, path, strerror(errno));
}

static int compare_records(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->path, b->path);
}

/* NAME-VERSION-BUILD: neither version nor build can hold a "-". */
static bool split_conda(struct arena *arena, struct str stem, struct record *record)
{
    size_t dashes[2] = {0}, found = 0; /* the last one, and the one before */
    for (size_t i = stem.n; i-- > 0 && found < 2;)
        if (stem.s[i] == '-')
            dashes[found++] = i;
    if (found < 2 || dashes[1] == 0 || dashes[0] == dashes[1] + 1 || dashes[0] + 1 == stem.n)
        return false;
    record->name = str_dup(arena, str_slice(stem, 0, dashes[1]));
    record->version = str_dup(arena, str_slice(stem, dashes[1] + 1, dashes[0]));
    record->build = str_dup(arena, str_slice(stem, dashes[0] + 1, stem.n));
    return true;
}

static void read_conda_records(struct arena *arena, struct inventory *inventory)
{
    const char *dir = path_join(arena, inventory->prefix, "conda-meta");
    struct strv names = {0};
    list(arena, inventory, dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        struct str name = str_of(names.v[i]);
        struct record record = {.kind = RECORD_CONDA, .path = path_join(arena, dir, names.v[i])};
        if (!str_ends(name, ".json") || name.s[0] == '.')
            continue;
        if (split_conda(arena, str_slice(name, 0, name.n - 5), &record))
            *vec_add(arena, &inventory->records) = record;
        else
            note(arena, inventory, record.path, "its name is not NAME-VERSION-BUILD.json");
    }
}

/* PEP 503: lower case, each run of "-", "_" and "." one "-". */
static char *normalise(struct arena *arena, struct str name)
{
    char *text = str_lower(arena, name), *to = text;
    for (const char *from = text; *from; from++) {
        bool separates = strchr("-_.", *from) != NULL;
        if (!separates)
            *to++ = *from;
        else if (to == text || to[-1] != '-')
            *to++ = '-';
    }
    *to = '\0';
    return text;
}

static void read_dist_info(struct arena *arena, struct inventory *inventory, const char *dir, struct str entry)
{
    struct str stem = str_slice(entry, 0, entry.n - strlen(".dist-info"));
    struct record record = {.kind = RECORD_PIP, .path = path_join(arena, dir, str_dup(arena, entry))};
    size_t dash = stem.n;
    while (dash > 0 && stem.s[dash - 1] != '-')
        dash--;
    if (stem.n && stem.s[0] == '~') {
        note(arena, inventory, record.path, "left over from an interrupted run of pip");
        return;
    }
    if (dash < 2 || dash == stem.n) {
        note(arena, inventory, record.path, "its name is not NAME-VERSION.dist-info");
        return;
    }
    record.name = normalise(arena, str_slice(stem, 0, dash - 1));
    record.version = str_dup(arena, str_slice(stem, dash, stem.n));
    record.installer = file_first_line(arena, path_join(arena, record.path, "INSTALLER"));
    if (!cstr_eq(record.installer, "conda"))
        *vec_add(arena, &inventory->records) = record;
}

static void read_pip_records(struct arena *arena, struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->site_packages.n; i++) {
        const char *dir = inventory->site_packages.v[i];
        struct strv names = {0};
        list(arena, inventory, dir, &names);
        for (size_t j = 0; j < names.n; j++)
            if (str_ends(str_of(names.v[j]), ".dist-info"))
                read_dist_info(arena, inventory, dir, str_of(names.v[j]));
    }
}

/* Adds lib/pythonX.Y/site-packages of real directories, or of links to directories that were not met yet. */
static void find_site_packages(struct arena *arena, struct inventory *inventory, const struct strv *names, bool links,
                               struct strv *met)
{
    const char *lib = path_join(arena, inventory->prefix, "lib");
    for (size_t i = 0; i < names->n; i++) {
        const char *python = path_join(arena, lib, names->v[i]), *dir = path_join(arena, python, "site-packages");
        char target[1];
        bool is_link = readlink(python, target, sizeof target) >= 0;
        const char *real;
        if (fnmatch("python[0-9]*", names->v[i], 0) != 0 || is_link != links || !file_is_dir(dir)
            || !(real = path_real(arena, dir)) || strv_find(met, real) < met->n)
            continue;
        strv_add(arena, met, real);
        strv_add(arena, &inventory->site_packages, dir);
    }
}

static void read_site_packages(struct arena *arena, struct inventory *inventory)
{
    struct strv names = {0}, met = {0};
    list(arena, inventory, path_join(arena, inventory->prefix, "lib"), &names);
    find_site_packages(arena, inventory, &names, false, &met);
    find_site_packages(arena, inventory, &names, true, &met);
    strv_sort(&inventory->site_packages);
}

static void read_targets(struct arena *arena, struct inventory *inventory)
{
    const char *dir = path_join(arena, inventory->prefix, "targets");
    struct strv names = {0};
    list(arena, inventory, dir, &names);
    for (size_t i = 0; i < names.n; i++)
        if (file_is_dir(arena_printf(arena, "%s/%s/lib", dir, names.v[i])))
            strv_add(arena, &inventory->targets, names.v[i]);
}

static void read_hooks(struct arena *arena, struct inventory *inventory, bool activate)
{
    const char *dir = path_join(arena, inventory->prefix, activate ? "etc/conda/activate.d" : "etc/conda/deactivate.d");
    struct strv names = {0};
    list(arena, inventory, dir, &names);
    for (size_t i = 0; i < names.n; i++)
        *vec_add(arena, &inventory->hooks) = (struct hook){
            .name = names.v[i],
            .path = path_join(arena, dir, names.v[i]),
            .activate = activate,
            .ours = str_starts(str_of(names.v[i]), HOOK_STEM "."),
        };
}

static void read_env_vars_d(struct arena *arena, struct inventory *inventory)
{
    const char *dir = path_join(arena, inventory->prefix, "etc/conda/env_vars.d");
    struct strv names = {0};
    list(arena, inventory, dir, &names);
    for (size_t i = 0; i < names.n; i++)
        strv_add(arena, &inventory->env_vars_d, path_join(arena, dir, names.v[i]));
}

bool inventory_read(struct arena *arena, const char *prefix, struct inventory *inventory, struct err *err)
{
    *inventory = (struct inventory){.prefix = path_absolute(arena, prefix)};
    inventory->real = path_real(arena, inventory->prefix);
    if (!inventory->real)
        return err_system(err, ERR_INPUT, "prefix", prefix, errno);
    if (!file_is_dir(inventory->real))
        return err_set(err, ERR_INPUT, "prefix", prefix, 0, 0, "not a directory");
    const char *python = path_join(arena, inventory->prefix, "bin/python");
    inventory->is_conda = file_exists(path_join(arena, inventory->prefix, "conda-meta/history"));
    inventory->writable = access(inventory->real, W_OK | X_OK) == 0;
    inventory->python = file_is_regular(python) ? python : NULL;
    read_site_packages(arena, inventory);
    read_conda_records(arena, inventory);
    read_pip_records(arena, inventory);
    if (inventory->records.n)
        qsort(inventory->records.v, inventory->records.n, sizeof *inventory->records.v, compare_records);
    read_targets(arena, inventory);
    read_hooks(arena, inventory, true);
    read_hooks(arena, inventory, false);
    read_env_vars_d(arena, inventory);
    return true;
}

const struct record *inventory_find(const struct inventory *inventory, enum record_kind kind, const char *name)
{
    for (size_t i = 0; i < inventory->records.n; i++)
        if (inventory->records.v[i].kind == kind && strcmp(inventory->records.v[i].name, name) == 0)
            return &inventory->records.v[i];
    return NULL;
}

const struct record *inventory_next(const struct inventory *inventory, enum record_kind kind, const char *start,
                                    size_t *from)
{
    while (*from < inventory->records.n) {
        const struct record *record = &inventory->records.v[(*from)++];
        if (record->kind == kind && str_starts(str_of(record->name), start))
            return record;
    }
    return NULL;
}
