#include "loader/intern.h"

#include <string.h>

enum { FIRST_BUCKETS = 1024, MOST_PER_BUCKET = 2 };

/* Multiply and fold, eight bytes at a time: keys are names and small structs of pointers. */
static uint32_t hash_bytes(const void *key, size_t size)
{
    const unsigned char *bytes = key;
    uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= sizeof(uint64_t); bytes += sizeof(uint64_t), size -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    uint64_t last = 0;
    memcpy(&last, bytes, size);
    hash = (hash ^ last) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(hash ^ hash >> 32);
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
    if (table->n >= table->cap * MOST_PER_BUCKET)
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
