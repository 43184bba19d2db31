/* What the formats share; for src/report/ alone. */
#ifndef CONDAGPU_REPORT_FORMAT_H
#define CONDAGPU_REPORT_FORMAT_H

#include <jansson.h>
#include <stdbool.h>

#include "report/report.h"
#include "util/text.h"

/* A format appends its document; memory comes from out->arena. */
void report_as_text(const struct report *report, struct text *out);
void report_as_json(const struct report *report, struct text *out);
void report_as_junit(const struct report *report, struct text *out);
void report_as_sarif(const struct report *report, struct text *out);
void report_as_github(const struct report *report, struct text *out);

/* What a result counts as: with --strict a warning is a failure. */
enum status report_status(const struct report *report, const struct result *result);

/* Adds the mend for an id that no check has, the nearest one; returns false. */
bool unknown_check(struct arena *arena, const struct check *rows, const char *id, struct err *err);

/* Where a person reads, this many pieces of evidence are enough; documents for programs hold them all. */
enum { MOST_EVIDENCE = 10 };

/* The one line of a piece of evidence, "file:line:column: text", printable. */
const char *evidence_line(struct arena *arena, const struct evidence *evidence);

/* Where a finding is shown. */
struct place {
    const char *path; /* relative to the report's root when below it, else absolute; a URL as it is */
    const char *uri;  /* the same, percent-encoded (RFC 3986); file:// when absolute */
    bool relative;
    unsigned line, column;
};
/* False where `file` names no file (NULL, "" or "-", standard input). */
bool place_of(struct arena *arena, const struct report *report, const char *file, unsigned line, unsigned column,
              struct place *place);
/* The place to show first for a result: the first evidence below the root, else the pin's line when it is below the
 * root, else any evidence with a file. False where there is none. */
bool place_of_result(struct arena *arena, const struct report *report, const struct result *result,
                     struct place *place);
/* The URI of the root, with a slash at its end. */
const char *place_root_uri(struct arena *arena, const struct report *report);

/* Valid UTF-8: each byte that is not part of it becomes \xNN. */
char *escape_utf8(struct arena *arena, const char *string);
/* For XML 1.0 text and attributes: what XML cannot hold becomes \xNN, what a terminal should not see a reference. */
void escape_xml(struct text *out, const char *string);
/* A path, percent-encoded but for unreserved characters and the slash; so ':' never looks like a scheme. */
void escape_path(struct text *out, const char *path);
/* A workflow command's message, or the value of one of its properties; printable. */
void escape_github(struct text *out, const char *string, bool property);

/* JSON: a string, made valid, or null; a member, which `object` then owns; the document, in ASCII, indented by `indent` (0:
 * one line), with a newline. */
json_t *json_text(struct arena *arena, const char *string);
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);
void json_write(const json_t *root, size_t indent, struct text *out);
void json_cleanup(json_t **root);
#define _cleanup_json_ __attribute__((cleanup(json_cleanup)))

#endif
