#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"
#include "util/text.h"

size_t model_variable(struct model *model, const char *name)
{
    size_t index = strv_find(&model->names, name);
    if (index < model->names.n)
        return index;
    if (index == VARIABLE_LIMIT)
        abort();
    strv_add(model->arena, &model->names, name);
    model->mark[index] = "";
    return index;
}

/* The elements of a list; the empty text has none. */
static struct strv split(struct arena *arena, const char *list)
{
    struct strv items = {0};
    struct str rest = str_of(list), item;
    if (!list || !*list)
        return items;
    while (str_cut(&rest, ':', &item))
        strv_add(arena, &items, str_dup(arena, item));
    return items;
}

static const char *join(struct arena *arena, const struct strv *items)
{
    struct text text = {.arena = arena};
    text_add(&text, "%s", "");
    for (size_t i = 0; i < items->n; i++)
        text_add(&text, "%s%s", i ? ":" : "", items->v[i]);
    return text.s;
}

static bool holds(const struct strv *items, const char *item)
{
    return strv_find(items, item) < items->n;
}

static void add_all(struct arena *arena, struct strv *target, const struct strv *items)
{
    for (size_t i = 0; i < items->n; i++)
        strv_add(arena, target, items->v[i]);
}

/* Where the elements of `part` stand in a row; list->n for nowhere. */
static size_t find_run(const struct strv *list, const struct strv *part)
{
    for (size_t at = 0; part->n && at + part->n <= list->n; at++) {
        size_t same = 0;
        while (same < part->n && strcmp(list->v[at + same], part->v[same]) == 0)
            same++;
        if (same == part->n)
            return at;
    }
    return list->n;
}

/* What is left of the user's list without our part. */
static const char *merge_list(struct arena *arena, const char *now, const struct remembered *memory)
{
    struct strv list = split(arena, now), written = split(arena, memory->written);
    struct strv original = split(arena, memory->original), merged = {0}, kept = {0};
    size_t at = find_run(&list, &written);
    for (size_t i = 0; i < list.n; i++) {
        if (i == at) {
            add_all(arena, &merged, &original);
            i += written.n - 1;
        } else {
            strv_add(arena, &merged, list.v[i]);
        }
    }
    for (size_t i = 0; i < merged.n; i++)
        if (!holds(&memory->ours, merged.v[i]) || holds(&original, merged.v[i]))
            strv_add(arena, &kept, merged.v[i]);
    const char *text = join(arena, &kept);
    return *text || memory->original ? text : NULL;
}

void model_deactivate(struct model *model, unsigned id)
{
    for (size_t i = 0; i < model->names.n; i++) {
        struct remembered *memory = &model->memory[id][i];
        if (!memory->held)
            continue;
        if (cstr_eq(model->now[i], memory->written))
            model->now[i] = memory->original;
        else if (memory->ours.n && model->now[i] && *model->now[i])
            model->now[i] = merge_list(model->arena, model->now[i], memory);
        if (!memory->ours.n)
            model->mark[i] = memory->mark;
        *memory = (struct remembered){0};
    }
}

/* The value with the prefix in it. */
static const char *expand(struct arena *arena, const char *value, const char *prefix)
{
    static const char name[] = "$CONDA_PREFIX";
    const char *found = strstr(value, name);
    if (!found)
        return value;
    return arena_printf(arena, "%.*s%s%s", (int)(found - value), value, prefix,
                        expand(arena, found + sizeof name - 1, prefix));
}

static const char *lead_value(const struct model *model, const struct op *op)
{
    const char *lead = NULL;
    for (size_t i = 0; op->lead && i < model->names.n; i++)
        if (strcmp(model->names.v[i], op->lead) == 0)
            lead = model->now[i];
    bool number =
        lead && lead[0] >= '1' && lead[0] <= '9' && strlen(lead) <= 5 && strspn(lead, "0123456789") == strlen(lead);
    return number ? lead : op->value;
}

static void hold(struct model *model, unsigned id, size_t i)
{
    struct remembered *memory = &model->memory[id][i];
    if (!memory->held)
        *memory = (struct remembered){.held = true, .original = model->now[i], .mark = model->mark[i]};
}

static void write_scalar(struct model *model, const struct environment *environment, const struct op *op)
{
    size_t i = model_variable(model, op->name);
    const char *now = model->now[i];
    bool users = now && *now && !(*model->mark[i] && strcmp(now, model->mark[i]) == 0);
    if (op->kind == OP_DEFAULT && users)
        return;
    hold(model, environment->id, i);
    const char *value = op->kind == OP_UNSET ? NULL : expand(model->arena, lead_value(model, op), environment->prefix);
    model->now[i] = model->memory[environment->id][i].written = value;
    model->mark[i] = value ? value : "";
}

/* All operations on one list: each of our elements once and in the plan's order, the user's between them. */
static void write_list(struct model *model, const struct environment *environment, const char *name)
{
    size_t i = model_variable(model, name);
    struct strv front = {0}, back = {0}, list = {0}, *ours;
    hold(model, environment->id, i);
    ours = &model->memory[environment->id][i].ours;
    for (size_t n = 0; n < environment->plan->ops.n; n++) {
        const struct op *op = &environment->plan->ops.v[n];
        if (strcmp(op->name, name) != 0)
            continue;
        const char *item = expand(model->arena, op->value, environment->prefix);
        if (holds(ours, item))
            continue;
        strv_add(model->arena, ours, item);
        strv_add(model->arena, op->kind == OP_PREPEND ? &front : &back, item);
    }
    struct strv users = split(model->arena, model->now[i]);
    add_all(model->arena, &list, &front);
    for (size_t n = 0; n < users.n; n++)
        if (!holds(ours, users.v[n]))
            strv_add(model->arena, &list, users.v[n]);
    add_all(model->arena, &list, &back);
    model->now[i] = model->memory[environment->id][i].written = join(model->arena, &list);
}

void model_activate(struct model *model, const struct environment *environment)
{
    if (environment->prefix[0] != '/' || strchr(environment->prefix, ':'))
        return;
    model_deactivate(model, environment->id);
    static const struct op active = {.kind = OP_SET, .name = "CONDAGPU_ACTIVE", .value = "$CONDA_PREFIX"};
    write_scalar(model, environment, &active);
    for (size_t n = 0; n < environment->plan->ops.n; n++) {
        const struct op *op = &environment->plan->ops.v[n];
        bool list = op->kind == OP_PREPEND || op->kind == OP_APPEND;
        if (!list)
            write_scalar(model, environment, op);
        else if (!model->memory[environment->id][model_variable(model, op->name)].held)
            write_list(model, environment, op->name);
    }
}
