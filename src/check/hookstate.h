/* Checks of the hooks that `init` wrote: there, current, unedited, and run in this process. */
#ifndef CONDAGPU_CHECK_HOOKSTATE_H
#define CONDAGPU_CHECK_HOOKSTATE_H

#include "check/check.h"

void check_hooks_present(const struct check_input *input, struct result *result);
void check_hooks_current(const struct check_input *input, struct result *result);
void check_hooks_edited(const struct check_input *input, struct result *result);
void check_hooks_active(const struct check_input *input, struct result *result);

#endif
