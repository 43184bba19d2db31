/* PYTORCH_CUDA_ALLOC_CONF: that name is read by every release of torch. */
#include <string.h>

#include "plan/rule.h"

static const char variable[] = "PYTORCH_CUDA_ALLOC_CONF";

/* What auto chooses, best first: the release of torch from which it works well, and whether pidfd_getfd (Linux 5.6) and
 * a native driver are needed for it. */
static const struct choice {
    struct release since;
    bool needs_pidfd;
    const char *value, *because;
} choices[] = {
    {{2, 5, -1}, true, "expandable_segments:True", "torch 2.5 and later share such memory between processes; kernel"},
    {{2, 0, -1}, false, "garbage_collection_threshold:0.8", "expandable_segments is not safe here; kernel"},
};

static bool suits(const struct ruling *ruling, const struct choice *choice)
{
    const struct machine *machine = ruling->facts->machine;
    struct release kernel = rule_version(machine->kernel);
    if (release_cmp(ruling->grammar.torch, choice->since) < 0)
        return false;
    return !choice->needs_pidfd || (!machine->wsl && release_cmp(kernel, (struct release){5, 6, -1}) >= 0);
}

static bool as_configured(struct ruling *ruling, const struct setting *setting)
{
    struct verdict verdict = grammar_alloc_conf(&ruling->grammar, variable, setting->value);
    if (verdict.level == VALUE_BAD)
        return rule_refuse(ruling, setting, "%s", verdict.why);
    return rule_op(ruling, OP_DEFAULT, variable, setting->value, "%s%s%s", rule_setting_text(ruling, setting),
                   verdict.why ? "; " : "", verdict.why ? verdict.why : "");
}

bool rule_allocator(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->allocator;
    const struct machine *machine = ruling->facts->machine;
    if (rule_is_off(ruling, setting))
        return true;
    if (setting->value)
        return as_configured(ruling, setting);
    for (size_t i = 0; i < ruling->config->variables.n; i++)
        if (strcmp(ruling->config->variables.v[i].name, "PYTORCH_ALLOC_CONF") == 0)
            return rule_abstain(ruling, "condagpu.yml:%u sets PYTORCH_ALLOC_CONF, and both together are ambiguous",
                                ruling->config->variables.v[i].line);
    if (!ruling->torch_text)
        return rule_abstain(ruling, ruling->torch_installed ? "the version of the installed torch is not known"
                                                            : "no torch is installed, and none is pinned to a version");
    if (ruling->torch_is_cpu)
        return rule_abstain(ruling, "%s is a CPU build", ruling->torch_text);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (suits(ruling, &choices[i]))
            return rule_op(ruling, OP_DEFAULT, variable, choices[i].value, "%s; %s %s%s", ruling->torch_text,
                           choices[i].because, machine->kernel ? machine->kernel : "unknown",
                           machine->wsl ? ", WSL" : "");
    return rule_abstain(ruling, "%s has no option that is safe for everybody", ruling->torch_text);
}
