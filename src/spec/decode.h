/* The bytes of a text file as UTF-8 with line feeds. */
#ifndef CONDAGPU_SPEC_DECODE_H
#define CONDAGPU_SPEC_DECODE_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"

/* Takes UTF-8 and, by byte order mark or by the NULs of the first characters, UTF-16 of either order; drops the mark
 * and turns CR LF and CR into LF. ERR_INPUT with line, column and byte offset for NUL characters and for what is not
 * valid. A NUL that is not counted stands behind the text. */
bool decode(struct arena *arena, const char *file, struct str bytes, struct str *text, struct err *err);
/* Line and column (from 1, in characters) of a byte offset in decoded text. */
void decode_place(struct str text, size_t offset, unsigned *line, unsigned *column);

#endif
