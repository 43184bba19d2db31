/* A hash table that gives equal keys the same entry, for as long as the arena lives. */
#ifndef CONDAGPU_LOADER_INTERN_H
#define CONDAGPU_LOADER_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

struct intern_entry {
    struct intern_entry *next;
    void *value; /* the user's; NULL in a new entry */
    uint32_t hash, size;
    char key[]; /* with a NUL behind it */
};

struct intern {
    struct arena *arena;
    struct intern_entry **buckets;
    size_t n, cap;
};

/* The entry of `size` bytes at `key`, made when there is none. */
struct intern_entry *intern(struct intern *table, const void *key, size_t size);
/* The entry, or NULL. */
struct intern_entry *intern_find(const struct intern *table, const void *key, size_t size);

#endif
