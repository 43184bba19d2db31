#include <string.h>

#include "report/format.h"

enum { WIDTH = 79 };

void explain_list(const struct check *rows, struct text *out)
{
    size_t width = 0;
    for (const struct check *check = rows; check->id; check++)
        if (strlen(check->id) > width)
            width = strlen(check->id);
    for (const struct check *check = rows; check->id; check++)
        text_add(out, "%-*s  %s\n", (int)width, check->id, check->title);
}

/* Words of one line, broken before the width; a line that starts with a blank is an example and stays as it is. */
static void write_line(struct str line, size_t *column, struct text *out)
{
    struct str word;
    if (line.n == 0 || line.s[0] == ' ') {
        text_add(out, "%s%.*s\n", *column ? "\n" : "", (int)line.n, line.s);
        *column = 0;
        return;
    }
    while (str_cut(&line, ' ', &word)) {
        if (word.n == 0)
            continue;
        const char *gap = *column == 0 ? "" : *column + 1 + word.n > WIDTH ? "\n" : " ";
        *column = *gap == ' ' ? *column + 1 + word.n : word.n;
        text_add(out, "%s%.*s", gap, (int)word.n, word.s);
    }
}

static void write_paragraphs(const char *string, struct text *out)
{
    struct str rest = str_of(string), line;
    size_t column = 0;
    while (str_cut(&rest, '\n', &line))
        write_line(line, &column, out);
    if (column)
        text_add(out, "\n");
}

static void write_check(const struct check *check, struct text *out)
{
    const size_t most = sizeof check->needs / sizeof *check->needs;
    text_add(out, "%s: %s\n\n", check->id, check->title);
    write_paragraphs(check->explain, out);
    for (size_t i = 0; i < most && check->needs[i]; i++)
        text_add(out, "%s%s", i ? ", " : "\nRuns only where these passed: ", check->needs[i]);
    if (check->needs[0])
        text_add(out, ".\n");
}

bool explain_check(struct arena *arena, const struct check *rows, const char *id, struct text *out, struct err *err)
{
    const struct check *check = report_check(rows, id);
    if (check) {
        write_check(check, out);
        return true;
    }
    err_set(err, ERR_USAGE, "usage", NULL, 0, 0, "there is no check \"%s\"", id);
    return unknown_check(arena, rows, id, err);
}
