/* Checks of CUDA_HOME, nvcc, the library path, the driver and torch's build. */
#ifndef CONDAGPU_CHECK_TOOLKIT_H
#define CONDAGPU_CHECK_TOOLKIT_H

#include "check/check.h"

/* How an nvcc comes to be used. */
enum nvcc_source {
    NVCC_ENVIRONMENT, /* it lies in the environment, or our hooks chose it */
    NVCC_CUDA_HOME,   /* the user's shell names it */
    NVCC_PATH,        /* it merely stands on PATH */
};
/* The nvcc of the activated environment: that of CUDA_HOME, else the first on PATH; NULL for none. */
const char *toolkit_nvcc(const struct check_input *input, enum nvcc_source *source);
/* What it says of itself; RELEASE_NONE when it says nothing. */
struct release toolkit_nvcc_release(const struct check_input *input, const char *nvcc);

void check_cuda_home(const struct check_input *input, struct result *result);
void check_nvcc_version(const struct check_input *input, struct result *result);
void check_library_path(const struct check_input *input, struct result *result);
void check_driver_visible(const struct check_input *input, struct result *result);
void check_driver_min(const struct check_input *input, struct result *result);
void check_driver_stub(const struct check_input *input, struct result *result);
void check_torch_build(const struct check_input *input, struct result *result);

#endif
