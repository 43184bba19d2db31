#include <fnmatch.h>
#include <string.h>

#include "prefix/inventory.h"
#include "prefix/record_files.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

/* Lexically: "a/../b" is "b". A wheel's RECORD names scripts as "../../../bin/x". */
static char *normalise(struct arena *arena, const char *path)
{
    struct strv parts = {0};
    struct text text = {.arena = arena};
    struct str rest = str_of(path), part;
    while (str_cut(&rest, '/', &part)) {
        if (part.n == 0 || str_eq_c(part, "."))
            continue;
        if (str_eq_c(part, "..") && parts.n)
            parts.n--;
        else
            strv_add(arena, &parts, str_dup(arena, part));
    }
    text_bytes(&text, "", 0);
    for (size_t i = 0; i < parts.n; i++)
        text_add(&text, "/%s", parts.v[i]);
    return text.s;
}

/* Where a record's file is: a wheel's entries count from the directory that holds its dist-info. */
static char *installed_path(struct arena *arena, const struct inventory *inventory, const struct record *record,
                            struct str entry)
{
    const char *path = str_dup(arena, entry);
    if (record->kind == RECORD_PIP && path[0] != '/')
        path = path_join(arena, path_dirname(arena, record->path), path);
    else if (path[0] != '/')
        path = path_join(arena, inventory->prefix, path);
    return normalise(arena, path);
}

struct search {
    const struct inventory *inventory;
    const struct record *record;
    const char *wanted;   /* absolute, normalised, below inventory->prefix */
    const char *basename; /* of it: most files are told apart by their last part */
    struct arena *scratch;
    bool found;
    char sha256[65];
};

static bool on_file(void *context, const struct record_file *file)
{
    struct search *search = context;
    if (!str_ends(file->path, search->basename)
        || strcmp(installed_path(search->scratch, search->inventory, search->record, file->path), search->wanted) != 0)
        return true;
    search->found = true;
    if (!file->sha256)
        return true; /* a digest may still come, in another part of the record */
    memcpy(search->sha256, file->sha256, sizeof search->sha256);
    return false;
}

static bool owns(struct arena *arena, const struct inventory *inventory, const struct record *record,
                 const char *wanted, struct owner *owner)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct search search = {inventory, record, wanted, path_basename(wanted), scratch, false, ""};
    struct err ignored = {0};
    if (!record_files(record, on_file, &search, &ignored) || !search.found)
        return false;
    *owner = (struct owner){record, search.sha256[0] ? arena_strdup(arena, search.sha256) : NULL};
    return true;
}

static bool find_owner(struct arena *arena, const struct inventory *inventory, const char *wanted, struct owner *owner)
{
    for (int likely = 1; likely >= 0; likely--) {
        for (size_t i = 0; i < inventory->records.n; i++) {
            const struct record *record = &inventory->records.v[i];
            if (record_suggests_cuda(record) == (bool)likely && owns(arena, inventory, record, wanted, owner))
                return true;
        }
    }
    return false;
}

/* A path as the records would name it: below the prefix as given. NULL when it does not lie there. */
static const char *below_prefix(struct arena *arena, const struct inventory *inventory, const char *path)
{
    const char *relative = path_relative(inventory->prefix, path);
    if (!relative)
        relative = path_relative(inventory->real, path);
    return relative && *relative ? normalise(arena, path_join(arena, inventory->prefix, relative)) : NULL;
}

struct owner inventory_owner(struct arena *arena, const struct inventory *inventory, const char *path)
{
    struct owner owner = {0};
    const char *absolute = path_absolute(arena, path), *real = path_real(arena, absolute);
    const char *named = below_prefix(arena, inventory, absolute);
    const char *resolved = real ? below_prefix(arena, inventory, real) : NULL;
    if (named && find_owner(arena, inventory, named, &owner))
        return owner;
    if (resolved && !cstr_eq(named, resolved))
        find_owner(arena, inventory, resolved, &owner);
    return owner;
}

static void add_cudart(struct arena *arena, const char *path, struct strv *paths)
{
    const char *real;
    if (file_is_regular(path) && (real = path_real(arena, path)) && strv_find(paths, real) == paths->n)
        strv_add(arena, paths, real);
}

static bool is_cudart(const char *name)
{
    return fnmatch("libcudart*.so*", name, 0) == 0;
}

static void add_cudarts_in(struct arena *arena, const char *dir, struct strv *paths)
{
    struct strv names = {0};
    if (!dir_list(arena, dir, &names))
        return;
    for (size_t i = 0; i < names.n; i++)
        if (is_cudart(names.v[i]))
            add_cudart(arena, path_join(arena, dir, names.v[i]), paths);
}

static void add_cudarts_of_wheels(struct arena *arena, const char *site_packages, struct strv *paths)
{
    const char *nvidia = path_join(arena, site_packages, "nvidia");
    struct strv names = {0};
    add_cudarts_in(arena, path_join(arena, site_packages, "torch/lib"), paths);
    if (!dir_list(arena, nvidia, &names))
        return;
    for (size_t i = 0; i < names.n; i++)
        add_cudarts_in(arena, arena_printf(arena, "%s/%s/lib", nvidia, names.v[i]), paths);
}

struct collection {
    struct arena *arena;
    const struct inventory *inventory;
    const struct record *record;
    struct strv *paths;
};

static bool on_listed_file(void *context, const struct record_file *file)
{
    struct collection *collection = context;
    size_t start = file->path.n;
    while (start > 0 && file->path.s[start - 1] != '/')
        start--;
    struct str name = str_slice(file->path, start, file->path.n);
    if (str_starts(name, "libcudart") && is_cudart(str_dup(collection->arena, name)))
        add_cudart(collection->arena,
                   installed_path(collection->arena, collection->inventory, collection->record, file->path),
                   collection->paths);
    return true;
}

void inventory_cudart_files(struct arena *arena, const struct inventory *inventory, struct strv *paths)
{
    struct err ignored = {0};
    add_cudarts_in(arena, path_join(arena, inventory->prefix, "lib"), paths);
    add_cudarts_in(arena, path_join(arena, inventory->prefix, "lib64"), paths);
    for (size_t i = 0; i < inventory->targets.n; i++)
        add_cudarts_in(arena, arena_printf(arena, "%s/targets/%s/lib", inventory->prefix, inventory->targets.v[i]),
                       paths);
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        add_cudarts_of_wheels(arena, inventory->site_packages.v[i], paths);
    for (size_t i = 0; i < inventory->records.n; i++) {
        const struct record *record = &inventory->records.v[i];
        struct collection collection = {arena, inventory, record, paths};
        if (record->kind == RECORD_PIP || record_suggests_cuda(record))
            record_files(record, on_listed_file, &collection, &ignored);
    }
    strv_sort(paths);
}
