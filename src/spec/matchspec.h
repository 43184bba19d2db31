/* conda's MatchSpec. */
#ifndef CONDAGPU_SPEC_MATCHSPEC_H
#define CONDAGPU_SPEC_MATCHSPEC_H

#include "spec/spec.h"

/* Fills name, version, build, channel and subdir of a conda dependency from its text, as conda.models.match_spec reads
 * it; where conda refuses the text, `problem` says why and name stays NULL. A comment is cut off the text. */
void matchspec_parse(struct arena *arena, struct dep *dep);

/* The same parts from ".../CHANNEL/SUBDIR/NAME-VERSION-BUILD.conda#digest" (or .tar.bz2); false when it is no such
 * address. */
bool matchspec_read_address(struct arena *arena, struct dep *dep, struct str address);
/* The channel as conda names it: without the address of conda's own server and slashes behind it; a channel of another
 * host is its address, and pkgs/main is part of defaults. */
const char *matchspec_channel(struct arena *arena, struct str channel);

#endif
