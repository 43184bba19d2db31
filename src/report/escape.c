#include <ctype.h>
#include <string.h>

#include "report/format.h"

/* Calls `add` for each code point, and with a length of 0 for each byte that is not UTF-8. */
static void each_point(struct text *out, const char *string,
                       void (*add)(struct text *out, const char *bytes, size_t length, uint32_t point))
{
    struct str rest = str_of(string);
    while (rest.n) {
        uint32_t point = 0;
        size_t length = text_utf8(rest.s, rest.n, &point);
        add(out, rest.s, length, point);
        rest = str_slice(rest, length ? length : 1, rest.n);
    }
}

static void add_hex(struct text *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < (length ? length : 1); i++)
        text_add(out, "\\x%02x", (unsigned char)bytes[i]);
}

static void add_utf8(struct text *out, const char *bytes, size_t length, uint32_t point)
{
    (void)point;
    if (length)
        text_bytes(out, bytes, length);
    else
        add_hex(out, bytes, length);
}

char *escape_utf8(struct arena *arena, const char *string)
{
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    each_point(&text, string, add_utf8);
    return text.s;
}

/* Char of XML 1.0, section 2.2. */
static bool xml_holds(uint32_t point)
{
    return point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && point != 0xfffe && point != 0xffff);
}

static void add_xml(struct text *out, const char *bytes, size_t length, uint32_t point)
{
    if (!length || !xml_holds(point))
        add_hex(out, bytes, length);
    else if (text_hidden(point) || strchr("&<>\"'", (int)(point < 0x80 ? point : 'x')))
        text_add(out, "&#%u;", point);
    else
        text_bytes(out, bytes, length);
}

void escape_xml(struct text *out, const char *string)
{
    each_point(out, string, add_xml);
}

void escape_path(struct text *out, const char *path)
{
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if ((c < 0x80 && isalnum(c)) || strchr("-._~/", c))
            text_bytes(out, path, 1);
        else
            text_add(out, "%%%02X", c);
    }
}

void escape_github(struct text *out, const char *string, bool property)
{
    const char *clean = text_printable(out->arena, str_of(string));
    for (; *clean; clean++) {
        if (*clean == '%' || (property && (*clean == ':' || *clean == ',')))
            text_add(out, "%%%02X", (unsigned char)*clean);
        else
            text_bytes(out, clean, 1);
    }
}
