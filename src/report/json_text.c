#include <stdlib.h>

#include "report/format.h"

/* jansson fails only when memory is exhausted, as the arena does. */
json_t *json_text(struct arena *arena, const char *string)
{
    json_t *value = string ? json_string(escape_utf8(arena, string)) : json_null();
    if (!value)
        abort();
    return value;
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort();
}

void json_push(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        abort();
}

/* JSON allows DEL in a string; a terminal had better not see it. */
static int append(const char *bytes, size_t size, void *target)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == 0x7f)
            text_bytes(target, "\\u007f", 6);
        else
            text_bytes(target, bytes + i, 1);
    }
    return 0;
}

void json_write(const json_t *root, size_t indent, struct text *out)
{
    if (json_dump_callback(root, append, out, JSON_INDENT(indent) | JSON_ENSURE_ASCII) != 0)
        abort();
    text_bytes(out, "\n", 1);
}

void json_cleanup(json_t **root)
{
    json_decref(*root);
}
