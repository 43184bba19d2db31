/* What the readers of one file share while they fill a struct spec. */
#ifndef CONDAGPU_SPEC_BUILDING_H
#define CONDAGPU_SPEC_BUILDING_H

#include "spec/spec.h"

struct building {
    struct arena *arena;
    struct data *data;
    struct spec *spec;
    struct err *err;
    struct {
        VEC(struct dep);
    } constraints;      /* of pip's -c files: they count where the package is required */
    unsigned pip_files; /* files that -r and -c have named so far */
};

struct place {
    const char *file;
    unsigned line, column;
};

/* ERR_INPUT at the place; `mend` may be NULL. Returns false. */
bool building_fail(struct building *b, struct place place, const char *mend, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
struct note *building_note(struct building *b, const char *id, struct place place, const char *message,
                           const char *mend);
/* The same for a file with which nothing is wrong: what of it was not read. */
void building_remark(struct building *b, const char *id, struct place place, const char *message);
/* One more dependency: its text (trimmed) and place; the caller fills the rest. */
struct dep *building_dep(struct building *b, enum manager manager, struct place place, struct str text);

/* Refuses, at the place, one dependency more than any environment has (100,000). */
bool building_room(struct building *b, struct place place);

/* Fills the parts of a conda dependency from its text. */
void conda_dep(struct building *b, struct dep *dep);

#endif
