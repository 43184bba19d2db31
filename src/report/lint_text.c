#include "report/lint.h"

#include <string.h>

#include "check/secret.h"
#include "report/format.h"

enum { WIDEST = 160 };

/* Findings come in the order of lines, so one pass over the content finds them all. */
struct cursor {
    struct str rest, line;
    unsigned number;
};

static bool go_to(struct cursor *cursor, unsigned number)
{
    while (cursor->number < number && str_cut(&cursor->rest, '\n', &cursor->line))
        cursor->number++;
    return number > 0 && cursor->number == number;
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* The first `count` characters. */
static struct str first_characters(struct str text, size_t count)
{
    size_t at = 0;
    for (; at < text.n; at++)
        if (((unsigned char)text.s[at] & 0xc0) != 0x80 && count-- == 0)
            break;
    return str_slice(text, 0, at);
}

static void paint(struct text *out, bool color, const char *parameter, const char *word)
{
    if (color)
        text_add(out, "\033[%sm%s\033[0m", parameter, word);
    else
        text_add(out, "%s", word);
}

/* The line without tokens, passwords and the values of secret variables. */
static struct str conceal(struct arena *arena, const struct spec *spec, const struct table *secrets, struct str line,
                          unsigned number)
{
    const char *shown = secret_redact(arena, secrets, line);
    for (size_t i = 0; i < spec->variables.n; i++) {
        const struct variable *variable = &spec->variables.v[i];
        bool is_secret = variable->line == number && secret_variable(variable->name, variable->value);
        const char *found = is_secret ? strstr(shown, variable->value) : NULL;
        if (found)
            shown = arena_printf(arena, "%.*s***%s", (int)(found - shown), shown, found + strlen(variable->value));
    }
    return str_of(shown);
}

/* The line, and below it a caret at the column and tildes below the rest of what is meant. */
static void write_excerpt(const struct spec *spec, struct str line, const struct evidence *place,
                          const struct table *secrets, bool color, struct text *out)
{
    if (line.n > 4 * WIDEST) /* too wide, whatever its characters are: not worth a look for each finding in it */
        return;
    struct str before = first_characters(line, place->column ? place->column - 1 : 0);
    const char *shown = text_printable(out->arena, conceal(out->arena, spec, secrets, line, place->line));
    const char *indent = text_printable(out->arena, before);
    bool follows = place->text[0] && str_starts(str_slice(line, before.n, line.n), place->text);
    size_t length = follows ? characters(text_printable(out->arena, str_of(place->text))) : 1;
    if (characters(shown) > WIDEST)
        return;
    text_add(out, "%5u | %s\n      | %*s", place->line, shown, (int)characters(indent), "");
    struct text caret = {.arena = out->arena};
    text_add(&caret, "^");
    while (--length)
        text_bytes(&caret, "~", 1);
    paint(out, color, "32;1", caret.s);
    text_add(out, "\n");
}

static const char *place_text(struct arena *arena, const struct evidence *place)
{
    const struct evidence bare = {"", place->file, place->line, place->column};
    return evidence_line(arena, &bare);
}

static void write_finding(const struct linted *linted, const struct result *result, const struct table *secrets,
                          bool color, struct cursor *cursor, struct text *out)
{
    const struct evidence *place = result->evidence.v;
    static const struct {
        const char *word, *color;
    } levels[] = {
        [STATUS_PASS] = {"note", "36"}, [STATUS_SKIP] = {"note", "36"},
        [STATUS_WARN] = {"warning", "33;1"}, [STATUS_FAIL] = {"error", "31;1"},
    };
    text_add(out, "%s: ", place_text(out->arena, place));
    paint(out, color, levels[result->status].color, levels[result->status].word);
    text_add(out, ": %s [%s]\n", text_printable(out->arena, str_of(result->message)), result->id);
    if (linted->spec && cstr_eq(place->file, linted->spec->file) && go_to(cursor, place->line))
        write_excerpt(linted->spec, cursor->line, place, secrets, color, out);
    for (size_t i = 1; i < result->evidence.n; i++)
        text_add(out, "      - %s\n", evidence_line(out->arena, &result->evidence.v[i]));
    if (result->fix)
        text_add(out, "      fix: %s\n", text_printable(out->arena, str_of(result->fix)));
}

static void write_pin(const struct spec *spec, struct text *out)
{
    const char *file = text_printable(out->arena, str_of(spec->file));
    if (spec->conflicts.n)
        text_add(out, "%s: the pins of CUDA contradict each other\n", file);
    else if (!spec->has_effective)
        text_add(out, "%s: pins no CUDA\n", file);
    else
        text_add(out, "%s: pins CUDA %s (line %u: %s)\n", file, spec->effective_text, spec->pins.v[spec->deciding].line,
                 text_printable(out->arena, str_of(spec->pins.v[spec->deciding].text)));
}

void lint_as_text(const struct linted *linted, const struct table *secrets, bool color, bool quiet, struct text *out)
{
    struct cursor cursor = {.rest = linted->spec ? linted->spec->content : (struct str){NULL, 0}};
    text_bytes(out, "", 0);
    for (size_t i = 0; i < linted->results.n; i++)
        if (!quiet || linted->results.v[i].status != STATUS_SKIP)
            write_finding(linted, &linted->results.v[i], secrets, color, &cursor, out);
    if (linted->spec && !quiet)
        write_pin(linted->spec, out);
}
