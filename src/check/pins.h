/* Checks of the pins and of what is installed for them. */
#ifndef CONDAGPU_CHECK_PINS_H
#define CONDAGPU_CHECK_PINS_H

#include "check/check.h"

void check_pin_present(const struct check_input *input, struct result *result);
void check_pin_conflict(const struct check_input *input, struct result *result);
void check_pin_satisfiable(const struct check_input *input, struct result *result);
void check_pin_installed(const struct check_input *input, struct result *result);

#endif
