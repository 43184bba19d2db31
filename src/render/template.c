#include "render/template.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { TEMPLATE_LIMIT = 1 << 20, INCLUDE_LIMIT = 8 };

static const char *const kind_names[] = {
    [VARIABLE_SET] = "set",     [VARIABLE_DEFAULT] = "default", [VARIABLE_LEAD] = "lead",
    [VARIABLE_UNSET] = "unset", [VARIABLE_LIST] = "list",
};
enum { KIND_COUNT = sizeof kind_names / sizeof *kind_names };

enum scope { SCOPE_HOOK, SCOPE_VARIABLE, SCOPE_REASON };

static const struct placeholder {
    const char *name;
    enum scope scope;
    size_t offset; /* of a const char * in the scope's struct */
} placeholders[] = {
    {"VERSION", SCOPE_HOOK, offsetof(struct hook_content, version)},
    {"INPUTS", SCOPE_HOOK, offsetof(struct hook_content, inputs)},
    {"ID", SCOPE_HOOK, offsetof(struct hook_content, id)},
    {"NAME", SCOPE_VARIABLE, offsetof(struct hook_variable, name)},
    {"STATE", SCOPE_VARIABLE, offsetof(struct hook_variable, state)},
    {"MARK", SCOPE_VARIABLE, offsetof(struct hook_variable, mark)},
    {"VALUE", SCOPE_VARIABLE, offsetof(struct hook_variable, value)},
    {"LEAD", SCOPE_VARIABLE, offsetof(struct hook_variable, lead)},
    {"FRONT", SCOPE_VARIABLE, offsetof(struct hook_variable, front)},
    {"BACK", SCOPE_VARIABLE, offsetof(struct hook_variable, back)},
    {"ELEMENTS", SCOPE_VARIABLE, offsetof(struct hook_variable, elements)},
    {"WORDS", SCOPE_VARIABLE, offsetof(struct hook_variable, words)},
    {"VALUE_TEXT", SCOPE_REASON, offsetof(struct reason, value)},
    {"WHY", SCOPE_REASON, offsetof(struct reason, why)},
};
enum { PLACEHOLDER_COUNT = sizeof placeholders / sizeof *placeholders };

/* One template file, cut into lines. */
struct source {
    const char *file;
    struct {
        VEC(struct str);
    } lines;
};

struct expansion {
    struct arena *arena;
    const char *directory;
    const struct hook_content *hook;
    unsigned depth; /* of inclusion */
    struct text text;
    struct err *err;
};

static bool fail(struct expansion *expansion, const struct source *source, size_t line, const char *format,
                 struct str word)
{
    return err_set(expansion->err, ERR_INPUT, "template", source->file, (unsigned)line + 1, 0, format,
                   str_dup(expansion->arena, word));
}

static const struct placeholder *find_placeholder(struct str name)
{
    for (size_t i = 0; i < PLACEHOLDER_COUNT; i++)
        if (str_eq_c(name, placeholders[i].name))
            return &placeholders[i];
    return NULL;
}

/* Cuts the text before the next placeholder off `*rest` into `*plain`, and its name into `*name`: "" for @@, a view
 * without memory where none is left. false for an @ that is not closed in the line. */
static bool next_placeholder(struct str *rest, struct str *plain, struct str *name)
{
    size_t open = str_find(*rest, '@');
    *plain = str_slice(*rest, 0, open);
    *name = (struct str){NULL, 0};
    if (open == rest->n) {
        *rest = str_slice(*rest, open, open);
        return true;
    }
    struct str tail = str_slice(*rest, open + 1, rest->n);
    size_t close = str_find(tail, '@');
    if (close == tail.n)
        return false;
    *name = str_slice(tail, 0, close);
    *rest = str_slice(tail, close + 1, tail.n);
    return true;
}

/* The placeholder's text; NULL where it has none in this place. */
static const char *lookup(const struct expansion *expansion, const struct placeholder *placeholder,
                          const struct hook_variable *variable, const struct reason *reason)
{
    const void *const scopes[] = {[SCOPE_HOOK] = expansion->hook, [SCOPE_VARIABLE] = variable, [SCOPE_REASON] = reason};
    const char *scope = scopes[placeholder->scope];
    const char *value = NULL;
    if (scope)
        memcpy(&value, scope + placeholder->offset, sizeof value);
    return value;
}

static bool expand_line(struct expansion *expansion, const struct source *source, size_t line,
                        const struct hook_variable *variable, const struct reason *reason)
{
    struct str rest = source->lines.v[line], plain, name;
    do {
        if (!next_placeholder(&rest, &plain, &name))
            return fail(expansion, source, line, "an @ without its second one (a single @ is written @@)", name);
        text_bytes(&expansion->text, plain.s, plain.n);
        if (!name.s)
            break;
        if (name.n == 0) {
            text_add(&expansion->text, "@");
            continue;
        }
        const struct placeholder *placeholder = find_placeholder(name);
        if (!placeholder)
            return fail(expansion, source, line, "there is no placeholder @%s@", name);
        const char *value = lookup(expansion, placeholder, variable, reason);
        if (!value)
            return fail(expansion, source, line, "@%s@ has no value here", name);
        text_add(&expansion->text, "%s", value);
    } while (rest.n);
    text_add(&expansion->text, "\n");
    return true;
}

/* Whether the line is written once for each operation. */
static bool names_reason(struct str line)
{
    struct str plain, name;
    while (line.n && next_placeholder(&line, &plain, &name) && name.s) {
        const struct placeholder *placeholder = find_placeholder(name);
        if (placeholder && placeholder->scope == SCOPE_REASON)
            return true;
    }
    return false;
}

static bool expand_text_line(struct expansion *expansion, const struct source *source, size_t line,
                             const struct hook_variable *variable)
{
    if (!variable || !names_reason(source->lines.v[line]))
        return expand_line(expansion, source, line, variable, NULL);
    for (size_t i = 0; i < variable->reasons.n; i++)
        if (!expand_line(expansion, source, line, variable, &variable->reasons.v[i]))
            return false;
    return true;
}

/* The argument of a directive line "@WORD argument@" or "@WORD@". */
static bool is_directive(struct str line, const char *word, struct str *argument)
{
    line = str_trim(line);
    size_t length = strlen(word);
    if (line.n < length + 2 || line.s[0] != '@' || line.s[line.n - 1] != '@' || memcmp(line.s + 1, word, length) != 0)
        return false;
    struct str inside = str_slice(line, length + 1, line.n - 1);
    if (inside.n && inside.s[0] != ' ')
        return false;
    *argument = str_trim(inside);
    return true;
}

static bool read_source(struct expansion *expansion, const char *name, struct source *source)
{
    source->file = path_join(expansion->arena, expansion->directory, name);
    struct str content, line;
    if (!file_read(expansion->arena, source->file, TEMPLATE_LIMIT, "template", &content, expansion->err))
        return err_mend(expansion->err, "make install puts the templates there; --template-dir names other ones");
    while (str_cut(&content, '\n', &line))
        *vec_add(expansion->arena, &source->lines) = line;
    if (source->lines.n && source->lines.v[source->lines.n - 1].n == 0)
        source->lines.n--;
    return true;
}

static bool expand_lines(struct expansion *expansion, const struct source *source, size_t from, size_t to,
                         const struct hook_variable *variable);

static bool expand_include(struct expansion *expansion, const struct source *source, size_t line, struct str name,
                           const struct hook_variable *variable)
{
    if (name.n == 0 || str_find(name, '/') < name.n || name.s[0] == '.')
        return fail(expansion, source, line, "\"%s\" is no plain file name to include", name);
    if (expansion->depth == INCLUDE_LIMIT)
        return fail(expansion, source, line, "%s is included too deeply", name);
    struct source included = {0};
    if (!read_source(expansion, str_dup(expansion->arena, name), &included))
        return false;
    expansion->depth++;
    bool done = expand_lines(expansion, &included, 0, included.lines.n, variable);
    expansion->depth--;
    return done;
}

/* The kinds that a @for@ names, as bits. */
static bool read_kinds(struct expansion *expansion, const struct source *source, size_t line, struct str words,
                       unsigned *kinds)
{
    struct str word;
    *kinds = 0;
    while (str_cut(&words, ' ', &word)) {
        unsigned kind = 0;
        while (kind < KIND_COUNT && !str_eq_c(word, kind_names[kind]))
            kind++;
        if (kind == KIND_COUNT)
            return fail(expansion, source, line, "there is no kind of variable \"%s\"", word);
        *kinds |= 1u << kind;
    }
    return *kinds ? true : fail(expansion, source, line, "@for@ names no kind of variable%s", words);
}

/* The line of the @end@ that closes the @for@ in `line`; `to` when there is none. */
static size_t find_end(const struct source *source, size_t line, size_t to)
{
    struct str argument;
    do
        line++;
    while (line < to && !is_directive(source->lines.v[line], "end", &argument));
    return line;
}

static bool expand_loop(struct expansion *expansion, const struct source *source, size_t line, size_t end,
                        struct str words)
{
    unsigned kinds;
    if (!read_kinds(expansion, source, line, words, &kinds))
        return false;
    for (size_t i = 0; i < expansion->hook->variables.n; i++) {
        const struct hook_variable *variable = &expansion->hook->variables.v[i];
        if ((kinds & 1u << variable->kind) && !expand_lines(expansion, source, line + 1, end, variable))
            return false;
    }
    return true;
}

static bool expand_lines(struct expansion *expansion, const struct source *source, size_t from, size_t to,
                         const struct hook_variable *variable)
{
    for (size_t line = from; line < to; line++) {
        struct str words;
        bool done;
        if (str_starts(str_trim(source->lines.v[line]), "@#"))
            continue;
        if (is_directive(source->lines.v[line], "include", &words)) {
            done = expand_include(expansion, source, line, words, variable);
        } else if (is_directive(source->lines.v[line], "for", &words)) {
            size_t end = find_end(source, line, to);
            if (variable || end == to)
                return fail(expansion, source, line, variable ? "@for@ inside @for@%.0s" : "@for@ without @end@%.0s",
                            words);
            done = expand_loop(expansion, source, line, end, words);
            line = end;
        } else if (is_directive(source->lines.v[line], "end", &words)) {
            return fail(expansion, source, line, "@end@ without @for@%.0s", words);
        } else {
            done = expand_text_line(expansion, source, line, variable);
        }
        if (!done)
            return false;
    }
    return true;
}

bool template_expand(struct arena *arena, const char *directory, const char *name, const struct hook_content *hook,
                     struct str *text, struct err *err)
{
    struct expansion expansion = {.arena = arena, .directory = directory, .hook = hook, .err = err};
    expansion.text.arena = arena;
    struct source source = {0};
    if (!read_source(&expansion, name, &source) || !expand_lines(&expansion, &source, 0, source.lines.n, NULL))
        return false;
    *text = text_str(&expansion.text);
    return true;
}
