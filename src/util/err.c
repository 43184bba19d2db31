#include "util/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/arena.h"
#include "util/text.h"

/* Copies `source` made printable; a text that does not fit ends in "...". */
static void copy_printable(char *target, size_t size, const char *source)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *text = text_printable(arena, str_of(source));
    if (snprintf(target, size, "%s", text) >= (int)size)
        memcpy(target + size - 4, "...", 4);
}

static void format_into(char *target, size_t size, const char *format, va_list args)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    copy_printable(target, size, arena_vprintf(arena, format, args));
}

bool err_set(struct err *err, enum err_kind kind, const char *what, const char *file, unsigned line, unsigned column,
             const char *format, ...)
{
    err->kind = kind;
    err->line = line;
    err->column = column;
    err->mend[0] = '\0';
    copy_printable(err->what, sizeof err->what, what);
    copy_printable(err->file, sizeof err->file, file ? file : "");
    va_list args;
    va_start(args, format);
    format_into(err->why, sizeof err->why, format, args);
    va_end(args);
    return false;
}

bool err_system(struct err *err, enum err_kind kind, const char *what, const char *file, int errnum)
{
    return err_set(err, kind, what, file, 0, 0, "%s", strerror(errnum));
}

bool err_mend(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    format_into(err->mend, sizeof err->mend, format, args);
    va_end(args);
    return false;
}

void err_format(const struct err *err, char *buffer, size_t size)
{
    char place[32] = "";
    if (err->line && err->column)
        snprintf(place, sizeof place, ":%u:%u", err->line, err->column);
    else if (err->line)
        snprintf(place, sizeof place, ":%u", err->line);
    if (err->file[0])
        snprintf(buffer, size, "%s: %s%s: %s", err->what, err->file, place, err->why);
    else
        snprintf(buffer, size, "%s: %s", err->what, err->why);
}
