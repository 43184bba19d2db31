#include "probe/vendor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "util/arena.h"
#include "util/text.h"

/* Where the driver's libraries are when the loader does not know: WSL 2, NixOS, Debian, Fedora, container images,
 * Tegra. */
static const char *const directories[] = {
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu/nvidia",
    "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/lib64",
    "/usr/lib64/nvidia",
    "/usr/local/nvidia/lib64",
};

void vendor_say(int fd, const char *key, const char *text)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    dprintf(fd, "%s\t%s\n", key, text_printable(arena, str_of(text)));
}

void *vendor_open(const char *name, int fd)
{
    /* What the library prints is no part of our output. */
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        vendor_say(fd, "library", name);
        return library;
    }
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", directories[i], name);
        library = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (library) {
            vendor_say(fd, "library", path);
            return library;
        }
    }
    return NULL;
}
