/* Documents to files and standard output. */
#ifndef CONDAGPU_CMD_OUTPUT_H
#define CONDAGPU_CMD_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "cmd/cmd.h"
#include "util/err.h"
#include "util/str.h"

/* "-" is standard output; a file (or what a link leads to) is written atomically and keeps its mode, a new one has 0644;
 * a device or FIFO is written through. ERR_OUTPUT. */
bool output_write(const char *path, struct str content, struct err *err);

/* The one --format of a command that knows text and json; ERR_USAGE for another. */
bool output_is_json(struct run *run, bool *json);
/* Checks --format of a command that knows report_formats, and that each but one has an --output; without --format the
 * first of them is added. ERR_USAGE. */
bool output_formats(struct run *run);
/* Prints an indented JSON document to --output or standard output, and drops it. */
bool output_json(struct run *run, json_t *document);

/* The error, and its mend on a line of its own, on standard error. */
void output_error(const struct err *err);

#endif
