/* From dependencies to pins, and from pins to what the environment as a whole asks for. */
#ifndef CONDAGPU_SPEC_PINS_H
#define CONDAGPU_SPEC_PINS_H

#include "spec/building.h"

/* Fills pins, conflicts and the effective pin of b->spec. ERR_INPUT when a table of --data-dir is malformed. */
bool pins_find(struct building *b);

#endif
