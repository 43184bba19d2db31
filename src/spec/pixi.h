/* pixi's manifests: pixi.toml, and pyproject.toml with or without [tool.pixi]. */
#ifndef CONDAGPU_SPEC_PIXI_H
#define CONDAGPU_SPEC_PIXI_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

/* What the default environment asks for on this platform; what other features and extras ask for is marked dropped.
 * `root` is the tree of either file. */
bool manifest_read(struct building *b, const struct node *root);

#endif
