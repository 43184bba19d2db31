/* Child processes with a deadline. Nothing here waits for a child that cannot be killed. */
#ifndef CONDAGPU_UTIL_PROC_H
#define CONDAGPU_UTIL_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"

struct proc {
    bool started;    /* false: it could not be executed; `errnum` says why */
    int errnum;
    bool timed_out;  /* the deadline passed and it was killed (its process group too) */
    bool stuck;      /* killed, but it did not end (uninterruptible sleep in a driver): left behind, not waited for */
    int status;      /* exit status, or 128 + signal */
    struct str out;  /* standard output, at most `limit` bytes, with a NUL behind it */
    struct str err;  /* standard error, likewise */
    bool truncated;
};

/* Runs argv[0] (looked up in PATH when it holds no slash) with environment `envp` (NULL: ours), no standard input, in
 * its own process group. */
void proc_run(struct arena *arena, const char *const *argv, const char *const *envp, const char *cwd,
              unsigned deadline_ms, size_t limit, struct proc *result);

/* Runs `function(argument, fd)` in a forked child; what it writes to `fd` becomes result->out. For calls that may hang
 * or crash, such as a driver's. The child ends by _exit(function's result). */
void proc_call(struct arena *arena, int (*function)(void *argument, int fd), void *argument, unsigned deadline_ms,
               size_t limit, struct proc *result);

/* Absolute path of a program in a PATH-like list (NULL: this process's PATH), or NULL. */
char *proc_find(struct arena *arena, const char *name, const char *path_list);

#endif
