/* What importing a module really loads. */
#ifndef CONDAGPU_CHECK_IMPORT_H
#define CONDAGPU_CHECK_IMPORT_H

#include "check/check.h"

/* "torch", "jax.numpy": names joined by dots. */
bool import_is_module(const char *name);

extern const char explain_cudart_import[];
void check_cudart_import(const struct check_input *input, struct result *result);

#endif
