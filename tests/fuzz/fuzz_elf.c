/* The readers of ELF files and of the loader's cache: the first byte says which. Whatever the file holds, strings end,
 * counts are bounded, and a release is one that CUDA could have. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/cache.h"
#include "loader/image.h"
#include "loader/loader.h"
#include "util/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_release(struct release release, const char *how)
{
    if (!how || release.major > 99 || release.minor > 49 || release.patch >= 0)
        abort();
}

static void read_elf(struct arena *arena, int fd, const char *path)
{
    struct elf elf;
    const char *how = NULL;
    if (elf_read_fd(arena, fd, path, 0, &elf) == (elf.problem != NULL) || elf.needed.n > 4096)
        abort();
    for (size_t i = 0; i < elf.needed.n; i++)
        if (strlen(elf.needed.v[i]) > 1024 * 1024)
            abort();
    struct release release = cudart_decode(arena, path, &how);
    check_release(release, how);
    how = NULL;
    release = cudart_decode_static(arena, path, &how);
    check_release(release, how);
}

static void read_cache(struct arena *arena, const char *path)
{
    struct strv hwcaps = {0};
    struct cache cache;
    strv_add(arena, &hwcaps, "x86-64-v3");
    if (cache_read(arena, path, image_host_machine(), &hwcaps, &cache)) {
        cache_lookup(&cache, "libcudart.so.12");
        cache_lookup(&cache, "libc.so.6");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    _cleanup_fd_ int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (size == 0 || fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        return 0;
    const char *path = arena_printf(arena, "/proc/self/fd/%d", fd);
    if (data[0] == 'c')
        read_cache(arena, path);
    else
        read_elf(arena, fd, path);
    return 0;
}
