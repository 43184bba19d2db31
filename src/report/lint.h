/* What lint found, as text with the lines concerned, and as JSON. The other formats are report.h's. */
#ifndef CONDAGPU_REPORT_LINT_H
#define CONDAGPU_REPORT_LINT_H

#include <jansson.h>
#include <stdbool.h>

#include "check/check.h"
#include "data/table.h"
#include "spec/spec.h"
#include "util/text.h"

/* One file and what was found in it. */
struct linted {
    const char *file;
    const struct spec *spec; /* NULL: it could not be read, and `results` says why */
    struct results results;
};

/* Each finding with its line and a caret, then what the file pins. Credentials (`secrets` is the table secret) are left
 * out of the lines. `quiet` leaves out what the file pins. */
void lint_as_text(const struct linted *linted, const struct table *secrets, bool color, bool quiet, struct text *out);
/* One document, condagpu.lint/1; `indent` as json_dumps(3) takes it, 0 for one line. */
void lint_as_json(const struct linted *linted, const struct table *secrets, size_t indent, struct text *out);

#endif
