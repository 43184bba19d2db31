#include "plan/plan.h"

#include <stdint.h>

#include "plan/rule.h"

/* In order: a later rule may read what an earlier one found. */
static const struct {
    const char *name;
    bool (*decide)(struct ruling *ruling);
} rules[] = {
    {"cuda-home", rule_cuda_home},
    {"path", rule_path},
    {"library-path", rule_library_path},
    {"threads", rule_threads},
    {"allocator", rule_allocator},
    {"frameworks", rule_frameworks},
    {"arch", rule_arch},
    {"devices", rule_devices},
    {"nccl", rule_nccl},
    {"xla", rule_xla},
    {"malloc", rule_malloc},
    {"variables", rule_variables},
};

const char *op_kind_text(enum op_kind kind)
{
    static const char *const texts[] = {"set", "default", "prepend", "append", "unset"};
    return texts[kind];
}

/* 32-bit FNV-1a. */
char *op_state_name(struct arena *arena, const char *id, const char *variable)
{
    uint32_t hash = 2166136261u;
    for (; *variable; variable++)
        hash = (hash ^ (unsigned char)*variable) * 16777619u;
    return id ? arena_printf(arena, "_CONDAGPU_%s_%08x", id, (unsigned)hash)
              : arena_printf(arena, "_CONDAGPU_%08x", (unsigned)hash);
}

bool plan_make(struct arena *arena, const struct facts *facts, const struct config *config, struct plan *plan,
               struct err *err)
{
    *plan = (struct plan){0};
    struct ruling ruling = {.arena = arena, .facts = facts, .config = config, .plan = plan, .err = err};
    rule_read_versions(&ruling);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ruling.rule = rules[i].name;
        if (!rules[i].decide(&ruling))
            return false;
    }
    return true;
}

static void add_entry(json_t *list, json_t *entry)
{
    json_array_append_new(list, entry);
}

json_t *plan_to_json(const struct plan *plan, const struct facts *facts)
{
    json_t *ops = json_array(), *abstentions = json_array(), *links = json_array();
    for (size_t i = 0; i < plan->ops.n; i++) {
        const struct op *op = &plan->ops.v[i];
        add_entry(ops, json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:s}", "op", op_kind_text(op->kind), "name", op->name,
                                 "value", op->value, "lead", op->lead, "why", op->why, "rule", op->rule));
    }
    for (size_t i = 0; i < plan->abstentions.n; i++)
        add_entry(abstentions,
                  json_pack("{s:s, s:s}", "rule", plan->abstentions.v[i].rule, "why", plan->abstentions.v[i].why));
    for (size_t i = 0; i < plan->links.n; i++)
        add_entry(links, json_pack("{s:s, s:s}", "name", plan->links.v[i].name, "target", plan->links.v[i].target));
    return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o}", "schema", "condagpu.plan/1", "prefix", facts->inventory->prefix,
                     "file", facts->spec ? facts->spec->file : NULL, "ops", ops, "abstentions", abstentions, "links",
                     links);
}
