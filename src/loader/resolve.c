#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/emulate.h"
#include "loader/image.h"
#include "util/file.h"
#include "util/path.h"

const char *loader_via_text(enum loader_via via)
{
    static const char *const texts[] = {
        [VIA_NONE] = "not found",         [VIA_LOADED] = "already loaded",           [VIA_PATH] = "path",
        [VIA_RPATH] = "DT_RPATH",         [VIA_LD_LIBRARY_PATH] = "LD_LIBRARY_PATH", [VIA_RUNPATH] = "DT_RUNPATH",
        [VIA_CACHE] = "ld.so.cache",      [VIA_DEFAULT] = "system directories",      [VIA_PRELOAD] = "LD_PRELOAD",
        [VIA_FATAL] = "broken candidate",
    };
    return texts[via];
}

static struct dirs *system_dirs(struct loader *loader)
{
    struct text list = {.arena = loader->arena};
    for (size_t i = 0; i < loader->system.dirs.n; i++)
        text_add(&list, "%s%s%s", i ? ":" : "", loader->options.root, loader->system.dirs.v[i]);
    return emulate_list(loader->arena, loader, text_str(&list).s, ":", NULL, false, true);
}

static void init_tables(struct loader *loader)
{
    struct intern *const tables[] = {&loader->names,  &loader->dirs,    &loader->nodes,  &loader->lists,
                                     &loader->chains, &loader->objects, &loader->places, &loader->searches,
                                     &loader->texts,  &loader->winners};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        tables[i]->arena = loader->arena;
    loader->buffer.arena = loader->arena;
}

static const char *read_preload_file(struct loader *loader)
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

/* torch and jax open the wheels' libraries by path, in an order of theirs, before any extension module is imported. */
static void load_preloads(struct loader *loader)
{
    const struct strv *preloads = loader->options.preloads;
    int errnum;
    for (size_t i = 0; preloads && i < preloads->n; i++) {
        struct place *place = emulate_locate(loader, preloads->v[i], &errnum);
        if (place)
            emulate_load(&loader->base, place, preloads->v[i]);
    }
}

struct loader *loader_new(struct arena *arena, const struct loader_options *options)
{
    struct loader *loader = arena_alloc(arena, sizeof *loader);
    char *cwd = getcwd(NULL, 0);
    const char *real = options->executable ? path_real(arena, options->executable) : NULL;
    struct elf elf = {0};
    bool has_main = real && (elf_read(arena, real, &elf) || elf.is_foreign);
    loader->arena = arena;
    loader->options = *options;
    if (!options->root)
        loader->options.root = "";
    init_tables(loader);
    loader->cwd = cwd ? arena_strdup(arena, cwd) : "/";
    free(cwd);
    loader->machine = has_main && elf.is_64 && elf.machine ? elf.machine : image_host_machine();
    system_read(arena, elf.interpreter, loader->machine, loader->options.root, &loader->system);
    cache_read(arena, arena_printf(arena, "%s/etc/ld.so.cache", loader->options.root), loader->machine,
               &loader->system.hwcaps, &loader->cache);
    loader->system_dirs = system_dirs(loader);
    int errnum;
    struct place *main = has_main ? emulate_locate(loader, real, &errnum) : NULL;
    loader->base.is_base = true;
    loader->preload_file = read_preload_file(loader);
    emulate_start(loader, main, real, &loader->base);
    load_preloads(loader);
    return loader;
}

const char *loader_unsupported(const struct loader *loader)
{
    return loader->system.unsupported;
}

/* Whether a file is a program by itself. Some libraries have a PT_INTERP too, so the name decides. */
static bool starts(const struct place *place)
{
    return place->object->is_executable && place->object->interpreter && !loader_is_library_name(place->name);
}

bool loader_is_library_name(const char *name)
{
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.'))
        if (at[1] == 's' && at[2] == 'o' && (at[3] == '\0' || at[3] == '.'))
            return true;
    return false;
}

bool loader_enter(struct loader *loader, struct place *place, const char *path, struct process *process,
                  struct map **map)
{
    *map = NULL;
    if (place->object->is_foreign || !place->object->is_dynamic)
        return false;
    if (starts(place)) {
        if (!path)
            path = emulate_place_path(loader->arena, place);
        const char *real = path_real(loader->arena, path);
        int errnum;
        struct place *main = real ? emulate_locate(loader, real, &errnum) : NULL;
        emulate_start(loader, main ? main : place, main ? real : path, process);
        *map = process->main;
        return true;
    }
    emulate_start_as_base(loader, process);
    *map = emulate_load(process, place, path);
    return *map != NULL;
}

/* Keeps the first request. */
struct first {
    struct watch watch;
    struct process *process;
    struct resolution *resolution;
    bool asked;
};

static void keep_first(struct watch *watch, struct map *asker, struct name *name, const struct hit *hit,
                       const struct search_steps *steps)
{
    struct first *first = (struct first *)(void *)watch;
    if (first->asked)
        return;
    first->asked = true;
    emulate_describe(first->process, asker, name, hit, true, first->resolution);
    first->resolution->steps = *steps;
}

bool loader_resolve(struct loader *loader, const char *path, const char *soname_start, struct resolution *resolution)
{
    struct process process = {0};
    struct first first = {
        .watch = {.start = soname_start, .length = strlen(soname_start), .asked = keep_first, .record = true},
        .process = &process,
        .resolution = resolution};
    struct map *map;
    int errnum;
    struct place *place = emulate_locate(loader, path, &errnum);
    *resolution = (struct resolution){0};
    process.watch = &first.watch;
    if (!place || !loader_enter(loader, place, path, &process, &map) || !first.asked)
        return false;
    resolution->blocked = emulate_blocked(&first.watch, resolution);
    return true;
}

void loader_dlopen(struct loader *loader, const char *caller, const char *name, struct resolution *resolution)
{
    struct process process = {0};
    struct map *map = NULL;
    struct search_steps steps = {0};
    struct hit hit;
    int errnum;
    struct place *place = caller ? emulate_locate(loader, caller, &errnum) : NULL;
    if (!place || !loader_enter(loader, place, caller, &process, &map)) {
        emulate_start_as_base(loader, &process);
        map = loader->base.main;
    }
    struct name *wanted = emulate_name(loader, name);
    emulate_need(&process, map, wanted, true, &steps, &hit);
    emulate_describe(&process, map, wanted, &hit, true, resolution);
    resolution->steps = steps;
}
