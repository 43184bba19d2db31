#include "util/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024 };

struct block {
    struct block *next;
    size_t size, used;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct block *blocks; /* the newest first */
    size_t next_size;
};

static struct block *block_new(size_t size)
{
    struct block *block = malloc(sizeof *block + size);
    if (!block)
        abort();
    block->next = NULL;
    block->size = size;
    block->used = 0;
    return block;
}

struct arena *arena_new(void)
{
    struct arena *arena = malloc(sizeof *arena);
    if (!arena)
        abort();
    arena->blocks = NULL;
    arena->next_size = FIRST_BLOCK;
    return arena;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void arena_cleanup(struct arena **arena)
{
    arena_free(*arena);
}

/* An allocation that is larger than a block gets one of its own behind the current one, which stays in use. */
static struct block *block_for(struct arena *arena, size_t size)
{
    struct block *current = arena->blocks;
    if (current && current->size - current->used >= size)
        return current;
    if (current && size > arena->next_size) {
        struct block *large = block_new(size);
        large->next = current->next;
        current->next = large;
        return large;
    }
    struct block *block = block_new(size > arena->next_size ? size : arena->next_size);
    block->next = current;
    arena->blocks = block;
    if (arena->next_size < LARGEST_BLOCK)
        arena->next_size *= 2;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        abort();
    size = (size + align - 1) / align * align;
    struct block *block = block_for(arena, size);
    char *bytes = block->bytes + block->used;
    block->used += size;
    return memset(bytes, 0, size);
}

char *arena_memdup(struct arena *arena, const void *bytes, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
    return string ? arena_memdup(arena, string, strlen(string)) : NULL;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        abort();
    char *string = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(string, (size_t)length + 1, format, again);
    va_end(again);
    return string;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *string = arena_vprintf(arena, format, args);
    va_end(args);
    return string;
}
