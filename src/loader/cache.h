/* /etc/ld.so.cache, as ldconfig writes it (glibc's elf/cache.c, sysdeps/generic/dl-cache.h). */
#ifndef CONDAGPU_LOADER_CACHE_H
#define CONDAGPU_LOADER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/str.h"
#include "util/vec.h"

struct cache {
    const char *path;
    struct str bytes;                   /* from the new table's header on; n 0: no cache that can be used */
    uint32_t count;                     /* entries */
    int32_t wanted;                     /* the flags of this machine's libraries */
    const struct strv *hwcaps;          /* active glibc-hwcaps names, the best first */
    uint32_t names_offset, names_count; /* of the extension that names hwcaps */
};

/* False when there is no cache or it is malformed, which the loader takes for none. */
bool cache_read(struct arena *arena, const char *path, uint16_t machine, const struct strv *hwcaps,
                struct cache *cache);
/* The path that the loader takes from the cache for `name`, or NULL: a pointer into the cache. */
const char *cache_lookup(const struct cache *cache, const char *name);

#endif
