#include "util/install.h"

#include <stdlib.h>

#include "util/file.h"
#include "util/path.h"

static const char *find(struct arena *arena, const char *variable, const char *beside, const char *configured)
{
    const char *chosen = getenv(variable);
    if (chosen && chosen[0])
        return chosen;
    const char *program = path_real(arena, "/proc/self/exe");
    if (program) {
        const char *root = path_dirname(arena, path_dirname(arena, program));
        const char *dir = path_join(arena, root, beside);
        if (file_is_dir(dir))
            return dir;
    }
    return configured;
}

const char *install_data_dir(struct arena *arena)
{
    return find(arena, "CONDAGPU_PKGDATADIR", "share/condagpu", PKGDATADIR);
}

const char *install_lib_dir(struct arena *arena)
{
    return find(arena, "CONDAGPU_PKGLIBDIR", "lib/condagpu", PKGLIBDIR);
}
