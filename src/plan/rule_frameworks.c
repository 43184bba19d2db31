/* JAX's and TensorFlow's allocators: only as configured. */
#include <string.h>

#include "plan/rule.h"

static bool add_setting(struct ruling *ruling, const struct setting *setting, const char *name, const char *value)
{
    struct verdict verdict = grammar_check(&ruling->grammar, name, value);
    if (verdict.level == VALUE_BAD)
        return rule_refuse(ruling, setting, "%s", verdict.why);
    return rule_op(ruling, OP_DEFAULT, name, value, "%s", rule_setting_text(ruling, setting));
}

static bool is_set(const struct setting *setting)
{
    return setting->value && strcmp(setting->value, "none") != 0;
}

static bool tensorflow(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->tf_allocator;
    if (!is_set(setting))
        return true;
    if (strcmp(setting->value, "growth") == 0)
        return add_setting(ruling, setting, "TF_FORCE_GPU_ALLOW_GROWTH", "true");
    if (strcmp(setting->value, "async") == 0)
        return add_setting(ruling, setting, "TF_GPU_ALLOCATOR", "cuda_malloc_async");
    return rule_refuse(ruling, setting, "allocator: tensorflow is none, growth or async, not \"%s\"", setting->value);
}

/* The older name of JAX's fraction is read by every release; both names together are a ValueError. */
bool rule_frameworks(struct ruling *ruling)
{
    const struct config *config = ruling->config;
    size_t before = ruling->plan->ops.n + ruling->plan->abstentions.n;
    if (is_set(&config->jax_allocator)
        && !add_setting(ruling, &config->jax_allocator, "XLA_PYTHON_CLIENT_ALLOCATOR", config->jax_allocator.value))
        return false;
    if (is_set(&config->jax_fraction)
        && !add_setting(ruling, &config->jax_fraction, "XLA_PYTHON_CLIENT_MEM_FRACTION", config->jax_fraction.value))
        return false;
    if (!tensorflow(ruling))
        return false;
    if (ruling->plan->ops.n + ruling->plan->abstentions.n > before)
        return true;
    return rule_abstain(ruling, "JAX's and TensorFlow's allocators are set only where condagpu.yml says so");
}
