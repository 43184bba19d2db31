#include "data/table.h"

#include <stdlib.h>
#include <string.h>

#include "data/embedded.h"
#include "util/file.h"
#include "util/path.h"
#include "util/str.h"

enum { LARGEST_TABLE = 16 * 1024 * 1024 };

struct data {
    struct arena *arena;
    const char *dir;
    VEC(struct table *);
};

struct data *data_new(struct arena *arena, const char *dir)
{
    struct data *data = arena_alloc(arena, sizeof *data);
    data->arena = arena;
    data->dir = dir;
    return data;
}

static const char *cell_of(struct arena *arena, struct str part)
{
    return part.n == 0 || str_eq_c(part, "-") ? NULL : str_dup(arena, part);
}

/* Rows may leave out trailing empty cells; a row with too many is malformed. */
static bool parse_row(struct arena *arena, struct table *table, struct str line)
{
    struct str part;
    size_t count = 0;
    for (; str_cut(&line, '\t', &part); count++) {
        if (count == table->columns.n)
            return false;
        strv_add(arena, &table->cells, cell_of(arena, part));
    }
    for (; count < table->columns.n; count++)
        strv_add(arena, &table->cells, NULL);
    table->rows++;
    return true;
}

static bool parse_table(struct arena *arena, struct table *table, struct str text, const char *file, struct err *err)
{
    struct str line, part;
    for (unsigned number = 1; str_cut(&text, '\n', &line); number++) {
        if (str_ends(line, "\r"))
            line.n--;
        if (line.n == 0 || line.s[0] == '#')
            continue;
        if (table->columns.n == 0)
            while (str_cut(&line, '\t', &part))
                strv_add(arena, &table->columns, str_dup(arena, part));
        else if (!parse_row(arena, table, line))
            return err_set(err, ERR_INPUT, "data table", file, number, 0, "more cells than the %zu columns of the heading",
                           table->columns.n);
    }
    if (table->columns.n)
        return true;
    return err_set(err, ERR_INPUT, "data table", file, 0, 0, "no heading line");
}

static const char *embedded_text(const char *name)
{
    for (const struct embedded *table = embedded_tables; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table->text;
    abort();
}

/* A table of the directory must have every column of the one compiled in, which is what the program reads. */
static bool has_columns(const struct table *table, const struct table *known, const char *file, struct err *err)
{
    for (size_t i = 0; i < known->columns.n; i++)
        if (strv_find(&table->columns, known->columns.v[i]) == table->columns.n)
            return err_set(err, ERR_INPUT, "data table", file, 0, 0, "no column \"%s\"", known->columns.v[i]);
    return true;
}

static bool load(struct data *data, struct table *table, struct err *err)
{
    struct str text = str_of(embedded_text(table->name));
    if (!parse_table(data->arena, table, text, table->name, err))
        return false;
    const char *file = data->dir ? arena_printf(data->arena, "%s/%s.tsv", data->dir, table->name) : NULL;
    if (!file || !file_exists(file))
        return true;
    struct table newer = {.name = table->name};
    if (!file_read(data->arena, file, LARGEST_TABLE, "data table", &text, err)
        || !parse_table(data->arena, &newer, text, file, err) || !has_columns(&newer, table, file, err))
        return false;
    *table = newer;
    return true;
}

const struct table *data_table(struct data *data, const char *name, struct err *err)
{
    for (size_t i = 0; i < data->n; i++)
        if (strcmp(data->v[i]->name, name) == 0)
            return data->v[i];
    struct table *table = arena_alloc(data->arena, sizeof *table);
    table->name = arena_strdup(data->arena, name);
    if (!load(data, table, err))
        return NULL;
    *vec_add(data->arena, data) = table;
    return table;
}

static size_t column_index(const struct table *table, const char *column)
{
    size_t i = strv_find(&table->columns, column);
    if (i == table->columns.n)
        abort();
    return i;
}

const char *table_cell(const struct table *table, size_t row, const char *column)
{
    return table->cells.v[row * table->columns.n + column_index(table, column)];
}

size_t table_find(const struct table *table, const char *column, const char *value)
{
    size_t row = 0;
    while (row < table->rows && !cstr_eq(table_cell(table, row, column), value))
        row++;
    return row;
}
