/* What in an environment file can never be satisfied, is ignored, or does not do what it looks like. */
#ifndef CONDAGPU_CHECK_LINT_H
#define CONDAGPU_CHECK_LINT_H

#include <stdbool.h>

#include "check/check.h"
#include "spec/spec.h"

/* One row a rule, for reports and explain; `function` is NULL. The findings of the reader of the file (its notes) are
 * among them. id NULL behind the last. */
extern const struct check lint_rules[];

/* Appends one result for each finding, in the order of the file's lines. Its status is STATUS_FAIL for what conda or pip
 * refuses or can never satisfy, STATUS_SKIP for a remark on what was left out, and STATUS_WARN for the rest; its first evidence is the place and the text that is meant,
 * further ones what else it concerns. ERR_INPUT when a table of --data-dir is malformed. */
bool lint(struct arena *arena, struct data *data, const struct spec *spec, struct results *results, struct err *err);

/* A file that could not be read, as a result. */
void lint_unreadable(struct arena *arena, const struct err *why, struct results *results);

#endif
