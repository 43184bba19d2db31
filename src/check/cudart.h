/* Which release a libcudart file is, read in several ways that must agree, and whether it is what is pinned. */
#ifndef CONDAGPU_CHECK_CUDART_H
#define CONDAGPU_CHECK_CUDART_H

#include <stdbool.h>

#include "check/check.h"
#include "util/release.h"

struct identity {
    const char *path, *real;
    struct release release;   /* as much as is known; the patch is -1 when no record, name or fingerprint gives it */
    const char *how;          /* the readings: "record cuda-cudart_linux-64 12.4.127; code 12.4" */
    const char *disagreement; /* readings that cannot both be true; NULL */
    bool in_prefix, by_pip;
};

/* Reads the file's name, its code (cudaRuntimeGetVersion), its build-id and the record that owns it; `called` is what the
 * function said in a live process (12040), 0 when it was not asked. */
void cudart_identify(const struct check_input *input, const char *path, int called, struct identity *identity);

enum fit {
    FIT_YES,
    FIT_NO,           /* another release, or nothing tells which */
    FIT_UNVERIFIABLE, /* the pin names a build or release, and the file's patch level cannot be known */
};

/* Whether the file is what the pins of its manager (or, where it has none, all pins) ask for. `broken` is the pin that
 * decides against it; NULL without any. */
enum fit cudart_fits(const struct check_input *input, const struct identity *identity, const struct pin **broken);

/* The latest release of the runtimes whose records the prefix has, for pins that leave it open; RELEASE_NONE. */
struct release cudart_installed(const struct check_input *input);

/* The sonames by which programs of this environment ask for libcudart: the pinned release's, else those of the runtimes
 * that are in the prefix. */
void cudart_sonames(const struct check_input *input, struct strv *sonames);

/* The checks. */
void check_cudart_live(const struct check_input *input, struct result *result);
void check_cudart_static(const struct check_input *input, struct result *result);
void check_cudart_single(const struct check_input *input, struct result *result);

#endif
