#include "report/baseline.h"

#include <string.h>

#include "report/format.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST = 1024 * 1024 };

/* "ID" or "ID<tab>FILE"; a file name may hold blanks and '#'. */
static bool read_line(struct arena *arena, struct str line, unsigned number, struct baseline *baseline, struct err *err)
{
    struct str rest = line, id;
    if (rest.n && rest.s[rest.n - 1] == '\r')
        rest.n--;
    if (str_trim(rest).n == 0 || str_trim(rest).s[0] == '#')
        return true;
    str_cut(&rest, '\t', &id);
    size_t comment = str_find(id, '#');
    if (comment < id.n)
        rest = (struct str){NULL, 0};
    id = str_trim(str_slice(id, 0, comment));
    if (id.n == 0)
        return err_set(err, ERR_INPUT, "baseline", baseline->path, number, 1, "a check's id is missing before the tab");
    for (size_t i = 0; i < id.n; i++)
        if (id.s[i] == ' ' || id.s[i] == '\0')
            return err_set(err, ERR_INPUT, "baseline", baseline->path, number, (unsigned)i + 1,
                           "a check's id, then a tab before the file, is expected");
    struct baseline_entry *entry = vec_add(arena, &baseline->entries);
    entry->id = str_dup(arena, id);
    entry->file = rest.s && rest.n ? str_dup(arena, rest) : NULL;
    entry->line = number;
    return true;
}

bool baseline_read(struct arena *arena, const char *path, const struct check *rows, struct baseline *baseline,
                   struct err *err)
{
    struct str content, line;
    *baseline = (struct baseline){.path = path};
    if (!file_read(arena, path, LARGEST, "baseline", &content, err))
        return false;
    for (unsigned number = 1; str_cut(&content, '\n', &line); number++)
        if (!read_line(arena, line, number, baseline, err))
            return false;
    for (size_t i = 0; rows && i < baseline->entries.n; i++) {
        const struct baseline_entry *entry = &baseline->entries.v[i];
        if (report_check(rows, entry->id))
            continue;
        err_set(err, ERR_INPUT, "baseline", path, entry->line, 1, "there is no check \"%s\"", entry->id);
        return unknown_check(arena, rows, entry->id, err);
    }
    return true;
}

static bool same_file(struct arena *arena, const char *listed, const char *prefix, const char *found)
{
    const char *absolute = path_absolute(arena, found);
    if (strcmp(listed, found) == 0 || strcmp(path_absolute(arena, listed), absolute) == 0)
        return true;
    const char *relative = prefix ? path_relative(path_absolute(arena, prefix), absolute) : NULL;
    return relative && strcmp(listed, relative) == 0;
}

/* The entry that covers `id` in `file`, or, with `file` NULL, everywhere. */
static struct baseline_entry *covering(struct arena *arena, struct baseline *baseline, const char *prefix,
                                       const char *id, const char *file)
{
    for (size_t i = 0; i < baseline->entries.n; i++) {
        struct baseline_entry *entry = &baseline->entries.v[i];
        if (strcmp(entry->id, id) != 0 || !entry->file != !file)
            continue;
        if (!file || same_file(arena, entry->file, prefix, file))
            return entry;
    }
    return NULL;
}

static bool each_file_covered(struct arena *arena, struct baseline *baseline, const char *prefix,
                              const struct result *result)
{
    size_t covered = 0;
    for (size_t i = 0; i < result->evidence.n; i++) {
        const char *file = result->evidence.v[i].file;
        if (!file)
            continue;
        if (!covering(arena, baseline, prefix, result->id, file))
            return false;
        covered++;
    }
    return covered > 0;
}

static void mark_used(struct arena *arena, struct baseline *baseline, const char *prefix, const struct result *result)
{
    struct baseline_entry *everywhere = covering(arena, baseline, prefix, result->id, NULL);
    if (everywhere)
        everywhere->used = true;
    for (size_t i = 0; i < result->evidence.n; i++) {
        const char *file = result->evidence.v[i].file;
        struct baseline_entry *entry = file ? covering(arena, baseline, prefix, result->id, file) : NULL;
        if (entry)
            entry->used = true;
    }
}

void baseline_apply(struct arena *arena, struct baseline *baseline, const char *prefix, struct results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        struct result *result = &results->v[i];
        if (result->status != STATUS_FAIL && result->status != STATUS_WARN)
            continue;
        mark_used(arena, baseline, prefix, result);
        if (!covering(arena, baseline, prefix, result->id, NULL) && !each_file_covered(arena, baseline, prefix, result))
            continue;
        result->status = STATUS_PASS;
        result->message = arena_printf(arena, "known (baseline): %s", result->message);
        strv_add(arena, &baseline->known, result->id);
    }
}
