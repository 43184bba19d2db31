/* conda's environment.yml. */
#ifndef CONDAGPU_SPEC_ENVIRONMENT_H
#define CONDAGPU_SPEC_ENVIRONMENT_H

#include "spec/building.h"

/* Reads name, channels, dependencies with their pip lists, and variables from b->spec->content. */
bool environment_read(struct building *b);

#endif
