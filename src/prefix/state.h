/* etc/condagpu/state.json: what `init` decided, from which inputs. */
#ifndef CONDAGPU_PREFIX_STATE_H
#define CONDAGPU_PREFIX_STATE_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"
#include "util/vec.h"

/* A file that `init` wrote, and what it wrote. */
struct state_file {
    const char *relative; /* to the prefix */
    const char *sha256;
};

struct state {
    bool present;
    const char *id;      /* 8 lower-case hexadecimal digits, fixed at the first `init` of the prefix */
    const char *version; /* of the program that wrote it */
    const char *file, *file_sha256;     /* the environment file, absolute; NULL for none */
    const char *config, *config_sha256; /* condagpu.yml; NULL for none */
    const char *spec;    /* JSON text: the pins of the file, for when it is gone; NULL for none */
    struct { VEC(struct state_file); } hooks;
    struct strv links;   /* relative to the prefix */
};

#define STATE_DIR "etc/condagpu"
#define STATE_FILE STATE_DIR "/state.json"
#define HISTORY_FILE STATE_DIR "/history.log"
#define LOCK_FILE STATE_DIR "/lock"
#define LINK_DIR "lib/condagpu"
#define HOOK_STEM "~zz-condagpu"

/* Reads the prefix's state; state->present is false when there is none. ERR_INPUT when it is malformed. */
bool state_read(struct arena *arena, const char *prefix, struct state *state, struct err *err);
/* The file's text; equal states give equal bytes. */
struct str state_text(struct arena *arena, const struct state *state);
bool state_equal(struct arena *arena, const struct state *left, const struct state *right);
/* Eight random hexadecimal digits. */
char *state_new_id(struct arena *arena);
/* The recorded SHA-256 of one of our files, or NULL. While `init` writes, a file has two, the one to be written and the
 * one before it: `sha256` (may be NULL) is given back where it is one of them. */
const char *state_recorded(const struct state *state, const char *relative, const char *sha256);

#endif
