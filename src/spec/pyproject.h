/* pyproject.toml without what pixi adds. */
#ifndef CONDAGPU_SPEC_PYPROJECT_H
#define CONDAGPU_SPEC_PYPROJECT_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

/* [project] dependencies; the extras and dependency groups that `chosen` names count, the others are marked dropped.
 * Without a [project] the file is refused unless pixi's tables have been read. */
bool pyproject_read(struct building *b, const struct node *root, bool has_pixi, const struct strv *chosen);

#endif
