/* NCCL: nothing by default, since what suits one node is a trap on another. */
#include <string.h>

#include "plan/rule.h"

/* What this machine says against a setting; "" for nothing. A login node differs from a compute node, so it is a remark
 * in the why, not an error. */
static const char *remark(struct ruling *ruling, const char *name, const char *value)
{
    const struct machine *machine = ruling->facts->machine;
    if (strcmp(name, "NCCL_SOCKET_IFNAME") == 0 && machine->nics.n) {
        for (size_t i = 0; i < machine->nics.n; i++)
            if (machine->nics.v[i].running && grammar_nccl_selects(&ruling->grammar, value, machine->nics.v[i].name))
                return arena_printf(ruling->arena, "; %s is such an interface here", machine->nics.v[i].name);
        return "; but no running interface here has such a name, and NCCL jobs would end";
    }
    if (strcmp(name, "NCCL_IB_DISABLE") == 0 && strcmp(value, "1") == 0) {
        for (size_t i = 0; i < machine->infiniband.n; i++)
            if (machine->infiniband.v[i].active)
                return arena_printf(ruling->arena, "; but port %u of %s is active here and will lie idle",
                                    machine->infiniband.v[i].port, machine->infiniband.v[i].device);
        return "; no InfiniBand port is active here, so it changes nothing on this machine";
    }
    return "";
}

/* YAML's true and false become what NCCL reads: its own parser takes the words for 0. */
static const char *as_integer(const struct setting *setting)
{
    if (strcmp(setting->value, "true") == 0)
        return "1";
    return strcmp(setting->value, "false") == 0 ? "0" : setting->value;
}

static bool add_setting(struct ruling *ruling, const struct setting *setting, const char *name, bool is_switch)
{
    if (!setting->value || strcmp(setting->value, "none") == 0)
        return true;
    const char *value = is_switch ? as_integer(setting) : setting->value;
    struct verdict verdict =
        is_switch ? grammar_nccl_switch(&ruling->grammar, name, value) : grammar_check(&ruling->grammar, name, value);
    if (verdict.level == VALUE_BAD)
        return rule_refuse(ruling, setting, "%s", verdict.why);
    return rule_op(ruling, OP_DEFAULT, name, value, "%s%s", rule_setting_text(ruling, setting),
                   remark(ruling, name, value));
}

bool rule_nccl(struct ruling *ruling)
{
    const struct config *config = ruling->config;
    size_t before = ruling->plan->ops.n + ruling->plan->abstentions.n;
    if (!add_setting(ruling, &config->nccl_socket_ifname, "NCCL_SOCKET_IFNAME", false)
        || !add_setting(ruling, &config->nccl_ib_disable, "NCCL_IB_DISABLE", true)
        || !add_setting(ruling, &config->nccl_p2p_disable, "NCCL_P2P_DISABLE", true)
        || !add_setting(ruling, &config->nccl_debug, "NCCL_DEBUG", false))
        return false;
    if (ruling->plan->ops.n + ruling->plan->abstentions.n > before)
        return true;
    return rule_abstain(ruling,
                        "NCCL finds interfaces and ports by itself; its variables are set only where condagpu.yml "
                        "says so");
}
