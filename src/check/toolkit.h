/* Checks of CUDA_HOME, nvcc, the library path, the driver and torch's build. */
#ifndef CONDAGPU_CHECK_TOOLKIT_H
#define CONDAGPU_CHECK_TOOLKIT_H

#include "check/check.h"

void check_cuda_home(const struct check_input *input, struct result *result);
void check_nvcc_version(const struct check_input *input, struct result *result);
void check_library_path(const struct check_input *input, struct result *result);
void check_driver_visible(const struct check_input *input, struct result *result);
void check_driver_min(const struct check_input *input, struct result *result);
void check_driver_stub(const struct check_input *input, struct result *result);
void check_torch_build(const struct check_input *input, struct result *result);

#endif
