#include "cmd/cmd.h"

#include <string.h>

extern const struct cmd cmd_probe;

const struct cmd *const cmds[] = {
    &cmd_probe, NULL,
};

const struct cmd *cmd_find(const char *name)
{
    for (size_t i = 0; cmds[i]; i++)
        if (strcmp(cmds[i]->name, name) == 0)
            return cmds[i];
    return NULL;
}
