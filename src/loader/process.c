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
        return claim->map;
    return process->uses_base ? claim->base_map : NULL;
}

/* The first who claims a name keeps it: the loader looks through its list from the front. */
static void claim(struct process *process, struct claim *claim, struct map *map)
{
    if (claimed(process, claim))
        return;
    if (process->is_base) {
        claim->base_map = map;
        return;
    }
    claim->map = map;
    claim->process = process->number;
}

static struct chain *extend_chain(struct loader *loader, struct dirs *dirs, struct chain *parent)
{
    if (!dirs)
        return parent;
    struct chain key = {dirs, parent};
    struct intern_entry *entry = intern(&loader->chains, &key, sizeof key);
    if (!entry->value)
        entry->value = arena_memdup(loader->arena, &key, sizeof key);
    return entry->value;
}

/* A map's place in the list is kept from process to process. */
static struct map *next_map(struct process *process)
{
    struct arena *arena = process->loader->arena;
    struct map **place = vec_add(arena, &process->maps);
    if (!*place)
        *place = arena_alloc(arena, sizeof **place);
    return *place;
}

static struct map *add_map(struct process *process, struct located *at, struct map *asker, enum loader_via via)
{
    if (process->maps.n >= MOST_MAPS)
        return NULL;
    struct map *map = next_map(process);
    struct chain *parent = asker ? asker->chain : process->main_chain;
    *map = (struct map){
        .at = at,
        .loader = asker,
        .chain = extend_chain(process->loader, at->rpath, parent),
        .via = via,
    };
    claim(process, &at->object->claim, map);
    if (at->object->soname)
        claim(process, &at->object->soname->claim, map);
    return map;
}

/* A name with a slash is a file, and its DSTs are the asker's. */
static void find_path(struct process *process, const struct map *asker, const struct name *name,
                      struct search_steps *steps, struct hit *hit)
{
    struct loader *loader = process->loader;
    const char *origin = asker ? emulate_origin(loader, asker->at->path) : NULL;
    const char *path = emulate_expand(loader, name->s, origin, false);
    int errnum = 0;
    struct located *at = path ? emulate_locate(loader, path, &errnum) : NULL;
    const char *problem = !path ? "it names a directory that has no value" : !at ? strerror(errnum) : at->object->problem;
    *hit = (struct hit){.via = VIA_NONE};
    if (at)
        *hit = (struct hit){problem ? VIA_FATAL : VIA_PATH, at, NULL, problem, NULL};
    if (steps)
        *vec_add(loader->arena, steps) = (struct search_step){
            VIA_PATH, NULL, NULL, arena_strdup(loader->arena, path ? path : name->s),
            problem ? arena_strdup(loader->arena, problem) : "found"};
}

static struct map *reuse(struct hit *hit, struct map *map)
{
    *hit = (struct hit){.via = VIA_LOADED, .at = map->at, .reused = map};
    return map;
}

struct map *emulate_need(struct process *process, struct map *asker, struct name *name, bool fresh,
                         struct search_steps *steps, struct hit *hit)
{
    struct map *map = claimed(process, &name->claim);
    if (map)
        return reuse(hit, map);
    if (strchr(name->s, '/'))
        find_path(process, asker, name, steps, hit);
    else
        emulate_search(process, asker, name, fresh, steps, hit);
    if (!hit->at || hit->via == VIA_FATAL)
        return NULL;
    map = claimed(process, &hit->at->object->claim);
    if (map)
        reuse(hit, map);
    else
        map = add_map(process, hit->at, asker, hit->via);
    if (map)
        claim(process, &name->claim, map);
    else
        *hit = (struct hit){.problem = "more than 16384 objects in one process, which is beyond what is followed here"};
    return map;
}

/* DSTs of a DT_NEEDED are expanded before anything else (dl-deps.c). */
static struct name *needed_name(struct loader *loader, const struct map *map, struct name *name)
{
    if (!strchr(name->s, '$'))
        return name;
    const char *text = emulate_expand(loader, name->s, emulate_origin(loader, map->at->path), false);
    return text ? emulate_name(loader, text) : name;
}

static void note_blocked(struct process *process, const struct map *map, const struct name *name, const struct hit *hit)
{
    struct watch *watch = process->watch;
    struct arena *arena = process->loader->arena;
    if (watch->blocked)
        return;
    watch->blocked_name = name->s;
    if (hit->via == VIA_FATAL)
        watch->blocked = arena_printf(arena, "%s, which %s needs: %s", hit->at->path, map->at->path, hit->problem);
    else
        watch->blocked = arena_printf(arena, "%s, which %s needs, is not found", name->s, map->at->path);
}

static void need_watched(struct process *process, struct map *map, struct name *name)
{
    struct watch *watch = process->watch;
    struct search_steps steps = {0};
    struct hit hit;
    bool is_watched = strncmp(path_basename(name->s), watch->start, strlen(watch->start)) == 0;
    struct map *found = emulate_need(process, map, name, is_watched, is_watched && watch->record ? &steps : NULL, &hit);
    if (is_watched)
        watch->asked(watch, map, name, &hit, &steps);
    if (!found)
        note_blocked(process, map, name, &hit);
}

void emulate_load_needed(struct process *process, size_t from)
{
    struct hit hit;
    for (size_t i = from; i < process->maps.n; i++) {
        struct map *map = process->maps.v[i];
        const struct object *object = map->at->object;
        for (uint32_t j = 0; j < object->needed_count; j++) {
            struct name *name = needed_name(process->loader, map, object->needed[j]);
            if (process->watch)
                need_watched(process, map, name);
            else
                emulate_need(process, map, name, false, NULL, &hit);
        }
    }
}

struct map *emulate_load(struct process *process, struct located *at, enum loader_via via)
{
    struct map *map = claimed(process, &at->object->claim);
    if (map)
        return map;
    size_t from = process->maps.n;
    map = at->object->problem ? NULL : add_map(process, at, NULL, via);
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

static const char *preload_file(struct loader *loader)
{
    struct err err;
    struct str content;
    const char *path = path_join(loader->arena, loader->options.root, "etc/ld.so.preload");
    if (!file_exists(path) || !file_read(loader->arena, path, 64 * 1024, "preload list", &content, &err))
        return "";
    char *text = str_dup(loader->arena, content);
    for (char *comment = text; (comment = strchr(comment, '#'));)
        memset(comment, ' ', strcspn(comment, "\n"));
    return text;
}

/* The loader itself is in every process, under the name in PT_INTERP and its soname. */
static void add_interpreter(struct process *process, const struct located *main)
{
    const char *path = main && main->object->interpreter ? main->object->interpreter
                                                         : process->loader->system.interpreter;
    int errnum;
    struct located *at = path ? emulate_locate(process->loader, path, &errnum) : NULL;
    if (!at || at->object->problem)
        return;
    struct map *map = add_map(process, at, NULL, VIA_PATH);
    if (map)
        claim(process, &emulate_name(process->loader, path)->claim, map);
}

/* With raised rights the environment counts for nothing, and $ORIGIN must lead to a trusted place. */
static void prepare_main(struct process *process, struct located *main, bool is_secure)
{
    struct loader *loader = process->loader;
    const char *origin = emulate_origin(loader, main->path);
    if (is_secure)
        main->rpath = emulate_list(loader, main->object->rpath, ":", origin, true);
    else
        process->library_path = emulate_list(loader, loader->options.ld_library_path, ":;", origin, false);
    process->main = add_map(process, main, NULL, VIA_PATH);
    process->main_chain = process->main->chain;
}

void emulate_start(struct loader *loader, struct located *main, struct process *process)
{
    bool is_base = process->is_base, is_secure = main && main->object->is_secure;
    *process = (struct process){
        .loader = loader, .number = ++loader->processes, .is_base = is_base, .uses_base = is_base,
        .maps = process->maps, .watch = process->watch};
    process->maps.n = 0;
    if (main)
        prepare_main(process, main, is_secure);
    else
        process->library_path = emulate_list(loader, loader->options.ld_library_path, ":;", NULL, false);
    add_interpreter(process, main);
    if (!is_secure && loader->options.ld_preload)
        preload(process, loader->options.ld_preload);
    preload(process, preload_file(loader));
    emulate_load_needed(process, 0);
}

void emulate_start_as_base(struct loader *loader, struct process *process)
{
    *process = (struct process){
        .loader = loader, .number = ++loader->processes, .uses_base = true, .main = loader->base.main,
        .main_chain = loader->base.main_chain, .library_path = loader->base.library_path,
        .maps = process->maps, .watch = process->watch};
    process->maps.n = 0;
}

/* For people: the rule, and whose it is. */
static const char *describe(struct loader *loader, const struct hit *hit)
{
    struct arena *arena = loader->arena;
    if (loader->system.unsupported)
        return loader->system.unsupported;
    switch (hit->via) {
    case VIA_NONE:
        return hit->problem ? hit->problem : "not found";
    case VIA_FATAL:
        return arena_printf(arena, "the loader stops at %s: %s", hit->at->path, hit->problem);
    case VIA_LOADED:
        return arena_printf(arena, "already loaded as %s (%s)", hit->at->path, loader_via_text(hit->reused->via));
    case VIA_RPATH:
    case VIA_RUNPATH:
        return arena_printf(arena, "%s of %s", loader_via_text(hit->via), hit->by);
    default:
        return loader_via_text(hit->via);
    }
}

static void add_chain(struct arena *arena, struct strv *chain, const struct map *map)
{
    size_t n = 0;
    for (const struct map *at = map; at; at = at->loader)
        n++;
    for (size_t i = 0; i < n; i++)
        strv_add(arena, chain, NULL);
    for (const struct map *at = map; at; at = at->loader)
        chain->v[--n] = at->at->path;
}

void emulate_describe(struct process *process, struct map *asker, const struct name *name, const struct hit *hit,
                      struct resolution *resolution)
{
    struct arena *arena = process->loader->arena;
    *resolution = (struct resolution){.needed = name->s, .via = hit->via};
    resolution->consumer = asker ? asker->at->path : NULL;
    resolution->detail = describe(process->loader, hit);
    add_chain(arena, &resolution->chain, asker);
    if (!hit->at || hit->via == VIA_FATAL)
        return;
    if (hit->reused && hit->reused->via == VIA_PRELOAD)
        resolution->via = VIA_PRELOAD;
    resolution->path = hit->at->path;
    resolution->real = path_real(arena, hit->at->path);
}

const char *emulate_blocked(const struct watch *watch, const struct resolution *resolution)
{
    bool itself = !resolution->path && cstr_eq(watch->blocked_name, resolution->needed);
    return itself ? NULL : watch->blocked;
}
