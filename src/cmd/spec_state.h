/* The pins of an environment file as state.json keeps them, for when the file is gone. */
#ifndef CONDAGPU_CMD_SPEC_STATE_H
#define CONDAGPU_CMD_SPEC_STATE_H

#include <stdbool.h>

#include "spec/spec.h"

/* Compact JSON with sorted keys. */
const char *spec_state_text(struct arena *arena, const struct spec *spec);
/* Fills file, pins, conflicts and the effective pin; false when the text is not what spec_state_text() makes. */
bool spec_state_read(struct arena *arena, const char *text, struct spec *spec);

#endif
