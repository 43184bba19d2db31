/* Changes to a prefix: one process at a time, and a line in its history for each. */
#ifndef CONDAGPU_CMD_LOCK_H
#define CONDAGPU_CMD_LOCK_H

#include <stdbool.h>

#include "cmd/cmd.h"

struct lock {
    int fd;
};

/* Takes etc/condagpu/lock of the prefix, making the directory. ERR_OUTPUT when another process holds it. */
bool lock_take(struct run *run, const char *prefix, struct lock *lock);
void lock_release(struct lock *lock);

/* Appends "TIME condagpu VERSION COMMAND: WHAT" to etc/condagpu/history.log. */
bool history_add(struct run *run, const char *prefix, const char *command, const char *what);

#endif
