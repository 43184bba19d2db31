/* Operations -> text, through templates/ and one quoting function a shell. */
#ifndef CONDAGPU_RENDER_RENDER_H
#define CONDAGPU_RENDER_RENDER_H

#include <stdbool.h>

#include "plan/plan.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"
#include "util/text.h"

/* A new shell is one row in shells.c and a pair of templates, activate<suffix> and deactivate<suffix>. */
struct shell {
    const char *name;   /* "sh", "fish", "csh" */
    const char *suffix; /* ".sh" */
    /* Adds one word of the shell whose value is `value`, byte for byte; each $CONDA_PREFIX that no name character
     * follows stands for the variable's value at run time. `value` holds no newline. */
    void (*quote)(struct text *text, struct str value);
};
extern const struct shell shells[]; /* name NULL behind the last */

/* The row of that name, or NULL. */
const struct shell *shell_find(const char *name);

struct render_input {
    const struct plan *plan;
    const char *id;       /* the prefix's state ID: 8 lower-case hexadecimal digits */
    const char *version;  /* of the program */
    const char *inputs;   /* digests of the inputs, for the header: one line */
    const char *template_dir; /* NULL: the installed one; a template that is missing there is ERR_INPUT */
};

/* The text of the activate.d (or deactivate.d) hook for one shell, in ASCII. Equal inputs give equal bytes.
 * ERR_INPUT for a template that is missing or wrong (its file and line), and for operations that no hook can carry:
 * a value with a character that DESIGN's rule 9 forbids, a list element that is empty, relative or holds a colon,
 * or operations of different kinds on one variable. */
bool render_hook(struct arena *arena, const struct shell *shell, bool activate, const struct render_input *input,
                 struct str *text, struct err *err);

#endif
