/* What the system's loader is built with: its directories, subdirectories for the processor's features, version. */
#ifndef CONDAGPU_LOADER_SYSTEM_H
#define CONDAGPU_LOADER_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct system {
    const char *interpreter;    /* PT_INTERP's path */
    bool asked;                 /* it answered --list-diagnostics; else these are built-in lists */
    const char *unsupported;    /* it is not glibc's: why nothing can be said; NULL */
    struct strv dirs;           /* searched last, each with a slash at its end */
    struct strv subdirs;        /* "glibc-hwcaps/x86-64-v3/", …, the best first, then legacy ones */
    struct strv tops;           /* the first components of subdirs, in their order: "glibc-hwcaps/", "tls/", … */
    struct strv hwcaps;         /* the active names below glibc-hwcaps, the best first */
    const char *lib, *platform; /* $LIB and $PLATFORM; NULL for no value */
};

/* Asks `interpreter` (NULL: the usual one of `machine`) unless `root` is not "" or it is for another machine. */
void system_read(struct arena *arena, const char *interpreter, uint16_t machine, const char *root,
                 struct system *system);

#endif
