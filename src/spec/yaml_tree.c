#include "spec/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "spec/decode.h"

/* MOST_ALIASED bounds the nodes that aliases stand for, so that a bomb of aliases is refused by counting alone. */
enum { DEEPEST = 64, MOST_NODES = 1000000, MOST_ALIASED = 10000, MOST_ANCHORS = 1000, MOST_MERGED = 1000 };

struct anchor {
    const char *name;
    struct node *node;
};

struct reading {
    struct arena *arena;
    const char *file;
    struct str content;
    yaml_parser_t parser;
    size_t nodes, aliased;
    struct { VEC(struct anchor); } anchors;
    struct err *err;
};

static bool fail(struct reading *reading, yaml_mark_t mark, const char *why)
{
    return err_set(reading->err, ERR_INPUT, "environment file", reading->file, (unsigned)mark.line + 1,
                   (unsigned)mark.column + 1, "%s", why);
}

static struct str line_at(struct str content, size_t line)
{
    struct str rest = content, part = {0};
    for (size_t i = 0; i <= line; i++)
        if (!str_cut(&rest, '\n', &part))
            return (struct str){"", 0};
    return part;
}

/* What a person most likely did, by the line at which the parser stopped or the one before. */
static bool hint(struct reading *reading, size_t number)
{
    static const struct {
        const char *start, *mend;
    } hints[] = {
        {"<<<<<<<", "these are the conflict markers of git: resolve the conflict first"},
        {"=======", "these are the conflict markers of git: resolve the conflict first"},
        {">>>>>>>", "these are the conflict markers of git: resolve the conflict first"},
        {"{%", "this is a template: render it first"},
        {"{{", "this is a template: render it first"},
        {"{#", "this is a template: render it first"},
    };
    struct str line = line_at(reading->content, number), trimmed = str_trim(line);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (str_starts(trimmed, hints[i].start))
            return err_mend(reading->err, "%s", hints[i].mend);
    if (memchr(line.s, '\t', line.n))
        return err_mend(reading->err, "the line holds a tab; YAML indents with spaces only");
    return false;
}

/* Problems that the parser finds only far behind what caused them are named by where the token began. */
static bool parser_failed(struct reading *reading)
{
    const yaml_parser_t *parser = &reading->parser;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR) {
        unsigned line, column;
        decode_place(reading->content, parser->problem_offset, &line, &column);
        return err_set(reading->err, ERR_INPUT, "environment file", reading->file, line, column, "byte %zu: %s",
                       parser->problem_offset, problem);
    }
    bool at_end = parser->problem_mark.index >= reading->content.n && parser->context;
    yaml_mark_t mark = at_end ? parser->context_mark : parser->problem_mark;
    fail(reading, mark, parser->context ? arena_printf(reading->arena, "%s %s", parser->context, problem) : problem);
    if (!reading->err->mend[0] && !hint(reading, mark.line))
        hint(reading, parser->context_mark.line);
    return false;
}

static bool next(struct reading *reading, yaml_event_t *event)
{
    return yaml_parser_parse(&reading->parser, event) ? true : parser_failed(reading);
}

static bool is_null_text(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
        && (!text[0] || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0
            || strcmp(text, "NULL") == 0);
}

static struct node *new_node(struct reading *reading, const yaml_event_t *event)
{
    struct node *node = arena_alloc(reading->arena, sizeof *node);
    node->size = 1;
    node->line = (unsigned)event->start_mark.line + 1;
    node->column = (unsigned)event->start_mark.column + 1;
    node->kind = event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
        : event->type == YAML_MAPPING_START_EVENT         ? NODE_MAP
                                                          : NODE_SCALAR;
    return node;
}

static bool read_node(struct reading *reading, yaml_event_t *event, size_t depth, struct node **node);

static int key_cmp(const void *left, const void *right)
{
    const struct node *l = *(const struct node *const *)left, *r = *(const struct node *const *)right;
    int order = strcmp(l->text, r->text);
    if (!order)
        order = (l->line > r->line) - (l->line < r->line);
    return order ? order : (l->column > r->column) - (l->column < r->column);
}

static bool fail_at(struct reading *reading, const struct node *node, const char *why)
{
    return err_set(reading->err, ERR_INPUT, "environment file", reading->file, node->line, node->column, "%s", why);
}

/* Refuses keys that are given twice; sorted, so that a mapping of many keys takes no longer than a list. */
static bool check_keys(struct reading *reading, const struct node *map)
{
    const struct node *twice = NULL, *first = NULL;
    if (map->keys.n < 2)
        return true;
    struct node **sorted = arena_alloc(reading->arena, map->keys.n * sizeof *sorted);
    memcpy(sorted, map->keys.v, map->keys.n * sizeof *sorted);
    qsort(sorted, map->keys.n, sizeof *sorted, key_cmp);
    for (size_t i = 1; i < map->keys.n; i++)
        if (strcmp(sorted[i - 1]->text, sorted[i]->text) == 0 && (!twice || sorted[i]->line < twice->line)) {
            first = sorted[i - 1];
            twice = sorted[i];
        }
    return !twice || fail_at(reading, twice, arena_printf(reading->arena, "\"%s\" is given twice, first in line %u",
                                                          twice->text, first->line));
}

static bool add_merged(struct reading *reading, struct node *map, const struct node *from)
{
    if (from->kind != NODE_MAP)
        return fail_at(reading, from, "a merge key << takes a mapping");
    if (from->keys.n + map->keys.n > MOST_MERGED)
        return fail_at(reading, from, "a merge key << that gives more than 1,000 entries");
    for (size_t i = 0; i < from->keys.n; i++) {
        if (yaml_value(map, from->keys.v[i]->text))
            continue;
        *vec_add(reading->arena, &map->keys) = from->keys.v[i];
        *vec_add(reading->arena, &map->items) = from->items.v[i];
    }
    return true;
}

/* The entries that a merge key brings in stand behind the mapping's own, which come first. */
static bool merge(struct reading *reading, struct node *map)
{
    size_t at = 0;
    while (at < map->keys.n && strcmp(map->keys.v[at]->text, "<<") != 0)
        at++;
    if (at == map->keys.n)
        return true;
    const struct node *from = map->items.v[at];
    for (size_t i = at + 1; i < map->keys.n; i++) {
        map->keys.v[i - 1] = map->keys.v[i];
        map->items.v[i - 1] = map->items.v[i];
    }
    map->keys.n = --map->items.n;
    if (from->kind != NODE_LIST)
        return add_merged(reading, map, from);
    for (size_t i = 0; i < from->items.n; i++)
        if (!add_merged(reading, map, from->items.v[i]))
            return false;
    return true;
}

/* The items of a list or mapping up to its end event. */
static bool read_items(struct reading *reading, struct node *node, size_t depth)
{
    yaml_event_type_t end = node->kind == NODE_LIST ? YAML_SEQUENCE_END_EVENT : YAML_MAPPING_END_EVENT;
    for (bool is_key = node->kind == NODE_MAP;;) {
        yaml_event_t event;
        struct node *item;
        if (!next(reading, &event))
            return false;
        if (event.type == end) {
            yaml_event_delete(&event);
            return node->kind == NODE_LIST || (check_keys(reading, node) && merge(reading, node));
        }
        yaml_mark_t mark = event.start_mark;
        bool good = read_node(reading, &event, depth, &item);
        yaml_event_delete(&event);
        if (!good)
            return false;
        if (is_key)
            *vec_add(reading->arena, &node->keys) = item;
        else
            *vec_add(reading->arena, &node->items) = item;
        node->size += item->size;
        if (is_key && item->kind != NODE_SCALAR)
            return fail(reading, mark, "a key must be a plain text");
        is_key = node->kind == NODE_MAP && !is_key;
    }
}

/* The node behind an alias; a shallow copy that stands at the alias's place. */
static bool read_alias(struct reading *reading, const yaml_event_t *event, struct node **node)
{
    const char *name = (const char *)event->data.alias.anchor;
    const struct anchor *found = NULL;
    for (size_t i = reading->anchors.n; i-- > 0 && !found;)
        if (strcmp(reading->anchors.v[i].name, name) == 0)
            found = &reading->anchors.v[i];
    if (!found)
        return fail(reading, event->start_mark, arena_printf(reading->arena, "no anchor &%s before *%s", name, name));
    reading->aliased += found->node->size;
    if (reading->aliased > MOST_ALIASED)
        return fail(reading, event->start_mark, "aliases that stand for more than 10,000 nodes");
    *node = arena_alloc(reading->arena, sizeof **node);
    **node = *found->node;
    (*node)->line = (unsigned)event->start_mark.line + 1;
    (*node)->column = (unsigned)event->start_mark.column + 1;
    return true;
}

static bool add_anchor(struct reading *reading, yaml_mark_t mark, const char *name, struct node *node)
{
    if (!name)
        return true;
    if (reading->anchors.n == MOST_ANCHORS)
        return fail(reading, mark, "more than 1,000 anchors");
    *vec_add(reading->arena, &reading->anchors) = (struct anchor){name, node};
    return true;
}

static bool is_known_tag(const char *tag)
{
    static const char *const known[] = {"!", YAML_NULL_TAG, YAML_BOOL_TAG, YAML_STR_TAG, YAML_INT_TAG,
                                        YAML_FLOAT_TAG, YAML_SEQ_TAG, YAML_MAP_TAG};
    bool found = !tag;
    for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
        found = strcmp(tag, known[i]) == 0;
    return found;
}

static bool check_tag(struct reading *reading, const yaml_event_t *event)
{
    const yaml_char_t *tag = event->type == YAML_SCALAR_EVENT ? event->data.scalar.tag
        : event->type == YAML_SEQUENCE_START_EVENT            ? event->data.sequence_start.tag
                                                              : event->data.mapping_start.tag;
    return is_known_tag((const char *)tag)
        || fail(reading, event->start_mark, arena_printf(reading->arena, "the tag <%s> is not supported", tag));
}

static const char *anchor_of(struct reading *reading, const yaml_event_t *event)
{
    const yaml_char_t *anchor = event->type == YAML_SCALAR_EVENT ? event->data.scalar.anchor
        : event->type == YAML_SEQUENCE_START_EVENT               ? event->data.sequence_start.anchor
                                                                 : event->data.mapping_start.anchor;
    return arena_strdup(reading->arena, (const char *)anchor);
}

static bool read_scalar(struct reading *reading, const yaml_event_t *event, struct node *node)
{
    if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
        return fail(reading, event->start_mark, "a NUL character");
    node->text = arena_memdup(reading->arena, event->data.scalar.value, event->data.scalar.length);
    node->is_null = is_null_text(event);
    return true;
}

static bool read_node(struct reading *reading, yaml_event_t *event, size_t depth, struct node **node)
{
    yaml_mark_t mark = event->start_mark;
    if (++reading->nodes > MOST_NODES)
        return fail(reading, mark, "more than 1,000,000 nodes");
    if (depth > DEEPEST)
        return fail(reading, mark, "nested more than 64 levels deep");
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reading, event, node);
    if (!check_tag(reading, event))
        return false;
    const char *anchor = anchor_of(reading, event);
    *node = new_node(reading, event);
    return ((*node)->kind == NODE_SCALAR ? read_scalar(reading, event, *node) : read_items(reading, *node, depth + 1))
        && add_anchor(reading, mark, anchor, *node);
}

static bool read_document(struct reading *reading, struct node **root)
{
    for (;;) {
        yaml_event_t event;
        if (!next(reading, &event))
            return false;
        bool end = event.type == YAML_STREAM_END_EVENT, good = true;
        if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT
            || event.type == YAML_MAPPING_START_EVENT || event.type == YAML_ALIAS_EVENT)
            good = *root ? fail(reading, event.start_mark, "a second document") : read_node(reading, &event, 0, root);
        yaml_event_delete(&event);
        if (end || !good)
            return good;
    }
}

bool yaml_tree(struct arena *arena, const char *file, struct str content, struct node **root, struct err *err)
{
    struct reading reading = {.arena = arena, .file = file, .content = content, .err = err};
    *root = NULL;
    if (!yaml_parser_initialize(&reading.parser))
        return err_set(err, ERR_INPUT, "environment file", file, 0, 0, "out of memory");
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)content.s, content.n);
    bool good = read_document(&reading, root);
    yaml_parser_delete(&reading.parser);
    return good;
}

const struct node *yaml_value(const struct node *map, const char *key)
{
    for (size_t i = 0; i < map->keys.n; i++)
        if (strcmp(map->keys.v[i]->text, key) == 0)
            return map->items.v[i];
    return NULL;
}
