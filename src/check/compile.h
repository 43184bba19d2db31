/* Building with the environment's nvcc. */
#ifndef CONDAGPU_CHECK_COMPILE_H
#define CONDAGPU_CHECK_COMPILE_H

#include "check/check.h"

extern const char explain_nvcc_compile[];
void check_nvcc_compile(const struct check_input *input, struct result *result);

#endif
