#include <string.h>

#include "prefix/inventory.h"
#include "util/file.h"
#include "util/path.h"

enum { LARGEST_VERSION_FILE = 64 * 1024 };

/* The value of "NAME = 'text'", with or without an annotation, at the start of a line. False when the line assigns
 * something else; *value is NULL for None. torch's build writes these lines: tools/generate_torch_version.py. */
static bool assigned(struct arena *arena, struct str line, const char *name, const char **value)
{
    size_t length = strlen(name), equal = str_find(line, '=');
    if (!str_starts(line, name) || line.n == length || equal == line.n)
        return false;
    struct str between = str_trim(str_slice(line, length, equal)), right = str_trim(str_slice(line, equal + 1, line.n));
    if (between.n && between.s[0] != ':')
        return false;
    if (str_eq_c(right, "None")) {
        *value = NULL;
        return true;
    }
    if (right.n < 2 || (right.s[0] != '\'' && right.s[0] != '"'))
        return false;
    char quote = right.s[0];
    right = str_slice(right, 1, right.n);
    size_t end = str_find(right, quote);
    *value = str_dup(arena, str_slice(right, 0, end));
    return end < right.n;
}

static bool read_version_file(struct arena *arena, const char *path, struct torch_build *torch)
{
    struct err ignored = {0};
    struct str rest, line;
    if (!file_exists(path) || !file_read(arena, path, LARGEST_VERSION_FILE, "torch", &rest, &ignored))
        return false;
    torch->present = true;
    torch->path = path;
    while (str_cut(&rest, '\n', &line))
        if (!assigned(arena, line, "__version__", &torch->version))
            assigned(arena, line, "cuda", &torch->cuda);
    return true;
}

/* pip takes the dist-info of what it replaces away, so a wheel's record is the later one. */
static const struct record *torch_record(const struct inventory *inventory)
{
    static const char *const names[] = {"pytorch", "libtorch", NULL};
    const struct record *record = inventory_find(inventory, RECORD_PIP, "torch");
    for (const char *const *name = names; !record && *name; name++)
        record = inventory_find(inventory, RECORD_CONDA, *name);
    return record;
}

void inventory_torch(struct arena *arena, const struct inventory *inventory, struct torch_build *torch)
{
    *torch = (struct torch_build){0};
    for (size_t i = 0; i < inventory->site_packages.n && !torch->present; i++)
        if (read_version_file(arena, path_join(arena, inventory->site_packages.v[i], "torch/version.py"), torch))
            torch->record = torch_record(inventory);
}
