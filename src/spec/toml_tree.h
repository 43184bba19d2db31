/* TOML as the same tree that YAML is read into. */
#ifndef CONDAGPU_SPEC_TOML_TREE_H
#define CONDAGPU_SPEC_TOML_TREE_H

#include <stdbool.h>

#include "spec/yaml_tree.h"

/* Whether the first line with content is a table's header or a key that TOML alone writes so. */
bool is_toml(struct str content);

/* The table of the whole file, entries in the order of the file. The parser is a module that is loaded here. ERR_INPUT
 * with line and column: syntax, keys given twice, and more than the limits: depth 64, 200,000 nodes; without a place
 * when the module is not there. */
bool toml_tree(struct arena *arena, const char *file, struct str content, struct node **root, struct err *err);

#endif
