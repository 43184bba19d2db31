/* The inside of the emulation: files, names and directories that are known, each once, and processes that load them. */
#ifndef CONDAGPU_LOADER_EMULATE_H
#define CONDAGPU_LOADER_EMULATE_H

#include "loader/cache.h"
#include "loader/intern.h"
#include "loader/loader.h"
#include "loader/system.h"
#include "util/text.h"

struct map;

/* Whether a process has something, by the process's number; what was loaded before the first dlopen stays. */
struct claim {
    struct map *map, *base_map;
    unsigned process;
};

/* A name that was asked for, or a SONAME. */
struct name {
    const char *s;
    struct claim claim;
};

/* One file, by device and inode. */
struct object {
    uint64_t flags_1;
    const char *rpath, *runpath; /* NULL for none */
    const char *problem;         /* why the loader refuses it as a library; NULL */
    struct name *soname;
    struct name **needed;
    uint32_t needed_count;
    bool is_foreign, is_executable, is_dynamic, is_secure;
    const char *interpreter;
    struct claim claim;
};

/* A directory that is searched. */
struct dir {
    const char *path;     /* with a slash at its end; "" is the working directory */
    struct strv subdirs;  /* those of struct system that exist in it */
    bool is_known, is_missing;
};

/* A list of directories; equal lists are one. */
struct dirs {
    size_t n;
    struct dir *v[];
};

/* A file under one path: its $ORIGIN, and thereby its lists, depend on the path. */
struct located {
    const char *path;
    struct object *object;
    struct dirs *rpath, *runpath; /* expanded; NULL for none */
};

/* The RPATHs along a chain of loaders; equal chains are one. */
struct chain {
    struct dirs *dirs;
    struct chain *parent;
};

/* An object in a process. */
struct map {
    struct located *at;
    struct map *loader; /* who asked first; NULL for the program and for what dlopen opened */
    struct chain *chain; /* of what it asks for */
    enum loader_via via; /* how it was found */
};

/* The outcome of a request. */
struct hit {
    enum loader_via via;
    struct located *at; /* NULL: not found */
    const char *by;     /* whose RPATH or RUNPATH; right only where steps or `fresh` were asked for */
    const char *problem; /* VIA_FATAL: what `at` is */
    struct map *reused;  /* VIA_LOADED */
};

/* Told of each request for a library whose name begins as `start`; `asker` and `hit` are as emulate_need() has them. */
struct watch {
    const char *start;
    void (*asked)(struct watch *watch, struct map *asker, struct name *name, const struct hit *hit,
                  const struct search_steps *steps);
    bool record;         /* the steps of such a request */
    const char *blocked_name, *blocked; /* the first library that is missing or broken, and how; NULL */
};

struct process {
    struct loader *loader;
    unsigned number;
    struct map *main; /* NULL: nothing is known of the program */
    struct chain *main_chain;
    struct dirs *library_path;
    struct { VEC(struct map *); } maps;
    bool is_base;   /* what it loads stays for the processes that begin as it did */
    bool uses_base; /* it began as the base process did */
    struct watch *watch; /* NULL */
};

struct loader {
    struct arena *arena;
    struct loader_options options;
    uint16_t machine;
    struct system system;
    struct cache cache;
    struct dirs *system_dirs;
    const char *cwd;
    struct intern names, dirs, lists, chains, objects, located, searches, releases;
    struct text buffer; /* for names under construction */
    struct process base; /* the options' program with all that it loads at its start */
    unsigned processes;
};

struct name *emulate_name(struct loader *loader, const char *text);
/* The file under `path`, opened at most once; NULL with *errnum when there is none. */
struct located *emulate_locate(struct loader *loader, const char *path, int *errnum);
/* Takes what was read of a file in a walk, so that it is not opened again. */
struct located *emulate_add(struct loader *loader, const char *path, const struct elf *elf, bool is_secure);
/* setuid, setgid or file capabilities: the kernel sets AT_SECURE for such a program. */
bool emulate_is_secure(const char *path, unsigned mode);

/* Expands the elements of a path list as fillin_rpath() does, each ending at one of `separators`. `origin` is the
 * object's directory. NULL for an empty list. */
struct dirs *emulate_list(struct loader *loader, const char *list, const char *separators, const char *origin,
                          bool secure);
/* Expands $ORIGIN, $LIB and $PLATFORM; NULL where one has no value. */
const char *emulate_expand(struct loader *loader, const char *text, const char *origin, bool secure);
/* The directory that $ORIGIN stands for in an object with this path. */
const char *emulate_origin(struct loader *loader, const char *path);

/* The three parts in a row, until the next call. */
const char *emulate_buffer(struct loader *loader, const char *first, const char *second, const char *third);

/* Searches `name`, which holds no slash, as `asker` would. Outcomes are remembered; `fresh` searches again, and steps
 * are recorded where `steps` is not NULL. */
void emulate_search(struct process *process, const struct map *asker, struct name *name, bool fresh,
                    struct search_steps *steps, struct hit *hit);

/* A process of the program `main` (NULL: an unknown one) with LD_PRELOAD and its dependencies. */
void emulate_start(struct loader *loader, struct located *main, struct process *process);
/* A process that begins as the base process did. */
void emulate_start_as_base(struct loader *loader, struct process *process);
/* dlopen of a file: the map, with all that it needs; NULL when the file itself cannot be loaded. */
struct map *emulate_load(struct process *process, struct located *at, enum loader_via via);
/* dlopen of a name, or a DT_NEEDED, of `asker`: NULL when there is none or it cannot be loaded. Dependencies are not
 * loaded yet: emulate_load_needed() does that. */
struct map *emulate_need(struct process *process, struct map *asker, struct name *name, bool fresh,
                         struct search_steps *steps, struct hit *hit);
void emulate_load_needed(struct process *process, size_t from);
/* What else than the request itself keeps its load from succeeding; NULL. */
const char *emulate_blocked(const struct watch *watch, const struct resolution *resolution);
/* Fills a resolution from a request. */
void emulate_describe(struct process *process, struct map *asker, const struct name *name, const struct hit *hit,
                      struct resolution *resolution);

/* ".so" with nothing or a dot behind it. */
bool loader_is_library_name(const char *name);
/* As if the file were opened in the base program, or started if it is a program. *map is its own; false when it
 * cannot be loaded. */
bool loader_enter(struct loader *loader, struct located *at, struct process *process, struct map **map);

#endif
