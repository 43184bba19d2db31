#include <elf.h>
#include <errno.h>
#include <string.h>

#include "loader/emulate.h"
#include "util/file.h"
#include "util/path.h"

/* What becomes of a list of directories. */
enum verdict { GO_ON, DECIDED };

struct search {
    struct process *process;
    struct loader *loader;
    struct name *name;
    struct search_steps *steps; /* NULL: not recorded */
    struct hit *hit;
    bool decided; /* the rest is only recorded, for what loses */
};

static void record(struct search *search, enum loader_via via, const char *by, const char *dir, const char *candidate,
                   const char *outcome)
{
    struct arena *arena = search->loader->arena;
    if (search->steps)
        *vec_add(arena, search->steps) =
            (struct search_step){via, by, dir, arena_strdup(arena, candidate), arena_strdup(arena, outcome)};
}

/* Which of the subdirectories exist in a directory; asked once. */
static void look_at_dir(struct loader *loader, struct dir *dir)
{
    const struct strv *all = &loader->system.subdirs;
    dir->is_known = true;
    dir->is_missing = dir->path[0] == '/' && !file_is_dir(dir->path);
    for (size_t i = 0; !dir->is_missing && i < all->n; i++)
        if (file_is_dir(emulate_buffer(loader, dir->path, all->v[i], "")))
            strv_add(loader->arena, &dir->subdirs, all->v[i]);
}

/* Tries one file. *errnum is the reason of a failed open, or 0. A search whose steps are recorded goes on to its end. */
static enum verdict try_file(struct search *search, enum loader_via via, const char *by, const char *dir,
                             const char *path, int *errnum)
{
    struct located *at = emulate_locate(search->loader, path, errnum);
    if (!at) {
        if (!search->decided)
            record(search, via, by, dir, path, strerror(*errnum));
        return GO_ON;
    }
    const struct object *object = at->object;
    if (search->decided) {
        record(search, via, by, dir, path, object->problem ? object->problem : SEARCH_TOO_LATE);
        return GO_ON;
    }
    record(search, via, by, dir, path, object->problem ? object->problem : "found");
    if (object->is_foreign)
        return GO_ON;
    *search->hit = (struct hit){object->problem ? VIA_FATAL : via, at, by, object->problem, NULL};
    search->decided = true;
    return search->steps ? GO_ON : DECIDED;
}

/* A list is left for the next one when a file is there and cannot be opened for an uncommon reason (open_path()). */
static enum verdict try_dir(struct search *search, enum loader_via via, const char *by, struct dir *dir, bool *leave)
{
    struct loader *loader = search->loader;
    int errnum = 0;
    if (!dir->is_known)
        look_at_dir(loader, dir);
    if (dir->is_missing && !search->decided) {
        record(search, via, by, dir->path, NULL, "no such directory");
        return GO_ON;
    }
    if (dir->is_missing)
        return GO_ON;
    for (size_t i = 0; i <= dir->subdirs.n; i++) {
        const char *subdir = i < dir->subdirs.n ? dir->subdirs.v[i] : "";
        const char *path = emulate_buffer(loader, dir->path, subdir, search->name->s);
        enum verdict verdict = try_file(search, via, by, dir->path, path, &errnum);
        if (verdict != GO_ON)
            return verdict;
    }
    *leave = !search->decided && errnum && errnum != ENOENT && errnum != EACCES && (dir->path[0] != '/' || file_is_dir(dir->path));
    return GO_ON;
}

static enum verdict try_list(struct search *search, enum loader_via via, const char *by, const struct dirs *dirs)
{
    for (size_t i = 0; dirs && i < dirs->n; i++) {
        bool leave = false;
        enum verdict verdict = try_dir(search, via, by, dirs->v[i], &leave);
        if (verdict != GO_ON)
            return verdict;
        if (leave) {
            record(search, via, by, dirs->v[i]->path, NULL, "the rest of this list is not searched");
            return GO_ON;
        }
    }
    return GO_ON;
}

static enum verdict try_rpaths(struct search *search, const struct map *asker)
{
    const struct map *main = search->process->main;
    bool main_tried = false;
    for (const struct map *map = asker; map; map = map->loader) {
        enum verdict verdict = try_list(search, VIA_RPATH, map->at->path, map->at->rpath);
        if (verdict != GO_ON)
            return verdict;
        main_tried |= map == main;
    }
    return main && !main_tried ? try_list(search, VIA_RPATH, main->at->path, main->at->rpath) : GO_ON;
}

static bool is_in_system_dir(const struct loader *loader, const char *path)
{
    for (size_t i = 0; i < loader->system.dirs.n; i++)
        if (strncmp(path, loader->system.dirs.v[i], strlen(loader->system.dirs.v[i])) == 0)
            return true;
    return false;
}

static enum verdict try_cache(struct search *search, bool no_default)
{
    struct loader *loader = search->loader;
    const char *path = cache_lookup(&loader->cache, search->name->s);
    int errnum;
    if (!path && !search->decided)
        record(search, VIA_CACHE, NULL, loader->cache.path, NULL, "not listed");
    if (!path)
        return GO_ON;
    if (no_default && is_in_system_dir(loader, path)) {
        record(search, VIA_CACHE, NULL, loader->cache.path, path, "not used: the object is marked DF_1_NODEFLIB");
        return GO_ON;
    }
    const char *full = loader->options.root[0] ? path_join(loader->arena, loader->options.root, path) : path;
    return try_file(search, VIA_CACHE, NULL, loader->cache.path, full, &errnum);
}

/* The order of _dl_map_object() in glibc's elf/dl-load.c. */
static void search_all(struct search *search, const struct map *asker)
{
    const struct object *object = asker ? asker->at->object : NULL;
    bool no_default = object && (object->flags_1 & DF_1_NODEFLIB);
    if ((!object || !object->runpath) && try_rpaths(search, asker) != GO_ON)
        return;
    if (try_list(search, VIA_LD_LIBRARY_PATH, NULL, search->process->library_path) != GO_ON)
        return;
    if (object && object->runpath
        && try_list(search, VIA_RUNPATH, asker->at->path, asker->at->runpath) != GO_ON)
        return;
    if (try_cache(search, no_default) != GO_ON || no_default)
        return;
    try_list(search, VIA_DEFAULT, NULL, search->loader->system_dirs);
}

/* All that the outcome depends on. */
struct search_key {
    const struct name *name;
    const struct chain *chain;
    const struct dirs *runpath, *library_path;
    uint64_t flags;
};

void emulate_search(struct process *process, const struct map *asker, struct name *name, bool fresh,
                    struct search_steps *steps, struct hit *hit)
{
    struct loader *loader = process->loader;
    const struct object *object = asker ? asker->at->object : NULL;
    bool has_runpath = object && object->runpath;
    struct search search = {process, loader, name, steps, hit, false};
    struct search_key key = {
        .name = name,
        .chain = has_runpath ? NULL : asker ? asker->chain : process->main_chain,
        .runpath = has_runpath ? asker->at->runpath : NULL,
        .library_path = process->library_path,
        .flags = (object ? object->flags_1 & DF_1_NODEFLIB : 0) | (has_runpath ? 1 : 0),
    };
    *hit = (struct hit){.via = VIA_NONE};
    if (loader->system.unsupported)
        return;
    struct intern_entry *entry = intern(&loader->searches, &key, sizeof key);
    if (entry->value && !fresh) {
        *hit = *(struct hit *)entry->value;
        return;
    }
    search_all(&search, asker);
    if (!entry->value)
        entry->value = arena_memdup(loader->arena, hit, sizeof *hit);
}
