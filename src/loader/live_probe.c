/* Preloaded into a program, it opens the library that CONDAGPU_LIVE_NAME names as that program would, and writes one
 * line to the descriptor CONDAGPU_LIVE_FD (standard output without it):
 *
 *     loaded STATUS VERSION PATH     what cudaRuntimeGetVersion returned and said
 *     nocall PATH                    the library has no such function
 *     missing MESSAGE                dlerror
 *
 * with tabs between the words, and ends the process before the program itself begins. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answer(int fd, void *library)
{
    struct link_map *map = NULL;
    int (*get_version)(int *) = NULL;
    int version = 0;
    if (!library) {
        dprintf(fd, "missing\t%s\n", dlerror());
        return;
    }
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        dprintf(fd, "missing\t%s\n", dlerror());
        return;
    }
    /* POSIX guarantees that the bytes of one are those of the other. */
    void *symbol = dlsym(library, "cudaRuntimeGetVersion");
    memcpy(&get_version, &symbol, sizeof get_version);
    if (!get_version) {
        dprintf(fd, "nocall\t%s\n", map->l_name);
        return;
    }
    int status = get_version(&version);
    dprintf(fd, "loaded\t%d\t%d\t%s\n", status, version, map->l_name);
}

__attribute__((constructor)) static void probe(void)
{
    const char *name = getenv("CONDAGPU_LIVE_NAME"), *fd = getenv("CONDAGPU_LIVE_FD");
    if (!name)
        return;
    answer(fd ? atoi(fd) : STDOUT_FILENO, dlopen(name, RTLD_NOW | RTLD_LOCAL));
    _exit(0);
}
