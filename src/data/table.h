/* Knowledge as tables: src/data/NAME.tsv, compiled in. A '#' line is a comment, the first other line names the columns,
 * "-" or an empty cell means "none". */
#ifndef CONDAGPU_DATA_TABLE_H
#define CONDAGPU_DATA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

struct table {
    const char *name;
    struct strv columns;
    struct strv cells; /* row by row, columns.n each; NULL for "-" and empty */
    size_t rows;
};

struct data; /* the tables of one run, read when first asked for */

/* `dir` (may be NULL) holds newer NAME.tsv files; a table that it lacks comes from the program. */
struct data *data_new(struct arena *arena, const char *dir);

/* The table, or NULL with `err` (ERR_INPUT, line) when a file in `dir` is malformed. An unknown name is a bug: abort. */
const struct table *data_table(struct data *data, const char *name, struct err *err);

/* The cell in `row` below the column called `column` (a bug when there is none: abort); NULL for none. */
const char *table_cell(const struct table *table, size_t row, const char *column);
/* The first row whose `column` equals `value`, or table->rows. */
size_t table_find(const struct table *table, const char *column, const char *value);

#endif
