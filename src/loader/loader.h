/* ELF reading and the emulation of ld.so, after ld.so(8) and glibc's elf/dl-load.c. */
#ifndef CONDAGPU_LOADER_LOADER_H
#define CONDAGPU_LOADER_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/release.h"
#include "util/vec.h"

/* What the dynamic section of one file says. */
struct elf {
    const char *path;
    bool is_elf, is_dynamic, is_executable; /* executable: ET_EXEC, or ET_DYN with PT_INTERP */
    bool is_fixed;                          /* ET_EXEC, which cannot be loaded as a library */
    bool is_foreign;                        /* of another class or machine: the loader passes over it and searches on */
    bool is_filter;                         /* DT_FILTER or DT_AUXILIARY: it brings objects that are not emulated */
    const char *problem; /* why the real loader would refuse it, or what is beyond what is read here; NULL */
    uint16_t machine;    /* e_machine */
    bool is_64;
    const char *interpreter, *soname, *rpath, *runpath; /* NULL for none */
    struct strv needed;
    uint64_t flags_1;
    const char *build_id; /* hexadecimal; NULL */
    uint64_t device, inode, size;
};

/* Reads `path`; false with elf->problem when it is not something that can be loaded or started. Never blocks on a FIFO,
 * never opens a device. Strings come as they stand in the file: print them through text_printable(). */
bool elf_read(struct arena *arena, const char *path, struct elf *elf);
/* The same from a descriptor, which stays open; for `machine` (e_machine), 0 for this one. */
bool elf_read_fd(struct arena *arena, int fd, const char *path, uint16_t machine, struct elf *elf);

/* libcudart's own release, decoded from the constant in cudaRuntimeGetVersion: major.minor (the patch level is not in
 * the file). RELEASE_NONE when it cannot be told; `how` says why or how. */
struct release cudart_decode(struct arena *arena, const char *path, const char **how);
/* The release of a static runtime inside an executable or library; RELEASE_NONE when there is none. */
struct release cudart_decode_static(struct arena *arena, const char *path, const char **how);

/* Where a library was found. */
enum loader_via {
    VIA_NONE,   /* not found */
    VIA_LOADED, /* already loaded under this name, soname or inode */
    VIA_PATH,   /* the name holds a slash */
    VIA_RPATH,
    VIA_LD_LIBRARY_PATH,
    VIA_RUNPATH,
    VIA_CACHE,
    VIA_DEFAULT,
    VIA_PRELOAD,
    VIA_FATAL, /* a candidate stops the real loader: elf problem in `detail` */
};
const char *loader_via_text(enum loader_via via); /* "DT_RPATH", "LD_LIBRARY_PATH", … */

struct search_step {
    enum loader_via via;
    const char *origin;    /* the object whose RPATH or RUNPATH it is; NULL */
    const char *dir;       /* directory or cache file */
    const char *candidate; /* the file tried */
    const char *outcome;   /* "found", "No such file or directory", "for another machine", … */
};
/* The outcome of a file that comes after the one that wins, or after the one that stops the loader. */
#define SEARCH_TOO_LATE "comes too late"

struct search_steps {
    VEC(struct search_step);
};

struct resolution {
    const char *consumer; /* the object that asked first, directly */
    const char *needed;   /* the name it asked for */
    const char *path;     /* the file that wins; NULL */
    const char *real;     /* resolved */
    enum loader_via via;
    const char *detail;  /* for people: which object's RPATH, which element */
    const char *blocked; /* another library of the same load that is missing or broken, so that the load fails before
                            or after; NULL */
    struct search_steps steps; /* empty in struct consumer, as chain: ask loader_resolve() for them */
    struct strv chain;         /* from the loaded object down to the consumer */
};

/* How processes start in this environment. */
struct loader_options {
    const char *executable;      /* whose DT_RPATH counts: the prefix's python, resolved; NULL: each file by itself */
    const char *ld_library_path; /* NULL or "": unset */
    const char *ld_preload;
    const char *root;            /* "" or a folder with /etc/ld.so.cache, … */
    const struct strv *preloads; /* absolute paths loaded first, in order (torch's and jax's preloading); NULL */
};

struct loader;
/* Asks PT_INTERP's loader for its system directories and hwcaps (ld.so --list-diagnostics), reads the cache. */
struct loader *loader_new(struct arena *arena, const struct loader_options *options);
/* Why nothing can be said about programs of this loader (musl's, or an unknown machine's); NULL. */
const char *loader_unsupported(const struct loader *loader);
/* As if `path` were dlopened (or, an executable, started): what `soname_start` ("libcudart.so") resolves to, with all
 * steps. Returns false when nothing in its dependency graph asks for such a library. */
bool loader_resolve(struct loader *loader, const char *path, const char *soname_start, struct resolution *resolution);
/* As if dlopen("NAME") were called from `caller` (NULL: the executable). */
void loader_dlopen(struct loader *loader, const char *caller, const char *name, struct resolution *resolution);

/* An ELF file below a prefix that has to do with libcudart. */
enum consumer_kind {
    CONSUMER_NEEDED,  /* DT_NEEDED libcudart, itself or through dependencies */
    CONSUMER_DLOPEN,  /* holds the name libcudart.so.N and opens it itself */
    CONSUMER_STATIC,  /* a static runtime inside */
    CONSUMER_BUNDLED, /* needs a renamed copy: libcudart-<hash>.so.12 */
};
struct consumer {
    enum consumer_kind kind;
    const char *path;
    const char *needed;           /* the name asked for: "libcudart.so.12" */
    struct resolution resolution; /* not for CONSUMER_STATIC */
    struct release release;       /* decoded, of the file that wins or of the runtime inside */
    const char *release_how;
};
struct consumers {
    VEC(struct consumer);
    size_t files_seen, elf_seen, elf_read;
    struct strv cudarts;  /* the files called libcudart.so* or libcudart-*.so* that were met, sorted */
    struct strv problems; /* hostile or broken files, one printable line each */
};
/* Walks `prefix` and finds every consumer, sorted by path: one for each name of a runtime that a load of the file asks
 * for. Only names with ".so" and files in bin/ and libexec/ are opened, symlinks are not followed, and a root's pkgs/
 * and envs/ are left out. Among files that neither need a runtime nor are one, those that may be about GPUs are
 * searched for names that they open and for a runtime inside. ERR_INPUT when `prefix` is no directory. */
bool loader_consumers(struct arena *arena, const char *prefix, const struct loader_options *options,
                      struct consumers *consumers, struct err *err);
/* The same of one file, wherever it is. ERR_INPUT when it cannot be read as an ELF file of this machine. */
bool loader_consumers_of(struct arena *arena, const char *prefix, const char *file,
                         const struct loader_options *options, struct consumers *consumers, struct err *err);
/* Whatever below the prefix needs one of the libraries `names`, itself or through others: CONSUMER_NEEDED, one for each
 * name that a load of the file asks for. Releases are not told, and contents are not searched. */
bool loader_askers(struct arena *arena, const char *prefix, const struct loader_options *options,
                   const struct strv *names, struct consumers *askers, struct err *err);
const char *consumer_kind_text(enum consumer_kind kind); /* "needed", "dlopen", "static", "bundled" */
/* Every libcudart.so* below the prefix that is a real file (symlinks lead to one of them), sorted. */
struct cudart_file {
    const char *path; /* real file */
    const char *soname;
    struct release name_release; /* from libcudart.so.12.4.127; RELEASE_NONE parts unknown */
    struct release decoded;
    const char *how, *build_id, *sha256;
    bool bundled; /* libcudart-<hash>.so */
};
struct cudart_files {
    VEC(struct cudart_file);
};
void loader_cudarts(struct arena *arena, const struct strv *paths, struct cudart_files *files);

/* What a real process of the environment loads: the prefix's python with a small probe preloaded, whose constructor
 * opens `name`, asks dlinfo and cudaRuntimeGetVersion, and ends the process before python starts. */
struct live {
    bool ran;
    const char *skipped; /* why not: no python, a wrapper script, a path with a space or colon, musl, … */
    bool died;           /* it was started and ended by a signal, or did not answer in time */
    bool opened;
    const char *path;    /* the file that was loaded */
    const char *message; /* dlerror */
    int version;         /* 12040; 0 when the call failed */
    int status;          /* what cudaRuntimeGetVersion returned; 35 is cudaErrorInsufficientDriver */
};
/* `envp` is the environment of an activated shell; `name` is a soname: "libcudart.so.12". */
void loader_live(struct arena *arena, const char *python, const char *const *envp, const char *name, struct live *live);
/* LD_TRACE_LOADED_OBJECTS on python with the consumer preloaded: the real loader's answer for one consumer. */
void loader_trace(struct arena *arena, const char *python, const char *const *envp, const char *consumer,
                  const char *soname_start, struct live *live);

/* A library that came into a process. */
struct loaded {
    const char *path;
    const char *asker; /* the file that needed or opened it */
    const char *rule;  /* the loader's words: "RPATH from file /env/bin/python", "LD_LIBRARY_PATH"; "its path" */
};
/* What importing modules did. */
struct import {
    bool ran;
    const char *skipped; /* why not */
    const char *problem; /* why the import failed; NULL */
    struct { VEC(struct loaded); } loaded; /* in this order */
};
/* Imports `modules` in one process of `python`, in the directory `dir`, which is written into, and tells each library
 * that was loaded and whose name starts with `soname_start`. */
void loader_import(struct arena *arena, const char *python, const char *const *envp, const struct strv *modules,
                   const char *soname_start, const char *dir, unsigned deadline_ms, struct import *import);

#endif
