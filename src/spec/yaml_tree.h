/* YAML as a tree whose scalars keep their source text and place. */
#ifndef CONDAGPU_SPEC_YAML_TREE_H
#define CONDAGPU_SPEC_YAML_TREE_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"
#include "util/vec.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    const char *text; /* scalar; of a mapping's entry the key's */
    bool is_null;     /* a plain scalar that YAML reads as null */
    bool is_bare;     /* TOML: a number, a boolean or a date, as it is written */
    unsigned line, column;
    size_t size; /* this node and those below it, aliases counted as what they stand for */
    struct { VEC(struct node *); } items; /* list items, or the mapping's values */
    struct { VEC(struct node *); } keys;  /* beside items */
};

/* The one document of `content` (UTF-8 without a byte order mark); NULL root for an empty one. Aliases and merge keys
 * are resolved; an aliased node is shared, not copied. ERR_INPUT with line and column: syntax, keys given twice, unknown
 * tags and aliases, and more than the limits: depth 64, 1,000,000 nodes, 1,000 anchors, 10,000 nodes behind aliases. */
bool yaml_tree(struct arena *arena, const char *file, struct str content, struct node **root, struct err *err);
/* The value of a mapping's key, or NULL. */
const struct node *yaml_value(const struct node *map, const char *key);

#endif
