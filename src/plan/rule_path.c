/* PATH: conda puts the prefix's bin there, and on the way from one environment to the next (and at every reactivation) it
 * writes back a PATH that it computed before deactivate.d ran, so that nothing a hook adds is ever taken away again
 * (conda#3915, conda#14762). Hence only where the user asks for it. */
#include <string.h>

#include "plan/rule.h"
#include "util/path.h"

bool rule_path(struct ruling *ruling)
{
    if (rule_is_off(ruling, &ruling->config->path))
        return true;
    if (!ruling->cuda_home)
        return rule_abstain(ruling, "CUDA_HOME is not set");
    if (!ruling->cuda_home_outside)
        return rule_abstain(ruling, "CUDA_HOME lies in the prefix, whose bin conda puts in front of PATH");
    if (!ruling->config->path.value)
        return rule_abstain(ruling, "CUDA_HOME is %s, outside the prefix; its bin goes into PATH only where condagpu.yml says "
                            "path: prepend, since conda would not take it out again", ruling->cuda_home);
    const char *bin = path_join(ruling->arena, ruling->cuda_home, "bin");
    if (strcmp(bin, "/usr/bin") == 0 || strcmp(bin, "/bin") == 0)
        return rule_abstain(ruling, "CUDA_HOME is %s, and %s in front of PATH would hide the prefix's own programs",
                            ruling->cuda_home, bin);
    return rule_path_op(ruling, OP_PREPEND, "PATH", bin, "CUDA_HOME is %s, outside the prefix: nvcc must be that one",
                        ruling->cuda_home);
}
