/* The lists of package addresses that `conda list --explicit` writes. */
#ifndef CONDAGPU_SPEC_EXPLICIT_H
#define CONDAGPU_SPEC_EXPLICIT_H

#include "spec/building.h"

/* A line that is @EXPLICIT makes a text such a list. */
bool is_explicit(struct str content);
/* The parts of a package's address, "…/CHANNEL/SUBDIR/NAME-VERSION-BUILD.conda#digest", in `dep`; false for any other.
 */
bool package_address(struct arena *arena, struct str address, struct dep *dep);
/* The channel without the address of conda's own server and without slashes behind it. */
char *channel_of(struct arena *arena, struct str address);

bool explicit_read(struct building *b);

#endif
