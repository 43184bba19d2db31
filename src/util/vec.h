/* Growing arrays in an arena. */
#ifndef CONDAGPU_UTIL_VEC_H
#define CONDAGPU_UTIL_VEC_H

#include <stddef.h>

#include "util/arena.h"

/* The members of a growing array of T: `struct pins { VEC(struct pin) };` */
#define VEC(T)                                                                                                        \
    T *v;                                                                                                             \
    size_t n, cap

/* A pointer to one more, zeroed element of `vec` (a pointer to a struct with VEC members). */
#define vec_add(arena, vec)                                                                                           \
    ((vec)->v = vec_reserve((arena), (vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v), &(vec)->v[(vec)->n++])

void *vec_reserve(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);

/* A list of C strings, the most common array. */
struct strv {
    VEC(const char *);
};

void strv_add(struct arena *arena, struct strv *list, const char *string);
/* Ascending, by bytes. */
void strv_sort(struct strv *list);
/* Index of `string`, or list->n. */
size_t strv_find(const struct strv *list, const char *string);

#endif
