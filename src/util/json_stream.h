/* JSON read piece by piece, in bounded memory: for long records of which a few members are wanted. It is the only user
 * of yajl, so that the parser behind it can be changed. */
#ifndef CONDAGPU_UTIL_JSON_STREAM_H
#define CONDAGPU_UTIL_JSON_STREAM_H

#include <stdbool.h>

#include "util/err.h"
#include "util/str.h"

enum json_event_kind {
    JSON_EVENT_OPEN,  /* an object or array begins */
    JSON_EVENT_CLOSE, /* it ends */
    JSON_EVENT_STRING,
    JSON_EVENT_OTHER, /* a number, true, false or null */
};

struct json_event {
    enum json_event_kind kind;
    /* Where it stands: "paths_data.paths[]._path". A dot, bracket or backslash within a key has a backslash before it,
     * so that no key can pass for a deeper place. */
    const char *path;
    struct str text; /* of a string, decoded; of another scalar, as written; valid during the call only */
};

/* Called for each event; false ends the reading, which is then a success. */
typedef bool json_event_function(void *context, const struct json_event *event);

/* Reads one document from a regular file. ERR_INPUT with the line for what cannot be read, is not JSON, is nested more
 * than 64 deep or holds a single value of more than 1 MB. `what` names the file in the error. */
bool json_stream_file(const char *path, const char *what, json_event_function *function, void *context,
                      struct err *err);
/* The same for bytes in memory; `name` stands for the file. */
bool json_stream_bytes(struct str bytes, const char *name, const char *what, json_event_function *function,
                       void *context, struct err *err);

#endif
