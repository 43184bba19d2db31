/* Variables that conda sets before the hooks run. */
#ifndef CONDAGPU_CHECK_CLASH_H
#define CONDAGPU_CHECK_CLASH_H

#include "check/check.h"

extern const char explain_variables_clash[];
void check_variables_clash(const struct check_input *input, struct result *result);

#endif
