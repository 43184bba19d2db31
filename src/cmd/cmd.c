#include "cmd/cmd.h"

#include <string.h>

/* A new command is a file and a row here. */
extern const struct cmd cmd_init, cmd_verify, cmd_plan, cmd_probe, cmd_explain, cmd_lint, cmd_remove, cmd_why;

const struct cmd *const cmds[] = {
    &cmd_init, &cmd_verify, &cmd_plan, &cmd_probe, &cmd_lint, &cmd_explain, &cmd_why, &cmd_remove, NULL,
};

const struct cmd *cmd_find(const char *name)
{
    for (size_t i = 0; cmds[i]; i++)
        if (strcmp(cmds[i]->name, name) == 0)
            return cmds[i];
    return NULL;
}
