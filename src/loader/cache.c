#include "loader/cache.h"

#include <elf.h>
#include <string.h>

#include "util/err.h"
#include "util/file.h"

/* Old table: magic, count, entries of 12 bytes; the new one may follow it, aligned to 8. */
static const char old_magic[] = "ld.so-1.7.0", new_magic[] = "glibc-ld.so.cache1.1";

enum {
    MOST_BYTES = 64 * 1024 * 1024,
    OLD_HEADER = 16,
    OLD_ENTRY = 12,
    NEW_HEADER = 48,
    NEW_ENTRY = 24,
    EXTENSION_ROW = 16,
    EXTENSION_HWCAPS = 1,
};
static const uint32_t extension_magic = UINT32_C(0xeaa42174);

static uint32_t read32(struct str bytes, size_t at)
{
    uint32_t value = 0;
    if (at <= bytes.n && bytes.n - at >= sizeof value)
        memcpy(&value, bytes.s + at, sizeof value);
    return value;
}

static uint64_t read64(struct str bytes, size_t at)
{
    uint64_t value = 0;
    if (at <= bytes.n && bytes.n - at >= sizeof value)
        memcpy(&value, bytes.s + at, sizeof value);
    return value;
}

/* A string that ends inside the cache, or NULL. */
static const char *string_at(struct str bytes, uint32_t at)
{
    return at < bytes.n && memchr(bytes.s + at, '\0', bytes.n - at) ? bytes.s + at : NULL;
}

static struct str find_new_table(struct str bytes)
{
    if (str_starts(bytes, new_magic))
        return bytes;
    if (!str_starts(bytes, old_magic))
        return (struct str){NULL, 0};
    uint64_t end = OLD_HEADER + (uint64_t)read32(bytes, 12) * OLD_ENTRY;
    end = (end + 7) & ~UINT64_C(7);
    if (end >= bytes.n)
        return (struct str){NULL, 0};
    struct str rest = str_slice(bytes, (size_t)end, bytes.n);
    return str_starts(rest, new_magic) ? rest : (struct str){NULL, 0};
}

static void find_hwcap_names(struct cache *cache)
{
    uint32_t at = read32(cache->bytes, 32);
    if (at == 0 || read32(cache->bytes, at) != extension_magic)
        return;
    uint32_t count = read32(cache->bytes, at + 4);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        size_t row = (size_t)at + 8 + (size_t)i * EXTENSION_ROW;
        if (read32(cache->bytes, row) != EXTENSION_HWCAPS)
            continue;
        cache->names_offset = read32(cache->bytes, row + 8);
        cache->names_count = read32(cache->bytes, row + 12) / 4;
    }
}

bool cache_read(struct arena *arena, const char *path, uint16_t machine, const struct strv *hwcaps, struct cache *cache)
{
    struct str content;
    struct err err;
    *cache = (struct cache){.path = path, .hwcaps = hwcaps};
    if (!file_read(arena, path, MOST_BYTES, "loader cache", &content, &err))
        return false;
    struct str table = find_new_table(content);
    if (table.n < NEW_HEADER)
        return false;
    uint32_t count = read32(table, 20);
    unsigned char order = (unsigned char)table.s[28] & 3;
    if (count > (table.n - NEW_HEADER) / NEW_ENTRY || (order != 0 && order != 2)) /* 2: little endian */
        return false;
    cache->bytes = table;
    cache->count = count;
    cache->wanted = machine == EM_AARCH64 ? 0x0a03 : 0x0303;
    find_hwcap_names(cache);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned long take_number(const char **text)
{
    unsigned long number = 0;
    for (; is_digit(**text); (*text)++)
        number = number * 10 + (unsigned long)(**text - '0');
    return number;
}

/* The order of the cache: runs of digits compare as numbers (_dl_cache_libcmp). */
static int compare_names(const char *left, const char *right)
{
    while (*left) {
        if (is_digit(*left) && is_digit(*right)) {
            unsigned long a = take_number(&left), b = take_number(&right);
            if (a != b)
                return a < b ? -1 : 1;
        } else if (is_digit(*left) || is_digit(*right))
            return is_digit(*left) ? 1 : -1;
        else if (*left != *right)
            return (unsigned char)*left < (unsigned char)*right ? -1 : 1;
        else {
            left++;
            right++;
        }
    }
    return *right ? -1 : 0;
}

static size_t entry_at(uint32_t index)
{
    return NEW_HEADER + (size_t)index * NEW_ENTRY;
}

static const char *key_of(const struct cache *cache, uint32_t index)
{
    const char *key = string_at(cache->bytes, read32(cache->bytes, entry_at(index) + 4));
    return key ? key : "";
}

/* How far from the best an entry is: 0 for the best hwcaps subdirectory, hwcaps->n for a plain entry; -1 when this
 * processor does not take it. Entries with the bits of older schemes are not used since 2.37. */
static int distance(const struct cache *cache, uint32_t index)
{
    uint64_t hwcap = read64(cache->bytes, entry_at(index) + 16);
    if (hwcap == 0)
        return (int)cache->hwcaps->n;
    uint32_t number = (uint32_t)hwcap;
    if (!(hwcap >> 62 & 1) || number >= cache->names_count)
        return -1;
    const char *name = string_at(cache->bytes, read32(cache->bytes, (size_t)cache->names_offset + (size_t)number * 4));
    size_t at = name ? strv_find(cache->hwcaps, name) : cache->hwcaps->n;
    return at < cache->hwcaps->n ? (int)at : -1;
}

/* The best among the entries with the key of `index`, which stand side by side. */
static const char *best_of(const struct cache *cache, const char *name, uint32_t index)
{
    const char *best = NULL;
    int least = -1;
    while (index > 0 && compare_names(name, key_of(cache, index - 1)) == 0)
        index--;
    for (; index < cache->count && compare_names(name, key_of(cache, index)) == 0; index++) {
        int far = distance(cache, index);
        if ((int32_t)read32(cache->bytes, entry_at(index)) != cache->wanted || far < 0)
            continue;
        const char *path = string_at(cache->bytes, read32(cache->bytes, entry_at(index) + 8));
        if (path && (least < 0 || far < least)) {
            least = far;
            best = path;
        }
    }
    return best;
}

const char *cache_lookup(const struct cache *cache, const char *name)
{
    uint32_t low = 0, high = cache->bytes.n ? cache->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_names(name, key_of(cache, middle));
        if (order == 0)
            return best_of(cache, name, middle);
        if (order < 0) /* descending */
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
