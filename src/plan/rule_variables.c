/* condagpu.yml's own `variables:`. */
#include "plan/rule.h"
#include "util/path.h"

bool rule_variables(struct ruling *ruling)
{
    const struct config *config = ruling->config;
    const char *file = config->file ? path_basename(config->file) : "condagpu.yml";
    for (size_t i = 0; i < config->variables.n; i++) {
        const struct config_variable *variable = &config->variables.v[i];
        struct setting setting = {variable->value, variable->line, variable->column};
        struct verdict verdict = grammar_check(&ruling->grammar, variable->name, variable->value);
        if (verdict.level == VALUE_BAD)
            return rule_refuse(ruling, &setting, "%s", verdict.why);
        if (!rule_op(ruling, OP_SET, variable->name, variable->value, "%s:%u sets it%s%s", file, variable->line,
                     verdict.why ? "; " : "", verdict.why ? verdict.why : ""))
            return false;
    }
    return true;
}
