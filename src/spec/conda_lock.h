/* conda-lock's lock files, version 1. */
#ifndef CONDAGPU_SPEC_CONDA_LOCK_H
#define CONDAGPU_SPEC_CONDA_LOCK_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

bool is_conda_lock(const struct node *root);
/* The packages of the category main for this platform. */
bool conda_lock_read(struct building *b, const struct node *root);

#endif
