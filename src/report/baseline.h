/* Findings that are known and accepted: a text file with a line each, "ID" or "ID<tab>FILE"; '#' starts a comment. */
#ifndef CONDAGPU_REPORT_BASELINE_H
#define CONDAGPU_REPORT_BASELINE_H

#include <stdbool.h>

#include "check/check.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

struct baseline_entry {
    const char *id;
    const char *file; /* NULL: wherever it is found */
    unsigned line;    /* in the baseline file */
    bool used;        /* it covered a finding: set by baseline_apply */
};

struct baseline {
    const char *path;
    struct {
        VEC(struct baseline_entry);
    } entries;
    struct strv known; /* ids of the results that baseline_apply turned */
};

/* Reads a baseline ("-": standard input). With `rows`, checks[] or NULL, an id that no check has is an error that
 * names the nearest one. ERR_INPUT with file, line, column. */
bool baseline_read(struct arena *arena, const char *path, const struct check *rows, struct baseline *baseline,
                   struct err *err);

/* Turns a fail or warn that is known into a pass whose message starts with "known (baseline): ". It is known when an
 * entry names its id without a file, or when each file in its evidence (at least one) has an entry: a finding that
 * also concerns a new file is news. A relative FILE stands for itself below the working directory or below `prefix`
 * (may be NULL). */
void baseline_apply(struct arena *arena, struct baseline *baseline, const char *prefix, struct results *results);

#endif
