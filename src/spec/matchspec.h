/* conda's MatchSpec. */
#ifndef CONDAGPU_SPEC_MATCHSPEC_H
#define CONDAGPU_SPEC_MATCHSPEC_H

#include "spec/spec.h"

/* Fills name, version, build, channel and subdir of a conda dependency from its text, as conda.models.match_spec reads
 * it; where conda refuses the text, `problem` says why and name stays NULL. A comment is cut off the text. */
void matchspec_parse(struct arena *arena, struct dep *dep);

#endif
