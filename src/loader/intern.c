#include "loader/intern.h"

#include <string.h>

enum { FIRST_BUCKETS = 1024 };

/* FNV-1a, with a last mix because buckets are taken from the low bits. */
static uint32_t hash_bytes(const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void grow(struct intern *table)
{
    size_t cap = table->cap ? table->cap * 4 : FIRST_BUCKETS;
    struct intern_entry **buckets = arena_alloc(table->arena, cap * sizeof *buckets);
    for (size_t i = 0; i < table->cap; i++)
        for (struct intern_entry *entry = table->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->hash & (cap - 1)];
            buckets[entry->hash & (cap - 1)] = entry;
        }
    table->buckets = buckets;
    table->cap = cap;
}

static struct intern_entry *find(const struct intern *table, uint32_t hash, const void *key, size_t size)
{
    if (table->cap == 0)
        return NULL;
    for (struct intern_entry *entry = table->buckets[hash & (table->cap - 1)]; entry; entry = entry->next)
        if (entry->hash == hash && entry->size == size && memcmp(entry->key, key, size) == 0)
            return entry;
    return NULL;
}

struct intern_entry *intern_find(const struct intern *table, const void *key, size_t size)
{
    return find(table, hash_bytes(key, size), key, size);
}

struct intern_entry *intern(struct intern *table, const void *key, size_t size)
{
    uint32_t hash = hash_bytes(key, size);
    struct intern_entry *entry = find(table, hash, key, size);
    if (entry)
        return entry;
    if (table->n >= table->cap)
        grow(table);
    struct intern_entry **bucket = &table->buckets[hash & (table->cap - 1)];
    entry = arena_alloc(table->arena, sizeof *entry + size + 1);
    entry->hash = hash;
    entry->size = (uint32_t)size;
    if (size)
        memcpy(entry->key, key, size);
    entry->next = *bucket;
    *bucket = entry;
    table->n++;
    return entry;
}
