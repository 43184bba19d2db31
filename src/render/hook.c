/* Groups a plan's operations by variable and hands them to the templates. */
#include "render/render.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "render/template.h"
#include "util/install.h"
#include "util/path.h"

/* DESIGN's rule 9: no shell, and no tool that hands a value on, can be trusted with these. */
static const char forbidden[] = "\"'`$\\!\n";

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* The same text without each $CONDA_PREFIX, to look for what must not be in it. */
static const char *without_prefix(struct arena *arena, const char *value)
{
    static const char name[] = "$CONDA_PREFIX";
    struct text rest = {.arena = arena};
    for (const char *found; (found = strstr(value, name)); value = found + sizeof name - 1) {
        text_bytes(&rest, value, (size_t)(found - value));
        unsigned char next = (unsigned char)found[sizeof name - 1];
        if (isalnum(next) || next == '_')
            text_add(&rest, "$");
    }
    text_add(&rest, "%s", value);
    return rest.s;
}

static bool refuse(struct err *err, const struct op *op, const char *why)
{
    return err_set(err, ERR_INPUT, "plan", NULL, 0, 0, "%s: %s: %s", op->name, op->value ? op->value : "", why);
}

static bool is_list(enum op_kind kind)
{
    return kind == OP_PREPEND || kind == OP_APPEND;
}

static bool check_op(struct arena *arena, const struct op *op, struct err *err)
{
    if (!is_name(op->name))
        return refuse(err, op, "this is no name of a variable");
    if (op->lead && !is_name(op->lead))
        return refuse(err, op, "the job's variable has no valid name");
    if ((op->kind == OP_UNSET) != !op->value)
        return refuse(err, op, "every operation but unset has a value");
    if (!op->value)
        return true;
    if (strpbrk(without_prefix(arena, op->value), forbidden))
        return refuse(err, op,
                      "a value in a hook cannot hold a quote, backquote, dollar, backslash, exclamation mark or "
                      "newline");
    if (!is_list(op->kind))
        return true;
    if (op->value[0] != '/' && strncmp(op->value, "$CONDA_PREFIX", 13) != 0)
        return refuse(err, op, "an element of a path list is absolute");
    return strchr(op->value, ':') ? refuse(err, op, "an element of a path list cannot hold a colon") : true;
}

/* Printable ASCII in one line, that also csh reads as a comment: nothing that looks like history, and no backslash in
 * front of the newline. */
static const char *comment_text(struct arena *arena, const char *source)
{
    struct text text = {.arena = arena};
    text_add(&text, "%s", "");
    for (; *source; source++) {
        unsigned char byte = (unsigned char)*source;
        if (byte < ' ' || byte > '~' || byte == '!')
            text_add(&text, "\\x%02x", byte);
        else
            text_bytes(&text, source, 1);
    }
    if (text.n && text.s[text.n - 1] == '\\')
        text_add(&text, " ");
    return text.s;
}

static enum variable_kind kind_of(const struct op *op)
{
    switch (op->kind) {
    case OP_SET:
        return VARIABLE_SET;
    case OP_DEFAULT:
        return op->lead ? VARIABLE_LEAD : VARIABLE_DEFAULT;
    case OP_UNSET:
        return VARIABLE_UNSET;
    case OP_PREPEND:
    case OP_APPEND:
        break;
    }
    return VARIABLE_LIST;
}

/* A variable while its operations are gathered; the lists are not quoted yet. */
struct gathered {
    struct hook_variable variable;
    struct strv front, back;
};

struct gathering {
    VEC(struct gathered);
};

static struct gathered *find_variable(struct gathering *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].variable.name, name) == 0)
            return &all->v[i];
    return NULL;
}

static const char *quoted(struct arena *arena, const struct shell *shell, const char *value)
{
    struct text text = {.arena = arena};
    shell->quote(&text, str_of(value));
    return text.s;
}

static bool add_variable(struct arena *arena, struct gathering *all, const struct shell *shell,
                         const struct render_input *input, const struct op *op, struct err *err)
{
    const char *mark = op_state_name(arena, NULL, op->name);
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].variable.mark, mark) == 0)
            return refuse(err, op,
                          arena_printf(arena, "its state would have the names of %s's", all->v[i].variable.name));
    struct gathered *gathered = vec_add(arena, all);
    gathered->variable = (struct hook_variable){
        .kind = kind_of(op),
        .name = op->name,
        .mark = mark,
        .state = op_state_name(arena, input->id, op->name),
        .value = op->value ? quoted(arena, shell, op->value) : NULL,
        .lead = op->lead,
    };
    return true;
}

static bool gather(struct arena *arena, struct gathering *all, const struct shell *shell,
                   const struct render_input *input, const struct op *op, struct err *err)
{
    if (!check_op(arena, op, err))
        return false;
    struct gathered *gathered = find_variable(all, op->name);
    if (gathered && !(gathered->variable.kind == VARIABLE_LIST && is_list(op->kind)))
        return refuse(err, op, "another operation on this variable stands before this one");
    if (!gathered) {
        if (!add_variable(arena, all, shell, input, op, err))
            return false;
        gathered = &all->v[all->n - 1];
    }
    struct reason *reason = vec_add(arena, &gathered->variable.reasons);
    reason->value = comment_text(arena, op->value ? op->value : "");
    reason->why = comment_text(arena, op->why ? op->why : "");
    struct strv *list = op->kind == OP_PREPEND ? &gathered->front : &gathered->back;
    bool doubled = is_list(op->kind)
                   && (strv_find(&gathered->front, op->value) < gathered->front.n
                       || strv_find(&gathered->back, op->value) < gathered->back.n);
    if (is_list(op->kind) && !doubled)
        strv_add(arena, list, op->value);
    return true;
}

/* The lists' elements as one quoted word, with colons between. */
static const char *joined(struct arena *arena, const struct shell *shell, const struct strv *front,
                          const struct strv *back)
{
    struct text text = {.arena = arena};
    text_add(&text, "%s", "");
    for (size_t i = 0; i < front->n; i++)
        text_add(&text, "%s%s", text.n ? ":" : "", front->v[i]);
    for (size_t i = 0; back && i < back->n; i++)
        text_add(&text, "%s%s", text.n ? ":" : "", back->v[i]);
    return quoted(arena, shell, text.s);
}

/* The lists' elements, each as a word. */
static const char *words(struct arena *arena, const struct shell *shell, const struct strv *front,
                         const struct strv *back)
{
    const struct strv *const lists[] = {front, back};
    struct text text = {.arena = arena};
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list]->n; i++)
            text_add(&text, "%s%s", text.n ? " " : "", quoted(arena, shell, lists[list]->v[i]));
    return text.s;
}

/* CONDAGPU_ACTIVE is a variable as any other, so it nests and comes back as they do. */
static const struct op active_op = {
    .kind = OP_SET,
    .name = "CONDAGPU_ACTIVE",
    .value = "$CONDA_PREFIX",
    .why = "marks a shell in which this hook ran, and whose hook it was",
    .rule = "active",
};

static bool make_hook(struct arena *arena, const struct shell *shell, const struct render_input *input,
                      struct hook_content *hook, struct err *err)
{
    struct gathering all = {0};
    if (!gather(arena, &all, shell, input, &active_op, err))
        return false;
    for (size_t i = 0; i < input->plan->ops.n; i++)
        if (!gather(arena, &all, shell, input, &input->plan->ops.v[i], err))
            return false;
    hook->version = comment_text(arena, input->version);
    hook->inputs = comment_text(arena, input->inputs);
    hook->id = input->id;
    for (size_t i = 0; i < all.n; i++) {
        struct gathered *gathered = &all.v[i];
        if (gathered->variable.kind == VARIABLE_LIST) {
            gathered->variable.front = joined(arena, shell, &gathered->front, NULL);
            gathered->variable.back = joined(arena, shell, &gathered->back, NULL);
            gathered->variable.elements = joined(arena, shell, &gathered->front, &gathered->back);
            gathered->variable.words = words(arena, shell, &gathered->front, &gathered->back);
        }
        *vec_add(arena, &hook->variables) = gathered->variable;
    }
    return true;
}

static bool is_id(const char *id)
{
    return strlen(id) == 8 && strspn(id, "0123456789abcdef") == 8;
}

bool render_hook(struct arena *arena, const struct shell *shell, bool activate, const struct render_input *input,
                 struct str *text, struct err *err)
{
    struct hook_content hook = {0};
    if (!is_id(input->id))
        return err_set(err, ERR_INPUT, "state ID", NULL, 0, 0, "%s: not 8 lower-case hexadecimal digits", input->id);
    if (!make_hook(arena, shell, input, &hook, err))
        return false;
    const char *directory = input->template_dir;
    if (!directory)
        directory = path_join(arena, install_data_dir(arena), "templates");
    const char *name = arena_printf(arena, "%s%s", activate ? "activate" : "deactivate", shell->suffix);
    return template_expand(arena, directory, name, &hook, text, err);
}
