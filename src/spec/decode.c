#include "spec/decode.h"

#include <stdint.h>

#include "util/text.h"

enum encoding { UTF_8, UTF_16_LE, UTF_16_BE };

struct decoding {
    enum encoding encoding;
    struct str bytes;
    char *out; /* room for three bytes a UTF-16 unit, or for the bytes themselves */
    size_t n;
};

/* Environment files begin with ASCII, so a NUL in every other byte tells UTF-16 without a mark. */
static enum encoding encoding_of(struct str bytes, size_t *mark)
{
    const char *s = bytes.s;
    *mark = 0;
    if (str_starts(bytes, "\xef\xbb\xbf")) {
        *mark = 3;
        return UTF_8;
    }
    if (str_starts(bytes, "\xff\xfe") || str_starts(bytes, "\xfe\xff")) {
        *mark = 2;
        return s[0] == '\xff' ? UTF_16_LE : UTF_16_BE;
    }
    if (bytes.n >= 4 && s[0] && !s[1] && s[2] && !s[3])
        return UTF_16_LE;
    return bytes.n >= 4 && !s[0] && s[1] && !s[2] && s[3] ? UTF_16_BE : UTF_8;
}

static uint32_t unit_at(const struct decoding *d, size_t i)
{
    const unsigned char *u = (const unsigned char *)d->bytes.s + i;
    return d->encoding == UTF_16_LE ? u[0] | (uint32_t)u[1] << 8 : u[1] | (uint32_t)u[0] << 8;
}

/* The length in bytes and the code point of the character at `i`; 0 when it is not valid. */
static size_t character(const struct decoding *d, size_t i, uint32_t *point)
{
    if (d->encoding == UTF_8)
        return text_utf8(d->bytes.s + i, d->bytes.n - i, point);
    if (d->bytes.n - i < 2)
        return 0;
    *point = unit_at(d, i);
    if (*point < 0xd800 || *point > 0xdfff)
        return 2;
    if (*point > 0xdbff || d->bytes.n - i < 4)
        return 0;
    uint32_t low = unit_at(d, i + 2);
    *point = 0x10000 + ((*point & 0x3ff) << 10 | (low & 0x3ff));
    return low >= 0xdc00 && low <= 0xdfff ? 4 : 0;
}

static void put(struct decoding *d, uint32_t point)
{
    if (point < 0x80) {
        d->out[d->n++] = (char)point;
        return;
    }
    if (point < 0x800) {
        d->out[d->n++] = (char)(0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            d->out[d->n++] = (char)(0xe0 | point >> 12);
        } else {
            d->out[d->n++] = (char)(0xf0 | point >> 18);
            d->out[d->n++] = (char)(0x80 | (point >> 12 & 0x3f));
        }
        d->out[d->n++] = (char)(0x80 | (point >> 6 & 0x3f));
    }
    d->out[d->n++] = (char)(0x80 | (point & 0x3f));
}

void decode_place(struct str text, size_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < text.n; i++) {
        if (text.s[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text.s[i] & 0xc0) != 0x80) {
            ++*column;
        }
    }
}

bool decode(struct arena *arena, const char *file, struct str bytes, struct str *text, struct err *err)
{
    static const char *const names[] = {"UTF-8", "UTF-16", "UTF-16"};
    struct decoding d = {.bytes = bytes};
    size_t i;
    d.encoding = encoding_of(bytes, &i);
    d.out = arena_alloc(arena, (d.encoding == UTF_8 ? bytes.n : bytes.n / 2 * 3) + 1);
    bool carriage = false;
    while (i < bytes.n) {
        uint32_t point = 0;
        size_t length = character(&d, i, &point);
        if (length == 0 || point == 0) {
            unsigned line, column;
            decode_place((struct str){d.out, d.n}, d.n, &line, &column);
            return err_set(err, ERR_INPUT, "environment file", file, line, column,
                           length ? "byte %zu: a NUL character" : "byte %zu: not valid %s", i, names[d.encoding]);
        }
        if (point != '\n' || !carriage)
            put(&d, point == '\r' ? '\n' : point);
        carriage = point == '\r';
        i += length;
    }
    *text = (struct str){d.out, d.n};
    return true;
}
