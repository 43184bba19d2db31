/* Where the program's own files are. */
#ifndef CONDAGPU_UTIL_INSTALL_H
#define CONDAGPU_UTIL_INSTALL_H

#include "util/arena.h"

/* The directory with templates/ and schemas/: $CONDAGPU_PKGDATADIR, else share/condagpu beside the directory of the
 * running program (an environment may have been moved), else the configured one. */
const char *install_data_dir(struct arena *arena);
/* The directory with the modules that are preloaded: $CONDAGPU_PKGLIBDIR, else lib/condagpu likewise. */
const char *install_lib_dir(struct arena *arena);

#endif
