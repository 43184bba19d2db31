#include <elf.h>
#include <errno.h>
#include <string.h>

#include "loader/emulate.h"
#include "util/file.h"
#include "util/path.h"

/* What becomes of a list of directories. */
enum verdict { GO_ON, DECIDED };

struct search {
    struct arena *scratch;
    struct process *process;
    struct loader *loader;
    struct name *name;
    bool exact;
    struct search_steps *steps; /* NULL: not recorded; else the search is exact */
    struct hit *hit;
    bool decided; /* the rest is only recorded, for what loses */
};

/* A list under search: which rule, and whose it is. */
struct list {
    enum loader_via via;
    struct map *by;          /* NULL */
    const struct dirs *dirs; /* NULL for none */
};

static void record(struct search *search, const struct list *list, const char *dir, const char *candidate,
                   const char *outcome)
{
    struct arena *arena = search->loader->arena;
    if (!search->steps)
        return;
    candidate = arena_strdup(arena, candidate); /* before the buffer that it may stand in is used again */
    *vec_add(arena, search->steps) =
        (struct search_step){list->via, list->by ? emulate_path(search->process, list->by) : NULL, dir, candidate,
                             arena_strdup(arena, outcome)};
}

static bool is_wanted(const struct search *search, const char *outcome)
{
    return !search->decided || strcmp(outcome, SEARCH_TOO_LATE) == 0;
}

/* What a file that is there means. A search whose steps are recorded goes on to its end. */
static enum verdict take(struct search *search, const struct list *list, const char *dir, struct place *place,
                         const char *path)
{
    const struct object *object = place->object;
    const char *outcome = object->problem ? object->problem : search->decided ? SEARCH_TOO_LATE : "found";
    if (path)
        path = emulate_text(search->loader, path);
    record(search, list, dir, path, outcome);
    if (search->decided || object->is_foreign)
        return GO_ON;
    *search->hit = (struct hit){
        .via = object->problem ? VIA_FATAL : list->via,
        .place = place,
        .problem = object->problem,
        .by = list->by,
        .path = path,
    };
    search->decided = true;
    return search->steps ? GO_ON : DECIDED;
}

static enum verdict try_place(struct search *search, const struct list *list, struct dir *dir, const char *subdir,
                              int *errnum)
{
    struct loader *loader = search->loader;
    struct place *place = emulate_place(loader, dir, subdir, search->name, errnum);
    const char *path = search->exact ? emulate_buffer(loader, dir->path, subdir, search->name->s) : NULL;
    if (place)
        return take(search, list, dir->path, place, path);
    if (search->steps && is_wanted(search, strerror(*errnum)))
        record(search, list, dir->path, path, strerror(*errnum));
    return GO_ON;
}

/* A list is left for the next one when a file is there and cannot be opened for an uncommon reason (open_path()). */
static enum verdict try_dir(struct search *search, const struct list *list, struct dir *dir, bool *leave)
{
    int errnum = 0;
    if (!dir->node) {
        if (!search->decided)
            record(search, list, dir->path, NULL, "no such directory");
        return GO_ON;
    }
    for (size_t i = 0; i <= dir->node->subdirs.n; i++) {
        const char *subdir = i < dir->node->subdirs.n ? dir->node->subdirs.v[i] : "";
        if (try_place(search, list, dir, subdir, &errnum) == DECIDED)
            return DECIDED;
    }
    *leave = !search->decided && errnum && errnum != ENOENT && errnum != EACCES;
    return GO_ON;
}

static enum verdict try_list(struct search *search, const struct list *list)
{
    for (size_t i = 0; list->dirs && i < list->dirs->n; i++) {
        bool leave = false;
        struct dir *dir = list->dirs->v[i];
        if (try_dir(search, list, dir, &leave) == DECIDED)
            return DECIDED;
        if (leave) {
            record(search, list, dir->path, NULL, "the rest of this list is not searched");
            return GO_ON;
        }
    }
    return GO_ON;
}

/* The directories of a map's RPATH or RUNPATH, under the names that its own path gives them where that matters. */
static const struct dirs *own_dirs(struct search *search, struct map *map, const char *text, const struct dirs *known)
{
    struct loader *loader = search->loader;
    bool secure = map == search->process->main && map->place->object->is_secure;
    if (!text || !search->exact)
        return known;
    const char *origin = emulate_origin(search->scratch, loader, emulate_path(search->process, map));
    return emulate_list(search->scratch, loader, text, ":", origin, secure, true);
}

static enum verdict try_rpath(struct search *search, struct map *map)
{
    struct list list = {VIA_RPATH, map, own_dirs(search, map, map->place->object->rpath, map->place->rpath)};
    return try_list(search, &list);
}

static enum verdict try_rpaths(struct search *search, struct map *asker)
{
    struct map *main = search->process->main;
    bool main_tried = false;
    for (struct map *map = asker; map; map = map->loader) {
        if (try_rpath(search, map) == DECIDED)
            return DECIDED;
        main_tried |= map == main;
    }
    return main && !main_tried ? try_rpath(search, main) : GO_ON;
}

static enum verdict try_runpath(struct search *search, struct map *asker)
{
    struct list list = {VIA_RUNPATH, asker,
                        own_dirs(search, asker, asker->place->object->runpath, asker->place->runpath)};
    return try_list(search, &list);
}

static enum verdict try_library_path(struct search *search)
{
    const struct process *process = search->process;
    struct list list = {VIA_LD_LIBRARY_PATH, NULL, search->exact ? process->exact_library_path : process->library_path};
    return try_list(search, &list);
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
    const struct list list = {VIA_CACHE, NULL, NULL};
    const char *path = cache_lookup(&loader->cache, search->name->s);
    int errnum;
    if (!path) {
        if (!search->decided)
            record(search, &list, loader->cache.path, NULL, "not listed");
        return GO_ON;
    }
    if (no_default && is_in_system_dir(loader, path)) {
        record(search, &list, loader->cache.path, path, "not used: the object is marked DF_1_NODEFLIB");
        return GO_ON;
    }
    if (loader->options.root[0])
        path = path_join(loader->arena, loader->options.root, path);
    struct place *place = emulate_locate(loader, path, &errnum);
    if (place)
        return take(search, &list, loader->cache.path, place, path);
    if (!search->decided)
        record(search, &list, loader->cache.path, path, strerror(errnum));
    return GO_ON;
}

/* The order of _dl_map_object() in glibc's elf/dl-load.c. */
static void search_all(struct search *search, struct map *asker)
{
    const struct map *flagged = asker ? asker : search->process->main;
    const struct list defaults = {VIA_DEFAULT, NULL, search->loader->system_dirs};
    bool has_runpath = asker && asker->place->object->runpath;
    bool no_default = flagged && (flagged->place->object->flags_1 & DF_1_NODEFLIB);
    if (!has_runpath && try_rpaths(search, asker) == DECIDED)
        return;
    if (try_library_path(search) == DECIDED)
        return;
    if (has_runpath && try_runpath(search, asker) == DECIDED)
        return;
    if (try_cache(search, no_default) == DECIDED || no_default)
        return;
    try_list(search, &defaults);
}

/* All that the outcome depends on. */
struct search_key {
    const struct name *name;
    const struct chain *chain;
    const struct dirs *runpath, *library_path;
    uint64_t flags;
};

/* What is remembered: nothing of who asked or of how directories were called. */
struct found {
    enum loader_via via;
    struct place *place;
};

void emulate_search(struct process *process, struct map *asker, struct name *name, bool exact,
                    struct search_steps *steps, struct hit *hit)
{
    struct loader *loader = process->loader;
    const struct object *object = asker ? asker->place->object : NULL;
    const struct map *flagged = asker ? asker : process->main;
    bool has_runpath = object && object->runpath;
    struct search search = {
        .process = process, .loader = loader, .name = name, .exact = exact, .steps = steps, .hit = hit};
    struct search_key key = {
        .name = name,
        .chain = has_runpath ? NULL
                 : asker     ? asker->chain
                             : process->main_chain,
        .runpath = has_runpath ? asker->place->runpath : NULL,
        .library_path = process->library_path,
        .flags = (flagged ? flagged->place->object->flags_1 & DF_1_NODEFLIB : 0) | (has_runpath ? 1 : 0),
    };
    *hit = (struct hit){.via = VIA_NONE};
    if (loader->system.unsupported)
        return;
    if (exact) {
        _cleanup_arena_ struct arena *scratch = arena_new();
        search.scratch = scratch;
        search_all(&search, asker);
        return;
    }
    struct intern_entry *entry = intern(&loader->searches, &key, sizeof key);
    struct found *found = entry->value;
    if (!found) {
        search_all(&search, asker);
        found = entry->value = arena_alloc(loader->arena, sizeof *found);
        *found = (struct found){hit->via, hit->place};
    }
    *hit = (struct hit){.via = found->via, .place = found->place};
    if (hit->via == VIA_FATAL)
        hit->problem = hit->place->object->problem;
}
