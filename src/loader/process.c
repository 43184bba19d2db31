#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "loader/emulate.h"
#include "util/file.h"
#include "util/path.h"

enum { MOST_MAPS = 16 * 1024 }; /* objects in one process */

static struct map *claimed(const struct process *process, const struct claim *claim)
{
    if (claim->process == process->number)
        return process->maps.v[claim->map];
    return process->uses_base && claim->base_map ? process->loader->base.maps.v[claim->base_map - 1] : NULL;
}

/* The first who claims a name keeps it: the loader looks through its list from the front. */
static void claim(struct process *process, struct claim *claim, const struct map *map)
{
    if (claimed(process, claim))
        return;
    if (process->is_base) {
        claim->base_map = map->index + 1;
        return;
    }
    claim->map = map->index;
    claim->process = process->number;
}

static struct chain *link_chain(struct loader *loader, struct dirs *dirs, struct chain *parent)
{
    struct chain key = {dirs, parent};
    struct intern_entry *entry = intern(&loader->chains, &key, sizeof key);
    if (!entry->value)
        entry->value = arena_memdup(loader->arena, &key, sizeof key);
    return entry->value;
}

static struct chain *without(struct loader *loader, struct chain *chain, const struct dirs *dirs)
{
    if (!chain)
        return NULL;
    if (chain->dirs == dirs)
        return chain->parent;
    return link_chain(loader, chain->dirs, without(loader, chain->parent, dirs));
}

/* A list that has been searched once need not be searched again further on: chains stay short, and few. */
static struct chain *extend_chain(struct loader *loader, struct dirs *dirs, struct chain *parent)
{
    return dirs ? link_chain(loader, dirs, without(loader, parent, dirs)) : parent;
}

/* A map's place in the list is kept from process to process. */
static struct map *next_map(struct process *process)
{
    struct arena *arena = process->loader->arena;
    struct map **place = vec_add(arena, &process->maps);
    if (!*place)
        *place = arena_alloc(arena, sizeof **place);
    (*place)->index = (uint32_t)(process->maps.n - 1);
    return *place;
}

static struct map *add_map(struct process *process, struct map wanted)
{
    if (process->maps.n >= MOST_MAPS)
        return NULL;
    struct map *map = next_map(process);
    struct object *object = wanted.place->object;
    struct chain *parent = wanted.loader ? wanted.loader->chain : process->main_chain;
    wanted.index = map->index;
    *map = wanted;
    map->chain = extend_chain(process->loader, wanted.place->rpath, parent);
    claim(process, &object->claim, map);
    if (object->soname)
        claim(process, &object->soname->claim, map);
    return map;
}

const char *emulate_path(struct process *process, struct map *map)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct hit hit = {0};
    if (map->path)
        return map->path;
    if (map->asked)
        emulate_search(process, map->loader, map->asked, true, NULL, &hit);
    const char *path = hit.path ? hit.path : emulate_place_path(scratch, map->place);
    return map->path = emulate_text(process->loader, path);
}

/* A name with a slash is a file, and its DSTs are the asker's. */
static void find_path(struct process *process, struct map *asker, const struct name *name, struct search_steps *steps,
                      struct hit *hit)
{
    struct loader *loader = process->loader;
    struct arena *arena = loader->arena;
    const char *origin = asker && name->has_token ? emulate_origin(arena, loader, emulate_path(process, asker)) : NULL;
    const char *path = emulate_expand(arena, loader, name->s, origin, false);
    int errnum = 0;
    struct place *place = path ? emulate_locate(loader, path, &errnum) : NULL;
    const char *problem = !path    ? "it names a directory that has no value"
                          : !place ? strerror(errnum)
                                   : place->object->problem;
    *hit = (struct hit){.via = VIA_NONE};
    if (place)
        *hit = (struct hit){.via = problem ? VIA_FATAL : VIA_PATH, .place = place, .problem = problem, .path = path};
    if (steps)
        *vec_add(loader->arena, steps) =
            (struct search_step){VIA_PATH, NULL, NULL, arena_strdup(loader->arena, path ? path : name->s),
                                 problem ? arena_strdup(loader->arena, problem) : "found"};
}

static struct map *reuse(struct hit *hit, struct map *map)
{
    *hit = (struct hit){.via = VIA_LOADED, .place = map->place, .reused = map};
    return map;
}

struct map *emulate_need(struct process *process, struct map *asker, struct name *name, bool exact,
                         struct search_steps *steps, struct hit *hit)
{
    struct map *map = claimed(process, &name->claim);
    if (map)
        return reuse(hit, map);
    if (name->has_slash)
        find_path(process, asker, name, steps, hit);
    else
        emulate_search(process, asker, name, exact, steps, hit);
    if (!hit->place || hit->via == VIA_FATAL)
        return NULL;
    map = claimed(process, &hit->place->object->claim);
    if (map)
        reuse(hit, map);
    else
        map = add_map(
            process,
            (struct map){.place = hit->place, .path = hit->path, .asked = name, .loader = asker, .via = hit->via});
    if (map)
        claim(process, &name->claim, map);
    else
        *hit = (struct hit){.problem = "more than 16384 objects in one process, which is beyond what is followed here"};
    return map;
}

/* DSTs of a DT_NEEDED are expanded before anything else (dl-deps.c). */
static struct name *needed_name(struct process *process, struct map *map, struct name *name)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct loader *loader = process->loader;
    const char *origin = emulate_origin(scratch, loader, emulate_path(process, map));
    const char *text = emulate_expand(scratch, loader, name->s, origin, false);
    return text ? emulate_name(loader, text) : name;
}

static void note_blocked(struct process *process, struct map *map, const struct name *name, const struct hit *hit)
{
    struct watch *watch = process->watch;
    struct arena *arena = process->loader->arena;
    if (watch->blocked)
        return;
    watch->blocked_name = name->s;
    if (hit->via == VIA_FATAL)
        watch->blocked = arena_printf(arena, "%s, which %s needs: %s", emulate_place_path(arena, hit->place),
                                      emulate_path(process, map), hit->problem);
    else
        watch->blocked = arena_printf(arena, "%s, which %s needs, is not found", name->s, emulate_path(process, map));
}

static struct map *need_watched(struct process *process, struct map *map, struct name *name)
{
    struct watch *watch = process->watch;
    struct search_steps steps = {0};
    struct hit hit;
    bool is_watched = strncmp(name->base, watch->start, watch->length) == 0;
    struct map *found = emulate_need(process, map, name, is_watched, is_watched && watch->record ? &steps : NULL, &hit);
    if (is_watched)
        watch->asked(watch, map, name, &hit, &steps);
    if (!found)
        note_blocked(process, map, name, &hit);
    return found;
}

void emulate_load_needed(struct process *process, size_t from)
{
    struct hit hit;
    for (size_t i = from; i < process->maps.n; i++) {
        struct map *map = process->maps.v[i];
        const struct object *object = map->place->object;
        for (uint32_t j = 0; j < object->needed_count; j++) {
            struct name *name = object->needed[j];
            if (name->has_token)
                name = needed_name(process, map, name);
            if (process->watch)
                need_watched(process, map, name);
            else
                emulate_need(process, map, name, false, NULL, &hit);
        }
    }
}

/* What an object of the program's start asked for, and what it brought, told again to who watches. */
static void replay(struct process *process, struct map *first)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    const size_t most = process->loader->base.maps.n;
    struct map **maps = arena_alloc(scratch, (most + 1) * sizeof *maps);
    bool *seen = arena_alloc(scratch, (most + 1) * sizeof *seen);
    size_t n = 0;
    maps[n++] = first;
    seen[first->index] = true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < maps[i]->place->object->needed_count; j++) {
            struct map *map = need_watched(process, maps[i], maps[i]->place->object->needed[j]);
            if (!map || map->index >= most || map != process->loader->base.maps.v[map->index] || seen[map->index])
                continue;
            seen[map->index] = true;
            maps[n++] = map;
        }
}

struct map *emulate_load(struct process *process, struct place *place, const char *path)
{
    struct map *map = claimed(process, &place->object->claim);
    if (map && process->watch && process->uses_base && !process->is_base)
        replay(process, map);
    if (map)
        return map;
    size_t from = process->maps.n;
    if (!place->object->problem)
        map = add_map(process, (struct map){.place = place, .path = path, .via = VIA_PATH});
    if (map)
        emulate_load_needed(process, from);
    return map;
}

/* LD_PRELOAD and /etc/ld.so.preload: blanks and colons separate, and nothing escapes them. */
static void preload(struct process *process, const char *list)
{
    static const char separators[] = " :\t\n";
    struct loader *loader = process->loader;
    struct hit hit;
    for (const char *at = list + strspn(list, separators); *at; at += strspn(at, separators)) {
        size_t length = strcspn(at, separators);
        const char *text = arena_memdup(loader->arena, at, length);
        struct map *map = emulate_need(process, process->main, emulate_name(loader, text), false, NULL, &hit);
        if (map && !hit.reused)
            map->via = VIA_PRELOAD;
        at += length;
    }
}

/* The loader itself is in every process, under the name in PT_INTERP and its soname. */
static void add_interpreter(struct process *process, const struct place *main)
{
    struct loader *loader = process->loader;
    const char *path = main && main->object->interpreter ? main->object->interpreter : loader->system.interpreter;
    int errnum;
    struct place *place = path ? emulate_locate(loader, path, &errnum) : NULL;
    if (!place || place->object->problem)
        return;
    struct map *map = add_map(process, (struct map){.place = place, .path = path, .via = VIA_PATH});
    if (map)
        claim(process, &emulate_name(loader, path)->claim, map);
}

static void set_library_path(struct process *process, const char *origin)
{
    struct loader *loader = process->loader;
    const char *list = loader->options.ld_library_path;
    process->library_path = emulate_list(loader->arena, loader, list, ":;", origin, false, false);
    process->exact_library_path = emulate_list(loader->arena, loader, list, ":;", origin, false, true);
}

/* With raised rights the environment counts for nothing, and $ORIGIN must lead to a trusted place. */
static void prepare_main(struct process *process, struct place *main, const char *path, bool is_secure)
{
    struct loader *loader = process->loader;
    const char *origin = emulate_origin(loader->arena, loader, path);
    if (is_secure)
        main->rpath = emulate_list(loader->arena, loader, main->object->rpath, ":", origin, true, false);
    else
        set_library_path(process, origin);
    process->main = add_map(process, (struct map){.place = main, .path = path, .via = VIA_PATH});
    process->main_chain = process->main->chain;
}

void emulate_start(struct loader *loader, struct place *main, const char *path, struct process *process)
{
    bool is_base = process->is_base, is_secure = main && main->object->is_secure;
    *process = (struct process){.loader = loader,
                                .number = ++loader->processes,
                                .is_base = is_base,
                                .uses_base = is_base,
                                .maps = process->maps,
                                .watch = process->watch};
    process->maps.n = 0;
    if (main)
        prepare_main(process, main, path, is_secure);
    else
        set_library_path(process, NULL);
    add_interpreter(process, main);
    if (!is_secure && loader->options.ld_preload)
        preload(process, loader->options.ld_preload);
    preload(process, loader->preload_file);
    emulate_load_needed(process, 0);
}

void emulate_start_as_base(struct loader *loader, struct process *process)
{
    const struct process *base = &loader->base;
    *process = (struct process){.loader = loader,
                                .number = ++loader->processes,
                                .uses_base = true,
                                .main = base->main,
                                .main_chain = base->main_chain,
                                .library_path = base->library_path,
                                .exact_library_path = base->exact_library_path,
                                .maps = process->maps,
                                .watch = process->watch};
    process->maps.n = 0;
}

/* For people: the rule, and whose it is. */
static const char *describe(struct process *process, const struct hit *hit)
{
    struct loader *loader = process->loader;
    _cleanup_arena_ struct arena *scratch = arena_new();
    const char *rule = loader_via_text(hit->via), *text = rule;
    if (loader->system.unsupported)
        return loader->system.unsupported;
    if (hit->via == VIA_NONE)
        text = hit->problem ? hit->problem : "not found";
    else if (hit->via == VIA_FATAL)
        text = arena_printf(scratch, "the loader stops at %s: %s",
                            hit->path ? hit->path : emulate_place_path(scratch, hit->place), hit->problem);
    else if (hit->via == VIA_LOADED)
        text = arena_printf(scratch, "already loaded as %s (%s)", emulate_path(process, hit->reused),
                            loader_via_text(hit->reused->via));
    else if (hit->by)
        text = arena_printf(scratch, "%s of %s", rule, emulate_path(process, hit->by));
    return emulate_text(loader, text);
}

static void add_chain(struct process *process, struct strv *chain, struct map *map)
{
    size_t n = 0;
    for (const struct map *at = map; at; at = at->loader)
        n++;
    for (size_t i = 0; i < n; i++)
        strv_add(process->loader->arena, chain, NULL);
    for (struct map *at = map; at; at = at->loader)
        chain->v[--n] = emulate_path(process, at);
}

void emulate_describe(struct process *process, struct map *asker, const struct name *name, const struct hit *hit,
                      bool with_chain, struct resolution *resolution)
{
    struct arena *arena = process->loader->arena;
    *resolution = (struct resolution){.needed = name->s, .via = hit->via};
    resolution->consumer = asker ? emulate_path(process, asker) : NULL;
    resolution->detail = describe(process, hit);
    if (with_chain)
        add_chain(process, &resolution->chain, asker);
    if (!hit->place || hit->via == VIA_FATAL)
        return;
    if (hit->reused && hit->reused->via == VIA_PRELOAD)
        resolution->via = VIA_PRELOAD;
    resolution->path = hit->reused ? emulate_path(process, hit->reused) : hit->path;
    struct winner *winner = emulate_winner(process->loader, hit->place);
    if (!winner->real)
        winner->real = path_real(arena, resolution->path);
    resolution->real = winner->real;
}

const char *emulate_blocked(const struct watch *watch, const struct resolution *resolution)
{
    bool itself = !resolution->path && cstr_eq(watch->blocked_name, resolution->needed);
    return itself ? NULL : watch->blocked;
}
