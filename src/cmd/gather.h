/* From options to facts: what every command that looks at an environment does first. */
#ifndef CONDAGPU_CMD_GATHER_H
#define CONDAGPU_CMD_GATHER_H

#include <stdbool.h>

#include "check/check.h"
#include "cmd/cmd.h"
#include "facts.h"
#include "plan/config.h"
#include "plan/plan.h"

struct gathered {
    struct inventory inventory;
    struct state state;
    struct spec spec;
    struct machine machine;
    struct config config;
    struct facts facts;
    struct plan plan;
    struct { VEC(struct hook_file); } hooks; /* as init would write them now, beside what is there */
    const char *id; /* the state's, or a new one */
};

/* --prefix, --name or $CONDA_PREFIX, absolute. ERR_USAGE when there is none. */
bool gather_prefix(struct run *run, const char **prefix);

/* Everything: inventory, state, spec (--file, environment.yml here, the recorded one, the recorded pins), machine
 * (--probe or this one), config, plan and hooks. `need_file` (of `init`, which writes): no environment
 * file and no recorded one is an error. */
bool gather(struct run *run, bool need_file, struct gathered *gathered);

/* How long the driver may take, by --timeout. ERR_USAGE. */
bool gather_deadline(struct run *run, unsigned *deadline_ms);

#endif
