/* CUDA release numbers: 12, 12.4, 12.4.1, and libcudart builds such as 12.4.127. */
#ifndef CONDAGPU_UTIL_RELEASE_H
#define CONDAGPU_UTIL_RELEASE_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/str.h"

struct release {
    int major, minor, patch; /* -1 for a part that is not known */
};

#define RELEASE_NONE ((struct release){-1, -1, -1})

/* One to three (further ones are ignored) dotted decimal numbers of at most 6 digits and nothing else. */
bool release_parse(struct str text, struct release *release);
/* "11.0-11.8", or one release as both ends. */
bool release_parse_span(struct str text, struct release *first, struct release *last);
/* CUDA's integer form, 1000 * major + 10 * minor (CUDA Runtime API, cudaRuntimeGetVersion): 12040 is 12.4. */
struct release release_from_int(int version);
/* "12.4.127", "12.4", "12" or "?" : only the known parts. */
char *release_text(struct arena *arena, struct release release);
/* The least release of that name: 12 is 12.0.0, 12.4 is 12.4.0. */
struct release release_least(struct release release);
/* <0, 0, >0; an unknown part sorts before 0. */
int release_cmp(struct release left, struct release right);
/* Whether all parts known on both sides are equal: 12.4 and 12.4.127 agree, 12 and 13.0 do not. */
bool release_agree(struct release left, struct release right);

#endif
