/* Operations -> text, through templates/ and one quoting function a shell. */
#ifndef CONDAGPU_RENDER_RENDER_H
#define CONDAGPU_RENDER_RENDER_H

#include <stdbool.h>

#include "plan/plan.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"

struct shell {
    const char *name;   /* "sh", "fish", "csh" */
    const char *suffix; /* ".sh" */
};
extern const struct shell shells[]; /* name NULL behind the last */

struct render_input {
    const struct plan *plan;
    const char *id;       /* the prefix's state ID: 8 lower-case hexadecimal digits */
    const char *version;  /* of the program */
    const char *inputs;   /* digests of the inputs, for the header: one line */
    const char *template_dir; /* NULL: the installed one; a template that is missing there is ERR_INPUT */
};

/* The text of the activate.d (or deactivate.d) hook for one shell. Equal inputs give equal bytes. */
bool render_hook(struct arena *arena, const struct shell *shell, bool activate, const struct render_input *input,
                 struct str *text, struct err *err);

#endif
