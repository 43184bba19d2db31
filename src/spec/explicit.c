#include "spec/explicit.h"

#include "spec/matchspec.h"

bool is_explicit(struct str content)
{
    struct str rest = content, line;
    while (str_cut(&rest, '\n', &line))
        if (str_eq_c(str_trim(line), "@EXPLICIT"))
            return true;
    return false;
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
        if (!matchspec_read_address(b->arena, dep, text))
            return building_fail(b, place, "write the address of one .conda or .tar.bz2 file",
                                 "\"%s\" is not the address of a package", dep->text);
    }
    return true;
}
