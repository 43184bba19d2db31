/* Small definitions of other rooms' functions, for a tree in which those rooms are not built yet. */
#include <stdio.h>
#include <string.h>

#include "prefix/inventory.h"
#include "spec/spec.h"
#include "util/file.h"
#include "util/path.h"

const struct record *inventory_find(const struct inventory *inventory, enum record_kind kind, const char *name)
{
    for (size_t i = 0; i < inventory->records.n; i++)
        if (inventory->records.v[i].kind == kind && strcmp(inventory->records.v[i].name, name) == 0)
            return &inventory->records.v[i];
    return NULL;
}

const struct record *inventory_next(const struct inventory *inventory, enum record_kind kind, const char *start,
                                    size_t *from)
{
    while (*from < inventory->records.n) {
        const struct record *record = &inventory->records.v[(*from)++];
        if (record->kind == kind && strncmp(record->name, start, strlen(start)) == 0)
            return record;
    }
    return NULL;
}

/* The text between single quotes in the line that starts with `start`. */
static const char *quoted(struct arena *arena, struct str content, const char *start)
{
    struct str line;
    while (str_cut(&content, '\n', &line)) {
        size_t open = str_find(line, '\'');
        struct str rest = str_slice(line, open + 1, line.n);
        if (str_starts(line, start) && open < line.n)
            return str_dup(arena, str_slice(rest, 0, str_find(rest, '\'')));
    }
    return NULL;
}

void inventory_torch(struct arena *arena, const struct inventory *inventory, struct torch_build *torch)
{
    struct str content;
    struct err err;
    for (size_t i = 0; i < inventory->site_packages.n; i++) {
        torch->path = path_join(arena, inventory->site_packages.v[i], "torch/version.py");
        if (!file_exists(torch->path) || !file_read(arena, torch->path, 65536, "torch", &content, &err))
            continue;
        torch->present = true;
        torch->version = quoted(arena, content, "__version__");
        torch->cuda = quoted(arena, content, "cuda");
    }
}

bool range_may_hold(const struct cuda_range *range, struct release release)
{
    struct release minor = {release.major, release.minor, -1};
    bool low =
        range->min.major < 0 || release_cmp(minor, (struct release){range->min.major, range->min.minor, -1}) >= 0;
    return low && (range->max.major < 0 || release_cmp(minor, range->max) < 0);
}
