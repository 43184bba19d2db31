/* What the files that start a real process share. */
#ifndef CONDAGPU_LOADER_LIVE_H
#define CONDAGPU_LOADER_LIVE_H

#include "util/arena.h"

/* Why this python cannot be asked by way of its loader, or NULL. */
const char *live_unusable(struct arena *arena, const char *python);

#endif
