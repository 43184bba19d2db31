/* What the hooks promise, as a model: the reference of the conformance suite, written on lists and values, without the
 * templates' tricks. DESIGN 4, rules 4 to 8. */
#ifndef CONDAGPU_TESTS_SHELLS_MODEL_H
#define CONDAGPU_TESTS_SHELLS_MODEL_H

#include <stdbool.h>

#include "plan/plan.h"
#include "util/arena.h"

enum { VARIABLE_LIMIT = 12, ID_LIMIT = 3 };

/* What a hook remembers of one variable. */
struct remembered {
    bool held;
    const char *original, *written; /* NULL: unset */
    const char *mark;               /* what stood there before; "" for none */
    struct strv ours;               /* lists */
};

struct model {
    struct arena *arena;
    struct strv names; /* of the variables */
    const char *now[VARIABLE_LIMIT];
    const char *mark[VARIABLE_LIMIT]; /* "" for none */
    struct remembered memory[ID_LIMIT][VARIABLE_LIMIT];
};

/* An environment: its hooks' ID as an index, its prefix as it is now, its plan. */
struct environment {
    unsigned id;
    const char *prefix;
    const struct plan *plan;
};

/* Index of a variable, which is added when it is new. */
size_t model_variable(struct model *model, const char *name);
void model_activate(struct model *model, const struct environment *environment);
void model_deactivate(struct model *model, unsigned id);

#endif
