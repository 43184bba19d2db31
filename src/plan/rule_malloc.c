/* MALLOC_ARENA_MAX: only as configured. */
#include "plan/rule.h"

bool rule_malloc(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->malloc_arena_max;
    if (rule_is_off(ruling, setting))
        return true;
    if (!setting->value)
        return rule_abstain(ruling, "the C library's arenas are limited only where condagpu.yml says so");
    return rule_op(ruling, OP_DEFAULT, "MALLOC_ARENA_MAX", setting->value, "%s", rule_setting_text(ruling, setting));
}
