/* One arena a run owns all memory, so nothing is freed piece by piece. */
#ifndef CONDAGPU_UTIL_ARENA_H
#define CONDAGPU_UTIL_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

/* A new, empty arena. Aborts when memory is exhausted, as every function here does. */
struct arena *arena_new(void);

/* Frees the arena and all that was allocated from it; NULL is allowed. */
void arena_free(struct arena *arena);

/* `size` zeroed bytes, aligned for any object. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of `size` bytes, with a NUL behind them. */
char *arena_memdup(struct arena *arena, const void *bytes, size_t size);

/* A copy of a C string; NULL gives NULL. */
char *arena_strdup(struct arena *arena, const char *string);

/* A formatted string. */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Frees an arena at the end of a scope: `_cleanup_arena_ struct arena *arena = arena_new();` */
void arena_cleanup(struct arena **arena);
#define _cleanup_arena_ __attribute__((cleanup(arena_cleanup)))

#endif
