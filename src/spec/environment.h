/* conda's environment.yml. */
#ifndef CONDAGPU_SPEC_ENVIRONMENT_H
#define CONDAGPU_SPEC_ENVIRONMENT_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

/* Reads name, channels, dependencies with their pip lists, and variables. `root` is NULL for an empty file. */
bool environment_read(struct building *b, const struct node *root);

#endif
