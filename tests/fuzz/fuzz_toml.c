/* Any bytes as TOML: refused with a place, or a tree that is whole and no deeper and larger than it may be; and what
 * the readers of manifests make of it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/decode.h"
#include "spec/spec.h"
#include "spec/toml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t check_node(const struct node *node, size_t depth)
{
    size_t nodes = 1;
    bool is_scalar = node->kind == NODE_SCALAR;
    if (depth > 65 || !node->line || !node->column || is_scalar != (node->text != NULL))
        abort();
    if (node->kind == NODE_MAP ? node->keys.n != node->items.n : node->keys.n != 0)
        abort();
    for (size_t i = 0; i < node->keys.n; i++)
        if (node->keys.v[i]->kind != NODE_SCALAR || yaml_value(node, node->keys.v[i]->text) != node->items.v[i])
            abort();
    for (size_t i = 0; i < node->items.n; i++)
        nodes += check_node(node->items.v[i], depth + 1);
    return nodes;
}

static void check_error(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->why[0] || !err->line || !err->column || strchr(err->why, '\n'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct str content;
    struct node *root = NULL;
    struct spec spec;
    if (!decode(arena, "fuzz", (struct str){(const char *)data, size}, &content, &err))
        return 0;
    if (!toml_tree(arena, "fuzz", content, &root, &err)) {
        if (strstr(err.why, "TOML"))
            return strstr(err.why, "without") ? 0 : 1; /* the module is not there: nothing was tested */
        check_error(&err);
    } else if (check_node(root, 0) > 200000) {
        abort();
    }
    err = (struct err){0};
    if (!spec_parse(arena, data_new(arena, NULL), "fuzz.toml", (struct str){(const char *)data, size}, &spec, &err))
        check_error(&err);
    return 0;
}
