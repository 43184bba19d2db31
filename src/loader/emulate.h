/* The inside of the emulation: files, names and directories that are known, each once, and processes that load them. */
#ifndef CONDAGPU_LOADER_EMULATE_H
#define CONDAGPU_LOADER_EMULATE_H

#include "loader/cache.h"
#include "loader/intern.h"
#include "loader/loader.h"
#include "loader/system.h"
#include "util/text.h"

struct map;

/* Which map of a process has something, by the process's number; what was loaded before the first dlopen stays. */
struct claim {
    uint32_t process, map; /* the index of the map in the process */
    uint32_t base_map;     /* in the base process, plus one; 0 for none */
};

/* A name that was asked for, or a SONAME. */
struct name {
    const char *s;
    const char *base;          /* behind its last slash */
    bool has_slash, has_token; /* token: $ORIGIN or the like may be in it */
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

/* A directory itself, by mount, device and inode. */
struct node {
    struct strv subdirs; /* those of struct system that exist in it */
};

/* A directory under one name. */
struct dir {
    const char *path;  /* with a slash at its end; "" is the working directory */
    struct node *node; /* NULL: it is missing */
};

/* A list of directories. Those that places and processes keep hold no missing ones, and lists of equal nodes are one;
 * the names in them are those that were met first. */
struct dirs {
    size_t n;
    struct dir *v[];
};

/* A file in a directory. The same place can be reached by several names of the directory. */
struct place {
    struct object *object;
    const struct dir *dir; /* as met first */
    const char *subdir;    /* "" or one of struct system */
    const char *name;
    struct dirs *rpath, *runpath; /* of its object, for its $ORIGIN; NULL for none */
};

/* What is known of a place that won, once it has been asked for. */
struct winner {
    const char *real;       /* realpath(3) */
    struct release release; /* of a libcudart */
    const char *release_how;
};

/* The RPATHs along a chain of loaders, each list once; equal chains are one. */
struct chain {
    struct dirs *dirs;
    struct chain *parent;
};

/* An object in a process. */
struct map {
    struct place *place;
    const char *path;    /* as found; NULL: not worked out yet, see emulate_path() */
    struct name *asked;  /* the name by which it was found; NULL when it was opened by path */
    struct map *loader;  /* who asked first; NULL for the program and for what dlopen opened */
    struct chain *chain; /* of what it asks for */
    enum loader_via via; /* how it was found */
    uint32_t index;      /* in the process */
};

/* The outcome of a request. */
struct hit {
    enum loader_via via;
    struct place *place; /* NULL: not found */
    const char *problem; /* VIA_FATAL: what is wrong with the place */
    struct map *reused;  /* VIA_LOADED */
    struct map *by;      /* whose RPATH or RUNPATH; exact searches only */
    const char *path;    /* as found; exact searches, and names with a slash */
};

/* Told of each request for a library whose name begins as `start`; `asker` and `hit` are as emulate_need() has them. */
struct watch {
    const char *start;
    size_t length; /* of start */
    void (*asked)(struct watch *watch, struct map *asker, struct name *name, const struct hit *hit,
                  const struct search_steps *steps);
    bool record;                        /* the steps of such a request */
    const char *blocked_name, *blocked; /* the first library that is missing or broken, and how; NULL */
};

struct process {
    struct loader *loader;
    uint32_t number;  /* from 1 */
    struct map *main; /* NULL: nothing is known of the program */
    struct chain *main_chain;
    struct dirs *library_path, *exact_library_path;
    struct {
        VEC(struct map *);
    } maps;
    bool is_base;        /* what it loads stays for the processes that begin as it did */
    bool uses_base;      /* it began as the base process did */
    struct watch *watch; /* NULL */
};

struct loader {
    struct arena *arena;
    struct loader_options options;
    uint16_t machine;
    struct system system;
    struct cache cache;
    struct dirs *system_dirs;
    const char *cwd, *preload_file; /* the text of /etc/ld.so.preload */
    struct intern names, dirs, nodes, lists, chains, objects, places, searches, texts, winners;
    struct text buffer;  /* for names under construction */
    struct process base; /* the options' program with all that it loads at its start */
    uint32_t processes;
};

struct name *emulate_name(struct loader *loader, const char *text);
/* The same text, kept once. */
const char *emulate_text(struct loader *loader, const char *text);
/* The directory of that name, and whether it is there. */
struct dir *emulate_dir(struct loader *loader, const char *path, size_t size);
/* A file below a directory, opened at most once; NULL with *errnum when there is none. */
struct place *emulate_place(struct loader *loader, struct dir *dir, const char *subdir, struct name *name, int *errnum);
/* The same by path. */
struct place *emulate_locate(struct loader *loader, const char *path, int *errnum);
/* A file of which all is read already. */
struct place *emulate_add(struct loader *loader, struct dir *dir, const char *name, const struct elf *elf,
                          bool is_secure);
struct winner *emulate_winner(struct loader *loader, const struct place *place);
/* The path by which a place was met first. */
const char *emulate_place_path(struct arena *arena, const struct place *place);
/* setuid, setgid or file capabilities: the kernel sets AT_SECURE for such a program. */
bool emulate_is_secure(const char *path, unsigned mode);

/* Expands the elements of a path list as fillin_rpath() does, each ending at one of `separators`. `origin` is the
 * object's directory. NULL for an empty list. `exact` keeps missing directories and the names as they are, in a list
 * that lives in `arena`; other lists live in the loader's. */
struct dirs *emulate_list(struct arena *arena, struct loader *loader, const char *list, const char *separators,
                          const char *origin, bool secure, bool exact);
/* Expands $ORIGIN, $LIB and $PLATFORM; NULL where one has no value. */
const char *emulate_expand(struct arena *arena, const struct loader *loader, const char *text, const char *origin,
                           bool secure);
/* The directory that $ORIGIN stands for in an object with this path. */
const char *emulate_origin(struct arena *arena, const struct loader *loader, const char *path);

/* The three parts in a row, until the next call. */
const char *emulate_buffer(struct loader *loader, const char *first, const char *second, const char *third);

/* Searches `name`, which holds no slash, as `asker` would. Outcomes are remembered, as far as they do not depend on how
 * directories are called; an `exact` search goes through the names as they are, and records where steps is not NULL. */
void emulate_search(struct process *process, struct map *asker, struct name *name, bool exact,
                    struct search_steps *steps, struct hit *hit);
/* The path of a map as the loader found it. */
const char *emulate_path(struct process *process, struct map *map);

/* A process of the program `main` (NULL: an unknown one) with LD_PRELOAD and its dependencies. */
void emulate_start(struct loader *loader, struct place *main, const char *path, struct process *process);
/* A process that begins as the base process did. */
void emulate_start_as_base(struct loader *loader, struct process *process);
/* dlopen of a file: the map, with all that it needs; NULL when the file itself cannot be loaded. */
struct map *emulate_load(struct process *process, struct place *place, const char *path);
/* dlopen of a name, or a DT_NEEDED, of `asker`: NULL when there is none or it cannot be loaded. Dependencies are not
 * loaded yet: emulate_load_needed() does that. */
struct map *emulate_need(struct process *process, struct map *asker, struct name *name, bool exact,
                         struct search_steps *steps, struct hit *hit);
void emulate_load_needed(struct process *process, size_t from);
/* What else than the request itself keeps its load from succeeding; NULL. */
const char *emulate_blocked(const struct watch *watch, const struct resolution *resolution);
/* Fills a resolution from a request. */
void emulate_describe(struct process *process, struct map *asker, const struct name *name, const struct hit *hit,
                      bool with_chain, struct resolution *resolution);

/* ".so" with nothing or a dot behind it. */
bool loader_is_library_name(const char *name);
/* As if the file, which has that path (NULL: the one by which it was met first), were opened in the base program, or
 * started if it is a program. *map is its own; false when it cannot be loaded. */
bool loader_enter(struct loader *loader, struct place *place, const char *path, struct process *process,
                  struct map **map);

#endif
