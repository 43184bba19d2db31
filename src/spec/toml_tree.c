#include <config.h>

#include "spec/toml_tree.h"

#include <dlfcn.h>
#include <string.h>

#include "spec/decode.h"
#include "spec/toml_parse.h"
#include "util/install.h"
#include "util/path.h"

enum { DEEPEST = 64, MOST_NODES = 200000 };

static const char too_many[] = "more than 200,000 nodes", too_deep[] = "nested more than 64 levels deep";

struct reading {
    struct arena *arena;
    const char *file;
    struct err *err;
    size_t nodes;
    struct node *root;
    struct {
        VEC(struct node *);
    } open; /* the lists and tables that are being filled */
};

static bool fail(struct reading *reading, unsigned line, unsigned column, const char *why)
{
    return err_set(reading->err, ERR_INPUT, "environment file", reading->file, line, column, "%s", why);
}

/* ---- what it looks like */

static bool is_key_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || memchr("_-. \t\"'", c, 7);
}

static struct str key_at(struct str text)
{
    size_t n = 0;
    while (n < text.n && is_key_char(text.s[n]))
        n++;
    return str_slice(text, 0, n);
}

/* [table] or [[table]] and at most a comment behind it */
static bool is_header(struct str line)
{
    size_t brackets = str_starts(line, "[[") ? 2 : str_starts(line, "[") ? 1 : 0;
    struct str name = key_at(str_slice(line, brackets, line.n));
    struct str rest = str_slice(line, brackets + name.n, line.n);
    if (!brackets || !str_trim(name).n || !str_starts(rest, brackets == 2 ? "]]" : "]"))
        return false;
    rest = str_trim(str_slice(rest, brackets, rest.n));
    return !rest.n || rest.s[0] == '#';
}

static bool has_header(struct str rest)
{
    struct str line;
    while (str_cut(&rest, '\n', &line))
        if (is_header(str_trim(line)))
            return true;
    return false;
}

/* key = "text", or key = 1 where a header follows: neither pip nor YAML writes that, but pip has name==1. */
static bool is_assignment(struct str line, struct str rest)
{
    struct str key = key_at(line), value = str_slice(line, key.n, line.n);
    if (!str_trim(key).n || str_starts(key, "- ") || !str_starts(value, "=") || str_starts(value, "=="))
        return false;
    value = str_trim(str_slice(value, 1, value.n));
    return value.n && (memchr("\"'[{", value.s[0], 4) || has_header(rest));
}

bool is_toml(struct str content)
{
    struct str rest = content, line, text = {"", 0};
    while ((!text.n || text.s[0] == '#') && str_cut(&rest, '\n', &line))
        text = str_trim(line);
    return is_header(text) || is_assignment(text, rest);
}

/* ---- how deep it nests, before the parser builds trees as deep */

/* The end of the string whose opening quote is at `at`; three quotes span lines, and up to two more may end them. */
static size_t skip_string(struct str text, size_t at)
{
    char quote = text.s[at];
    bool is_long = text.n - at >= 3 && text.s[at + 1] == quote && text.s[at + 2] == quote;
    size_t quotes = 0;
    for (at += is_long ? 3 : 1; at < text.n; at++) {
        if (text.s[at] == '\n' && !is_long)
            return at;
        quotes = text.s[at] == quote ? quotes + 1 : 0;
        if (!is_long && quotes)
            return at + 1;
        if (quotes == 3) {
            for (size_t more = 0; more < 2 && at + 1 < text.n && text.s[at + 1] == quote; more++)
                at++;
            return at + 1;
        }
        at += text.s[at] == '\\' && quote == '"';
    }
    return text.n;
}

static size_t skip_comment(struct str text, size_t at)
{
    return at + str_find(str_slice(text, at, text.n), '\n');
}

/* Every dot of a key is a level, every comma and equals sign may bring a node. What is no TOML is found by the parser,
 * and up to there this reads as it does. */
static bool check_limits(struct reading *reading, struct str text)
{
    size_t depth = 0, dots = 0, nodes = 0, at = 0;
    while (at < text.n && dots + depth <= DEEPEST && nodes <= MOST_NODES) {
        char c = text.s[at];
        if (c == '"' || c == '\'') {
            at = skip_string(text, at);
            continue;
        }
        if (c == '#') {
            at = skip_comment(text, at);
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= depth && (c == ']' || c == '}');
        nodes += c == ',' || c == '=' || c == '[';
        dots = memchr("\n,={}[]", c, 7) ? 0 : dots + (c == '.');
        at++;
    }
    if (at == text.n)
        return true;
    unsigned line, column;
    decode_place(text, at, &line, &column);
    return fail(reading, line, column, nodes > MOST_NODES ? too_many : too_deep);
}

/* ---- the tree */

static struct node *top(const struct reading *reading)
{
    return reading->open.n ? reading->open.v[reading->open.n - 1] : NULL;
}

static bool too_much(struct reading *reading, struct toml_event place)
{
    if (++reading->nodes > MOST_NODES)
        return !fail(reading, place.line, place.column, too_many);
    return reading->open.n > DEEPEST && !fail(reading, place.line, place.column, too_deep);
}

static struct node *add(struct reading *reading, enum node_kind kind, struct toml_event place)
{
    struct node *node = arena_alloc(reading->arena, sizeof *node), *parent = top(reading);
    *node = (struct node){.kind = kind, .line = place.line, .column = place.column, .size = 1};
    if (parent)
        *vec_add(reading->arena, &parent->items) = node;
    else
        reading->root = node;
    return node;
}

static bool on_open(void *context, bool is_table, struct toml_event place)
{
    struct reading *reading = context;
    if (too_much(reading, place))
        return false;
    struct node *node = add(reading, is_table ? NODE_MAP : NODE_LIST, place);
    *vec_add(reading->arena, &reading->open) = node;
    return true;
}

static void on_close(void *context)
{
    struct reading *reading = context;
    reading->open.n--;
}

static bool check_text(struct reading *reading, struct toml_event event)
{
    return !event.n || !memchr(event.s, 0, event.n) || fail(reading, event.line, event.column, "a NUL character");
}

static bool on_key(void *context, struct toml_event key)
{
    struct reading *reading = context;
    if (!check_text(reading, key) || too_much(reading, key))
        return false;
    struct node *node = arena_alloc(reading->arena, sizeof *node);
    *node = (struct node){.kind = NODE_SCALAR,
                          .text = arena_memdup(reading->arena, key.s, key.n),
                          .line = key.line,
                          .column = key.column,
                          .size = 1};
    *vec_add(reading->arena, &top(reading)->keys) = node;
    return true;
}

static bool on_scalar(void *context, bool is_text, struct toml_event scalar)
{
    struct reading *reading = context;
    if (!check_text(reading, scalar) || too_much(reading, scalar))
        return false;
    struct node *node = add(reading, NODE_SCALAR, scalar);
    node->text = arena_memdup(reading->arena, scalar.s, scalar.n);
    node->is_bare = !is_text;
    return true;
}

static void on_fail(void *context, struct toml_event why)
{
    struct reading *reading = context;
    char *text = arena_memdup(reading->arena, why.s, why.n);
    if (text[0] >= 'A' && text[0] <= 'Z')
        text[0] = (char)(text[0] - 'A' + 'a');
    fail(reading, why.line, why.column, text);
}

/* dlopen's handle stays: another file may follow. */
static toml_parse_function *load(struct reading *reading)
{
#ifdef HAVE_TOML
    const char *path = path_join(reading->arena, install_lib_dir(reading->arena), "condagpu-toml.so");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = module ? dlsym(module, TOML_PARSE_SYMBOL) : NULL;
    if (symbol)
        return (toml_parse_function *)symbol;
    err_set(reading->err, ERR_INPUT, "environment file", reading->file, 0, 0, "the TOML reader cannot be loaded: %s",
            dlerror());
    err_mend(reading->err, "install condagpu again: its %s is missing or of another release", path);
#else
    err_set(reading->err, ERR_INPUT, "environment file", reading->file, 0, 0,
            "this condagpu was built without a reader for TOML");
    err_mend(reading->err, "build it with tomlplusplus and without --without-toml");
#endif
    return NULL;
}

bool toml_tree(struct arena *arena, const char *file, struct str content, struct node **root, struct err *err)
{
    struct reading reading = {.arena = arena, .file = file, .err = err};
    const struct toml_sink sink = {&reading, on_open, on_close, on_key, on_scalar, on_fail};
    if (!check_limits(&reading, content))
        return false;
    toml_parse_function *parse = load(&reading);
    if (!parse || !parse(content.s, content.n, &sink))
        return false;
    *root = reading.root;
    return true;
}
