/* cuDNN against what the installed frameworks were built with. */
#ifndef CONDAGPU_CHECK_CUDNN_H
#define CONDAGPU_CHECK_CUDNN_H

#include "check/check.h"

extern const char explain_cudnn_match[];
void check_cudnn_match(const struct check_input *input, struct result *result);

#endif
