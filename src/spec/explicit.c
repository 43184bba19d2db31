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

/* ".../CHANNEL/SUBDIR/NAME-VERSION-BUILD.conda#digest"; a channel of another host than conda's own is its address. */
static bool read_address(struct arena *arena, struct dep *dep)
{
    static const char own[] = "https://conda.anaconda.org/";
    struct str rest = str_of(dep->text), name, version, build, subdir;
    rest = str_slice(rest, 0, str_find(rest, '#'));
    if (!cut_last(&rest, '/', &name) || !cut_archive_suffix(&name) || !cut_last(&name, '-', &build)
        || !cut_last(&name, '-', &version) || !name.n || !version.n || !build.n)
        return false;
    dep->name = str_lower(arena, name);
    dep->version = str_dup(arena, version);
    dep->build = str_dup(arena, build);
    if (cut_last(&rest, '/', &subdir) && subdir.n && rest.n) {
        dep->subdir = str_dup(arena, subdir);
        dep->channel = str_dup(arena, str_starts(rest, own) ? str_slice(rest, sizeof own - 1, rest.n) : rest);
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
        if (!read_address(b->arena, dep))
            return building_fail(b, place, "write the address of one .conda or .tar.bz2 file",
                                 "\"%s\" is not the address of a package", dep->text);
    }
    return true;
}
