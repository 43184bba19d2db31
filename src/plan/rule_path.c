/* PATH: conda itself puts the prefix's bin there; only a toolkit outside it needs help. */
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
    const char *bin = path_join(ruling->arena, ruling->cuda_home, "bin");
    if (strcmp(bin, "/usr/bin") == 0 || strcmp(bin, "/bin") == 0)
        return rule_abstain(ruling, "CUDA_HOME is %s, and %s in front of PATH would hide the prefix's own programs",
                            ruling->cuda_home, bin);
    return rule_path_op(ruling, OP_PREPEND, "PATH", bin, "CUDA_HOME is %s, outside the prefix: nvcc must be that one",
                        ruling->cuda_home);
}
