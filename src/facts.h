/* All that a plan or a check may know, gathered once, read only. */
#ifndef CONDAGPU_FACTS_H
#define CONDAGPU_FACTS_H

#include "data/table.h"
#include "loader/loader.h"
#include "prefix/inventory.h"
#include "prefix/state.h"
#include "probe/machine.h"
#include "spec/spec.h"

struct facts {
    struct data *data;
    const struct spec *spec;           /* NULL: no environment file, and none recorded */
    bool spec_recorded;                /* the file is not here; its pins come from state.json */
    const struct state *state;         /* never NULL */
    const struct inventory *inventory; /* never NULL */
    const struct machine *machine;     /* never NULL */
};

#endif
