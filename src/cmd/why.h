/* The answers of `condagpu why`. */
#ifndef CONDAGPU_CMD_WHY_H
#define CONDAGPU_CMD_WHY_H

#include <jansson.h>
#include <stdbool.h>

#include "loader/loader.h"
#include "util/text.h"
#include "util/vec.h"

/* Who asks, and what comes of it. */
struct why_answer {
    const char *path;             /* the consumer; the program itself where it opens a library by name */
    const char *kind;             /* "needed", "dlopen", "static", "bundled", "program" */
    struct resolution resolution; /* with its steps; empty for "static" */
    struct release release;       /* of the file that wins or of the runtime inside: major.minor */
    const char *version;          /* with the patch level, where the file's name tells it; NULL */
    struct resolution without;    /* the same without LD_LIBRARY_PATH, where that is set */
};

struct why {
    const char *library, *prefix, *executable, *library_path; /* executable and library_path may be NULL */
    bool is_single;                                           /* one consumer was asked about: tell each step */
    bool is_verbose;                                          /* tell each step, and list everything */
    bool is_colored;
    struct {
        VEC(struct why_answer);
    } answers;
    struct strv problems;
};

json_t *why_json(struct arena *arena, const struct why *why);
struct str why_text(struct arena *arena, const struct why *why);

#endif
