/* Findings -> text, json, junit, sarif, github. */
#ifndef CONDAGPU_REPORT_REPORT_H
#define CONDAGPU_REPORT_REPORT_H

#include <stdbool.h>

#include "check/check.h"
#include "report/baseline.h"
#include "spec/spec.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/text.h"

/* All that a report may say. Nothing here needs to be clean text: each format escapes what it prints. */
struct report {
    const char *command;   /* "verify" */
    const char *prefix;    /* NULL: unknown */
    const char *root;      /* files below it are named relatively; NULL: the working directory */
    const struct pin *pin; /* report_pin(); NULL: nothing is pinned, or the pins conflict */
    struct cudart_answer cudart;
    const struct check *checks; /* ids and titles; id NULL behind the last */
    const struct results *results;
    const struct baseline *baseline; /* applied already; NULL */
    bool strict;                     /* warnings fail */
    bool color, quiet, verbose;      /* text only: quiet leaves out what is well, verbose lists what passed */
};

extern const char *const report_formats[]; /* NULL behind the last; the first is the default */

/* Appends the whole document to `out`. ERR_USAGE for a format that does not exist, with the nearest one. */
bool report_write(struct arena *arena, const struct report *report, const char *format, struct text *out,
                  struct err *err);

struct report_counts {
    unsigned pass, warn, fail, skip;
};
struct report_counts report_count(const struct results *results);
/* Nothing failed, nor, when the report is strict, warned: the exit status is 0. */
bool report_passed(const struct report *report);

/* The pin that decides what the environment file asks for, or NULL. `spec` may be NULL. */
const struct pin *report_pin(const struct spec *spec);

/* The row with this id, or NULL. */
const struct check *report_check(const struct check *rows, const char *id);
/* Every id with its title, aligned. */
void explain_list(const struct check *rows, struct text *out);
/* Title, explanation and ground of the check `id`. ERR_USAGE for an unknown id, with the nearest one. */
bool explain_check(struct arena *arena, const struct check *rows, const char *id, struct text *out, struct err *err);

#endif
