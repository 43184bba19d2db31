#include "spec/explicit.h"

#include <string.h>

bool is_explicit(struct str content)
{
    struct str rest = content, line;
    while (str_cut(&rest, '\n', &line))
        if (str_eq_c(str_trim(line), "@EXPLICIT"))
            return true;
    return false;
}

/* Cuts the part behind the last `separator` off `text`; false when there is none. */
static bool cut_last(struct str *text, char separator, struct str *part)
{
    size_t at = text->n;
    while (at > 0 && text->s[at - 1] != separator)
        at--;
    if (at == 0)
        return false;
    *part = str_slice(*text, at, text->n);
    *text = str_slice(*text, 0, at - 1);
    return true;
}

static bool cut_archive_suffix(struct str *name)
{
    static const char *const suffixes[] = {".conda", ".tar.bz2"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (str_ends(*name, suffixes[i])) {
            name->n -= strlen(suffixes[i]);
            return true;
        }
    return false;
}

char *channel_of(struct arena *arena, struct str address)
{
    static const char own[] = "https://conda.anaconda.org/";
    if (str_starts(address, own))
        address = str_slice(address, sizeof own - 1, address.n);
    while (str_ends(address, "/"))
        address.n--;
    return str_dup(arena, address);
}

bool package_address(struct arena *arena, struct str address, struct dep *dep)
{
    struct str rest = str_slice(address, 0, str_find(address, '#')), name, version, build, subdir;
    if (!cut_last(&rest, '/', &name) || !cut_archive_suffix(&name) || !cut_last(&name, '-', &build)
        || !cut_last(&name, '-', &version) || !name.n || !version.n || !build.n)
        return false;
    dep->name = str_lower(arena, name);
    dep->version = str_dup(arena, version);
    dep->build = str_dup(arena, build);
    if (cut_last(&rest, '/', &subdir) && subdir.n && rest.n) {
        dep->subdir = str_dup(arena, subdir);
        dep->channel = channel_of(arena, rest);
    }
    return true;
}

bool explicit_read(struct building *b)
{
    struct str rest = b->spec->content, line;
    b->spec->format = "explicit";
    for (unsigned number = 1; str_cut(&rest, '\n', &line); number++) {
        struct str text = str_trim(line);
        struct place place = {b->spec->file, number, (unsigned)(text.s - line.s) + 1};
        if (!text.n || text.s[0] == '#' || str_eq_c(text, "@EXPLICIT"))
            continue;
        if (!building_room(b, place))
            return false;
        struct dep *dep = building_dep(b, MANAGER_CONDA, place, text);
        if (!package_address(b->arena, str_of(dep->text), dep))
            return building_fail(b, place, "write the address of one .conda or .tar.bz2 file",
                                 "\"%s\" is not the address of a package", dep->text);
    }
    return true;
}
