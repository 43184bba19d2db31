/* CUDA_DEVICE_ORDER, so that indices are nvidia-smi's; CUDA_VISIBLE_DEVICES only as configured, and never over
 * another's. */
#include "plan/rule.h"

static bool order(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->device_order;
    if (rule_is_off(ruling, setting))
        return true;
    size_t gpus = ruling->facts->machine->gpus.n;
    return rule_op(ruling, OP_DEFAULT, "CUDA_DEVICE_ORDER", "PCI_BUS_ID",
                   "indices then mean the same as in nvidia-smi, which "
                   "counts by PCI bus (CUDA's default is fastest first); %zu GPU%s here",
                   gpus, gpus == 1 ? "" : "s");
}

bool rule_devices(struct ruling *ruling)
{
    const struct setting *visible = &ruling->config->visible;
    if (!order(ruling))
        return false;
    if (!visible->value)
        return true;
    if (rule_is_off(ruling, visible))
        return true;
    struct verdict verdict = grammar_visible_devices(&ruling->grammar, "CUDA_VISIBLE_DEVICES", visible->value);
    if (verdict.level == VALUE_BAD)
        return rule_refuse(ruling, visible, "%s", verdict.why);
    return rule_op(ruling, OP_DEFAULT, "CUDA_VISIBLE_DEVICES", visible->value, "%s",
                   rule_setting_text(ruling, visible));
}
