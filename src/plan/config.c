#include "plan/config.h"

#include <stddef.h>
#include <string.h>
#include <yaml.h>

#include "plan/grammar.h"
#include "plan/value.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_CONFIG = 1024 * 1024, MOST_ITEMS = 4096 };

static const char what[] = "configuration file";

/* One row a key. `shape` is an expression that the value must match besides "auto" and "none"; `list` joins a sequence.
 */
struct key {
    const char *section, *name; /* name NULL: the section itself is a value */
    size_t offset;
    const char *list; /* what joins the items of a sequence; NULL: no sequence */
    const char *shape, *expected;
};

#define AT(field) offsetof(struct config, field)

static const struct key keys[] = {
    {"cuda-home", NULL, AT(cuda_home), NULL, "^(/|\\$CONDA_PREFIX(/|$))", "auto, none or an absolute directory"},
    {"path", NULL, AT(path), NULL, "^prepend$", "auto, none or prepend"},
    {"library-path", "mode", AT(library_mode_setting), NULL, "^(narrow|prefix|append)$",
     "narrow, prefix, append or none"},
    {"threads", "count", AT(threads), NULL, "^[1-9][0-9]{0,4}$", "auto, none or a positive number"},
    {"threads", "ranks", AT(ranks), NULL, "^[1-9][0-9]{0,4}$", "auto or a positive number"},
    {"allocator", "pytorch", AT(allocator), NULL, ":", "auto, none or options such as max_split_size_mb:512"},
    {"allocator", "jax", AT(jax_allocator), NULL, "^(default|platform|bfc|cuda_async|vmm|address)$",
     "none, default, platform, bfc, cuda_async, vmm or address"},
    {"allocator", "jax-fraction", AT(jax_fraction), NULL, "^(0?\\.[0-9]+|1|1\\.0+)$",
     "none or a fraction above 0 and up to 1"},
    {"allocator", "tensorflow", AT(tf_allocator), NULL, "^(growth|async)$", "none, growth or async"},
    {"arch", NULL, AT(arch), ";", "^[0-9]{1,2}\\.[0-9][af]?(;[0-9]{1,2}\\.[0-9][af]?)*$",
     "auto, none or a list of compute capabilities such as [8.0, 9.0]"},
    {"devices", "order", AT(device_order), NULL, "^$", "auto or none"},
    {"devices", "visible", AT(visible), ",", ".", "none or a list of GPUs"},
    {"nccl", "socket-ifname", AT(nccl_socket_ifname), ",", ".", "none or a list of interfaces"},
    {"nccl", "ib-disable", AT(nccl_ib_disable), NULL, "^(0|1|true|false)$", "none, true or false"},
    {"nccl", "p2p-disable", AT(nccl_p2p_disable), NULL, "^(0|1|true|false)$", "none, true or false"},
    {"nccl", "debug", AT(nccl_debug), NULL, "^[A-Za-z]+$", "none, VERSION, WARN, INFO, ABORT or TRACE"},
    {"xla", "cuda-data-dir", AT(xla_data_dir), NULL, "^$", "auto or none"},
    {"malloc", "arena-max", AT(malloc_arena_max), NULL, "^[1-9][0-9]{0,3}$", "none or a positive number"},
};
enum { KEYS = sizeof keys / sizeof *keys };

struct reader {
    struct arena *arena;
    yaml_parser_t parser;
    const char *path;
    struct config *config;
    struct err *err;
    yaml_event_t event;
    bool has_event;
    struct strv sections; /* seen so far */
};

static bool refuse_at(struct reader *reader, yaml_mark_t mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse_at(struct reader *reader, yaml_mark_t mark, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(reader->arena, format, args);
    va_end(args);
    return err_set(reader->err, ERR_INPUT, what, reader->path, (unsigned)mark.line + 1, (unsigned)mark.column + 1, "%s",
                   why);
}

static void drop_event(struct reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = false;
}

/* The next event; anchors, aliases and tags have no place in this file. */
static bool next(struct reader *reader)
{
    drop_event(reader);
    yaml_parser_t *parser = &reader->parser;
    if (!yaml_parser_parse(parser, &reader->event)) {
        yaml_mark_t mark = parser->problem_mark;
        return refuse_at(reader, mark, "not valid YAML: %s", parser->problem ? parser->problem : "unknown problem");
    }
    reader->has_event = true;
    const yaml_event_t *event = &reader->event;
    bool marked = event->type == YAML_ALIAS_EVENT
                  || (event->type == YAML_SCALAR_EVENT && (event->data.scalar.anchor || event->data.scalar.tag))
                  || (event->type == YAML_SEQUENCE_START_EVENT
                      && (event->data.sequence_start.anchor || event->data.sequence_start.tag))
                  || (event->type == YAML_MAPPING_START_EVENT
                      && (event->data.mapping_start.anchor || event->data.mapping_start.tag));
    return !marked || refuse_at(reader, event->start_mark, "anchors, aliases and tags are not used in this file");
}

/* The scalar of the current event as text; false with `err` when it is none, or holds a NUL. */
static bool scalar(struct reader *reader, const char *of, const char **text, yaml_mark_t *mark)
{
    const yaml_event_t *event = &reader->event;
    *mark = event->start_mark;
    if (event->type != YAML_SCALAR_EVENT)
        return refuse_at(reader, *mark, "%s is a %s where one value is expected", of,
                         event->type == YAML_MAPPING_START_EVENT ? "mapping" : "list");
    struct str value = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (memchr(value.s, '\0', value.n))
        return refuse_at(reader, *mark, "%s holds a NUL byte", of);
    *text = str_dup(reader->arena, value);
    return true;
}

static bool is_null_scalar(const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT || event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    const char *value = (const char *)event->data.scalar.value;
    return value[0] == '\0' || strcmp(value, "~") == 0 || strcmp(value, "null") == 0;
}

static const char *key_text(struct reader *reader, const struct key *key)
{
    return key->name ? arena_printf(reader->arena, "%s: %s", key->section, key->name) : key->section;
}

/* The items of a sequence, joined as the variable's reader wants them. */
static bool sequence(struct reader *reader, const struct key *key, const char **text)
{
    struct text joined = {.arena = reader->arena};
    const char *item;
    yaml_mark_t mark, start = reader->event.start_mark;
    if (!key->list)
        return refuse_at(reader, start, "%s is a list where one value is expected (%s)", key_text(reader, key),
                         key->expected);
    for (size_t count = 0; next(reader); count++) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT) {
            *text = joined.n ? joined.s : NULL;
            return joined.n || refuse_at(reader, start, "%s is an empty list", key_text(reader, key));
        }
        if (!scalar(reader, key_text(reader, key), &item, &mark))
            return false;
        if (item[0] == '\0' || count == MOST_ITEMS)
            return refuse_at(reader, mark, "%s holds %s", key_text(reader, key),
                             item[0] ? "too many items" : "an empty item");
        text_add(&joined, "%s%s", count ? key->list : "", item);
    }
    return false;
}

static bool store(struct reader *reader, const struct key *key, const char *text, yaml_mark_t mark)
{
    struct setting *setting = (struct setting *)(void *)((char *)reader->config + key->offset);
    setting->line = (unsigned)mark.line + 1;
    setting->column = (unsigned)mark.column + 1;
    bool is_auto = strcmp(text, "auto") == 0, is_none = strcmp(text, "none") == 0;
    bool allowed = is_auto || (is_none ? strstr(key->expected, "none") != NULL : grammar_matches(key->shape, text));
    if (!allowed)
        return refuse_at(reader, mark, "%s is \"%s\"; it can be %s", key_text(reader, key), text, key->expected);
    setting->value = is_auto ? NULL : text;
    return true;
}

static bool read_value(struct reader *reader, const struct key *key)
{
    const char *text;
    yaml_mark_t mark = reader->event.start_mark;
    if (is_null_scalar(&reader->event))
        return refuse_at(reader, mark, "%s has no value; it can be %s", key_text(reader, key), key->expected);
    if (reader->event.type == YAML_SEQUENCE_START_EVENT ? !sequence(reader, key, &text)
                                                        : !scalar(reader, key_text(reader, key), &text, &mark))
        return false;
    return store(reader, key, text, mark);
}

static const struct key *find_key(const char *section, const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].section, section) == 0 && cstr_eq(keys[i].name, name))
            return &keys[i];
    return NULL;
}

/* NULL-terminated: the sections, or the keys of one. */
static const char *const *names_of(struct reader *reader, const char *section)
{
    struct strv names = {0};
    for (size_t i = 0; i < KEYS; i++) {
        const char *name = section ? keys[i].name : keys[i].section;
        if ((!section || strcmp(keys[i].section, section) == 0) && name && strv_find(&names, name) == names.n)
            strv_add(reader->arena, &names, name);
    }
    if (!section)
        strv_add(reader->arena, &names, "variables");
    strv_add(reader->arena, &names, NULL);
    return names.v;
}

static bool unknown_key(struct reader *reader, const char *section, const char *name, yaml_mark_t mark)
{
    const char *const *names = names_of(reader, section);
    const char *nearest = text_nearest(name, names), *list = "";
    refuse_at(reader, mark, "unknown key \"%s\"%s%s", name, section ? " in " : "", section ? section : "");
    for (; *names; names++)
        list = arena_printf(reader->arena, "%s%s%s", list, list[0] ? ", " : "", *names);
    return nearest ? err_mend(reader->err, "the nearest known key is \"%s\"", nearest)
                   : err_mend(reader->err, "known keys are %s", list);
}

static bool note_key(struct reader *reader, struct strv *seen, const char *name, yaml_mark_t mark)
{
    if (strv_find(seen, name) < seen->n)
        return refuse_at(reader, mark, "\"%s\" stands here a second time", name);
    strv_add(reader->arena, seen, name);
    return true;
}

/* A mapping whose values are read by `value`; the event is its start. */
static bool mapping(struct reader *reader, const char *section,
                    bool (*value)(struct reader *reader, const char *section, const char *name, yaml_mark_t mark))
{
    struct strv seen = {0};
    while (next(reader) && reader->event.type != YAML_MAPPING_END_EVENT) {
        const char *name;
        yaml_mark_t mark;
        if (!scalar(reader, "a key", &name, &mark) || !note_key(reader, &seen, name, mark))
            return false;
        if (seen.n > MOST_ITEMS)
            return refuse_at(reader, mark, "too many keys");
        if (!value(reader, section, name, mark))
            return false;
    }
    return reader->has_event;
}

static bool section_value(struct reader *reader, const char *section, const char *name, yaml_mark_t mark)
{
    const struct key *key = find_key(section, name);
    if (!key)
        return unknown_key(reader, section, name, mark);
    return next(reader) && read_value(reader, key);
}

/* Variables that conda, the shells or this program's own hooks own. */
static const char *reserved(const char *name)
{
    static const char *const names[] = {"PATH",      "LD_LIBRARY_PATH",
                                        "HOME",      "PWD",
                                        "OLDPWD",    "SHLVL",
                                        "IFS",       "PS1",
                                        "UID",       "EUID",
                                        "GID",       "EGID",
                                        "PPID",      "BASHOPTS",
                                        "SHELLOPTS", "BASH_ENV",
                                        "ENV",       "status",
                                        "argv",      "version",
                                        "_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return strcmp(name, "PATH") == 0 || strcmp(name, "LD_LIBRARY_PATH") == 0
                       ? "is a path list that the rules compose"
                       : "belongs to the shell";
    if (strncmp(name, "CONDA_", 6) == 0 || strncmp(name, "_CONDA_", 7) == 0 || strncmp(name, "_CE_", 4) == 0)
        return "belongs to conda";
    return strncmp(name, "CONDAGPU_", 9) == 0 || strncmp(name, "_CONDAGPU_", 10) == 0 ? "belongs to condagpu's hooks"
                                                                                      : NULL;
}

static bool check_variable(struct reader *reader, const char *name, yaml_mark_t name_mark, const char *value,
                           yaml_mark_t mark)
{
    const char *owner = reserved(name), *secret = secret_reason(reader->arena, name, value);
    const char *problem = value_problem(reader->arena, value);
    if (!grammar_matches("^[A-Za-z_][A-Za-z0-9_]*$", name))
        return refuse_at(reader, name_mark, "\"%s\" is not the name of a variable (letters, digits and underscores)",
                         name);
    if (owner)
        return refuse_at(reader, name_mark, "variables: %s %s", name, owner);
    if (value[0] == '\0')
        return refuse_at(reader, mark, "variables: %s is empty, which readers take for a value; leave it out", name);
    if (problem)
        return refuse_at(reader, mark, "variables: the value of %s cannot be written into a hook: %s", name, problem);
    if (secret)
        return refuse_at(reader, name_mark, "variables: %s looks like a credential (%s), and hooks are readable files",
                         name, secret);
    return true;
}

static bool variable_value(struct reader *reader, const char *section, const char *name, yaml_mark_t mark)
{
    const char *value;
    yaml_mark_t value_mark;
    if (!next(reader))
        return false;
    if (is_null_scalar(&reader->event))
        return refuse_at(reader, reader->event.start_mark, "%s: %s has no value", section, name);
    if (!scalar(reader, name, &value, &value_mark) || !check_variable(reader, name, mark, value, value_mark))
        return false;
    struct config_variable *variable = vec_add(reader->arena, &reader->config->variables);
    *variable = (struct config_variable){name, value, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
    return true;
}

static bool is_section(const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].section, name) == 0)
            return true;
    return strcmp(name, "variables") == 0;
}

static bool top_value(struct reader *reader, const char *section, const char *name, yaml_mark_t mark)
{
    (void)section;
    const struct key *key = find_key(name, NULL);
    if (!is_section(name))
        return unknown_key(reader, NULL, name, mark);
    if (!next(reader))
        return false;
    if (key)
        return read_value(reader, key);
    if (reader->event.type == YAML_MAPPING_START_EVENT)
        return mapping(reader, name, strcmp(name, "variables") == 0 ? variable_value : section_value);
    if (is_null_scalar(&reader->event))
        return true;
    refuse_at(reader, reader->event.start_mark, "%s is one value or a list where a mapping of keys is expected", name);
    return err_mend(reader->err, "write %s:, and below it, indented, its keys", name);
}

/* Stream start, at most one document with one mapping, stream end. */
static bool read_stream(struct reader *reader)
{
    bool has_document = false;
    while (next(reader)) {
        switch (reader->event.type) {
        case YAML_STREAM_END_EVENT:
            return true;
        case YAML_DOCUMENT_START_EVENT:
            if (has_document)
                return refuse_at(reader, reader->event.start_mark, "a second document; this file holds one");
            has_document = true;
            break;
        case YAML_MAPPING_START_EVENT:
            if (!mapping(reader, NULL, top_value))
                return false;
            break;
        case YAML_SCALAR_EVENT:
        case YAML_SEQUENCE_START_EVENT:
            if (!is_null_scalar(&reader->event))
                return refuse_at(reader, reader->event.start_mark,
                                 "the file is one value or a list, not a mapping of keys");
            break;
        default:
            break;
        }
    }
    return false;
}

static void library_mode(struct config *config)
{
    static const struct {
        const char *word;
        enum library_mode mode;
    } modes[] = {
        {"narrow", LIBRARY_NARROW},
        {"prefix", LIBRARY_PREFIX},
        {"append", LIBRARY_APPEND},
        {"none", LIBRARY_NONE},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (cstr_eq(config->library_mode_setting.value, modes[i].word))
            config->library_mode = modes[i].mode;
}

void config_default(struct config *config)
{
    *config = (struct config){.library_mode = LIBRARY_NARROW};
}

bool config_read(struct arena *arena, const char *path, struct config *config, struct err *err)
{
    struct str content;
    struct reader reader = {.arena = arena, .path = path, .config = config, .err = err};
    config_default(config);
    if (!file_read(arena, path, LARGEST_CONFIG, what, &content, err))
        return false;
    if (!yaml_parser_initialize(&reader.parser))
        return err_set(err, ERR_INPUT, what, path, 0, 0, "no memory for the YAML parser");
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)content.s, content.n);
    bool ok = read_stream(&reader);
    drop_event(&reader);
    yaml_parser_delete(&reader.parser);
    config->file = arena_strdup(arena, path);
    config->sha256 = sha256_hex(arena, content);
    library_mode(config);
    return ok;
}
