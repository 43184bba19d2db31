/* PEP 508's environment markers: python_version < "3.9" and sys_platform == "linux". */
#ifndef CONDAGPU_SPEC_MARKER_H
#define CONDAGPU_SPEC_MARKER_H

#include "util/arena.h"

/* What a marker may ask of; a NULL member is not known. The rest is the same on every machine that this program is for:
 * CPython on Linux, and no extra is asked for. */
struct marker_environment {
    const char *python;  /* "3.11" or "3.11.4" */
    const char *machine; /* "x86_64" */
    const char *release; /* of the kernel */
};

enum marker_value { MARKER_FALSE, MARKER_TRUE, MARKER_UNKNOWN, MARKER_INVALID };

/* The value of a marker, as pip takes it. `problem` says why for MARKER_INVALID. */
enum marker_value marker_evaluate(struct arena *arena, const char *marker, const struct marker_environment *environment,
                                  const char **problem);

#endif
