/* pixi's lock files, versions 4 to 7. */
#ifndef CONDAGPU_SPEC_PIXI_LOCK_H
#define CONDAGPU_SPEC_PIXI_LOCK_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

bool is_pixi_lock(const struct node *root);
/* The packages of the environment "default", or of the only one, for this platform. */
bool pixi_lock_read(struct building *b, const struct node *root);

#endif
