/* Facts in, operations out, each with its why. */
#ifndef CONDAGPU_PLAN_PLAN_H
#define CONDAGPU_PLAN_PLAN_H

#include <jansson.h>
#include <stdbool.h>

#include "facts.h"
#include "plan/config.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

enum op_kind {
    OP_SET,     /* ours wins, the old value comes back on deactivation */
    OP_DEFAULT, /* only where the user, the scheduler or the container has none (unset or empty) */
    OP_PREPEND, /* one element of a path list, in front; several ops keep their order */
    OP_APPEND,  /* one element, behind what the user had */
    OP_UNSET,
};
const char *op_kind_text(enum op_kind kind); /* "set", "default", … */
/* How the names begin under which a hook keeps what it needs to take its change of a variable back: for the environment
 * with this ID, and (`id` NULL) for all. csh's names are short (30 characters), and an index would change its meaning
 * with the next init; so it is a hash of the name. */
char *op_state_name(struct arena *arena, const char *id, const char *variable);

/* A value that lies below the prefix starts with the text "$CONDA_PREFIX" (contract 7); no value holds another dollar,
 * a quote of any kind, a backquote, a backslash, an exclamation mark or a newline. */
struct op {
    enum op_kind kind;
    const char *name;
    const char *value; /* NULL for OP_UNSET */
    const char *lead;  /* OP_DEFAULT: a variable of the job whose value leads when it is a positive integer
                          (SLURM_CPUS_PER_TASK); NULL */
    const char *why;   /* one line, the evidence */
    const char *rule;  /* "cuda-home", "library-path", … */
};

/* A rule that set nothing says why. */
struct abstention {
    const char *rule, *why;
};

/* A link that `init` makes in $CONDA_PREFIX/lib/condagpu for the flat layouts. */
struct link {
    const char *name;   /* libcudart.so.11.0 */
    const char *target; /* relative to the link's directory: ../libcudart.so.11.0 */
};

struct plan {
    struct { VEC(struct op); } ops;
    struct { VEC(struct abstention); } abstentions;
    struct { VEC(struct link); } links;
};

/* Runs every rule. ERR_INPUT when condagpu.yml asks for what cannot be (its file, line and column). */
bool plan_make(struct arena *arena, const struct facts *facts, const struct config *config, struct plan *plan,
               struct err *err);

/* The document "condagpu.plan/1". */
json_t *plan_to_json(const struct plan *plan, const struct facts *facts);

#endif
