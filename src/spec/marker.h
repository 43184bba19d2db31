/* Environment markers of PEP 508: the text behind the ";" of pip's requirements. */
#ifndef CONDAGPU_SPEC_MARKER_H
#define CONDAGPU_SPEC_MARKER_H

#include "spec/spec.h"

/* In the order in which "and" takes the least and "or" the greatest. */
enum truth { TRUTH_FALSE, TRUTH_UNKNOWN, TRUTH_TRUE };

enum marker_variable {
    MARKER_PYTHON_VERSION,
    MARKER_PYTHON_FULL_VERSION,
    MARKER_OS_NAME,
    MARKER_SYS_PLATFORM,
    MARKER_PLATFORM_MACHINE,
    MARKER_PLATFORM_SYSTEM,
    MARKER_PLATFORM_RELEASE,
    MARKER_PLATFORM_VERSION,
    MARKER_PLATFORM_PYTHON_IMPLEMENTATION,
    MARKER_IMPLEMENTATION_NAME,
    MARKER_IMPLEMENTATION_VERSION,
    MARKER_EXTRA,
    MARKER_VARIABLES,
};

/* What the variables stand for; both NULL for one that is not known. `first` and `last` differ where only the ends of
 * the versions that it may have are known: 3.11.0 and 3.11.99 under python=3.11. */
struct marker_world {
    struct {
        const char *first, *last;
    } of[MARKER_VARIABLES];
};

/* This machine (linux, and what uname says) with the CPython that the environment's conda dependencies pin. Where they
 * pin none, python's variables are not known. No extra is asked for. */
void marker_world(struct arena *arena, const struct spec *spec, struct marker_world *world);

/* Why pip refuses the marker; NULL for a valid one. */
const char *marker_problem(struct arena *arena, struct str marker);
/* What the marker says of the world; of one that pip refuses nothing is known. */
enum truth marker_holds(struct arena *arena, struct str marker, const struct marker_world *world);

#endif
