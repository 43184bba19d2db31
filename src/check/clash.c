#include "check/clash.h"

#include <ctype.h>
#include <string.h>

#include "util/path.h"

const char explain_variables_clash[] =
    "What it means: variables: of the environment file, conda env config vars (conda-meta/state) and env_vars.d set "
    "nothing that the hooks set as well, and nothing that conda cannot set as it is meant. conda sets these variables "
    "before it runs the hooks, makes their names upper case, and never expands a $ in them.\n\n"
    "Why it matters: where a hook sets the variable too, one of the two has no effect and nobody sees which; "
    "LD_LIBRARY_PATH in variables: takes away what the user had; $CONDA_PREFIX/lib is taken as that very text.\n\n"
    "How to mend it: take the line out of variables: (conda env config vars unset NAME), and where the value is meant "
    "put it into condagpu.yml.\n\n"
    "Source: conda/activate.py and core/prefix_data.py; conda issues 12645, 13952 and 16012; CEP 24 and 32.";

/* One variable of one of the three places. */
struct given {
    const char *name, *value; /* the name as conda sets it */
    const char *file;
    unsigned line, column;
};

struct givens {
    VEC(struct given);
};

static void add(const struct check_input *input, struct givens *givens, const struct given *given)
{
    char *name = arena_strdup(input->arena, given->name);
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (!given->value || strcmp(given->value, ENV_VAR_UNSET) == 0)
        return;
    for (size_t i = 0; i < givens->n; i++)
        if (strcmp(givens->v[i].name, name) == 0 && strcmp(givens->v[i].value, given->value) == 0)
            return; /* the file's line is what the environment has */
    struct given *added = vec_add(input->arena, givens);
    *added = *given;
    added->name = name;
}

static const char *place(const struct check_input *input, const struct given *given)
{
    return given->line ? arena_printf(input->arena, "%s:%u", given->file, given->line) : given->file;
}

static const struct op *op_of(const struct check_input *input, const char *name)
{
    for (size_t i = 0; i < input->plan->ops.n; i++)
        if (strcmp(input->plan->ops.v[i].name, name) == 0)
            return &input->plan->ops.v[i];
    return NULL;
}

/* conda makes neither a prepending nor an expanding out of a text. */
static bool is_meant_to_expand(const struct given *given)
{
    return strchr(given->value, '$') != NULL;
}

static void judge_op(const struct check_input *input, struct result *result, const struct given *given,
                     const struct op *op)
{
    const char *where = place(input, given);
    switch (op->kind) {
    case OP_SET:
        if (cstr_eq(op->value, given->value))
            check_evidence(input, result, given->file, given->line, given->column, "%s is what the hooks set too",
                           given->name);
        else
            check_warn(input, result, "%s sets %s to %s, and the hooks set it to %s: the hooks win", where, given->name,
                       given->value, op->value);
        break;
    case OP_DEFAULT:
        if (is_meant_to_expand(given))
            check_fail(input, result, "%s sets %s to the text %s, which conda does not expand, and the hooks leave it",
                       where, given->name, given->value);
        else
            check_evidence(input, result, given->file, given->line, given->column,
                           "%s=%s leads: the hooks set it only where nobody did", given->name, given->value);
        break;
    case OP_PREPEND:
    case OP_APPEND:
        check_warn(input, result, "%s sets %s to %s in the place of what the user has, and the hooks add to that",
                   where, given->name, given->value);
        break;
    case OP_UNSET:
        check_warn(input, result, "%s sets %s, and the hooks unset it", where, given->name);
        break;
    }
}

static void judge_given(const struct check_input *input, struct result *result, const struct given *given)
{
    const struct op *op = op_of(input, given->name);
    const char *where = place(input, given);
    if (strcmp(given->name, "PATH") == 0)
        check_warn(input, result, "%s sets PATH, which conda ignores", where);
    else if (op)
        judge_op(input, result, given, op);
    else if (strcmp(given->name, "LD_LIBRARY_PATH") == 0)
        check_warn(input, result, "%s sets LD_LIBRARY_PATH to %s in the place of what the user has", where,
                   given->value);
    if (strcmp(given->name, "PATH") != 0 && is_meant_to_expand(given))
        check_warn(input, result, "%s sets %s to the text %s: conda does not expand it", where, given->name,
                   given->value);
    if (result->message)
        check_fix(input, result, "take %s out of variables: (conda env config vars unset %s); condagpu.yml can set it",
                  given->name, given->name);
}

static void gather_file(const struct check_input *input, struct givens *givens)
{
    const struct spec *spec = input->facts->spec;
    for (size_t i = 0; spec && i < spec->variables.n; i++) {
        const struct variable *variable = &spec->variables.v[i];
        add(input, givens,
            &(struct given){variable->name, variable->value, spec->file, variable->line, variable->column});
    }
}

static bool gather_prefix(const struct check_input *input, struct result *result, struct givens *givens)
{
    struct env_vars vars;
    struct err err;
    if (!inventory_env_vars(input->arena, input->facts->inventory, &vars, &err)) {
        check_skip(input, result, "%s:%u cannot be read: %s (hooks-run says what that means)", err.file, err.line,
                   err.why);
        return false;
    }
    for (size_t i = 0; i < vars.n; i++)
        add(input, givens, &(struct given){vars.v[i].name, vars.v[i].value, vars.v[i].file, 0, 0});
    return true;
}

void check_variables_clash(const struct check_input *input, struct result *result)
{
    struct givens givens = {0};
    gather_file(input, &givens);
    if (!gather_prefix(input, result, &givens))
        return;
    for (size_t i = 0; i < givens.n; i++) {
        struct result own = {0};
        judge_given(input, &own, &givens.v[i]);
        if (own.message)
            check_evidence(input, &own, givens.v[i].file, givens.v[i].line, givens.v[i].column, "%s", own.message);
        check_merge(input, result, &own);
    }
    if (!result->message)
        check_pass(input, result,
                   givens.n ? "%zu variables are set before the hooks, and none fights them"
                            : "no variables are set before the hooks",
                   givens.n);
}
