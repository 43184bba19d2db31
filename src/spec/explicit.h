/* The lists of package addresses that `conda list --explicit` writes. */
#ifndef CONDAGPU_SPEC_EXPLICIT_H
#define CONDAGPU_SPEC_EXPLICIT_H

#include "spec/building.h"

/* A line that is @EXPLICIT makes a text such a list. */
bool is_explicit(struct str content);
bool explicit_read(struct building *b);

#endif
