#include "util/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *vec_reserve(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity ? *capacity * 2 : 8;
    if (larger > SIZE_MAX / 2 / item_size)
        abort();
    void *copy = arena_alloc(arena, larger * item_size);
    if (count)
        memcpy(copy, items, count * item_size);
    *capacity = larger;
    return copy;
}

void strv_add(struct arena *arena, struct strv *list, const char *string)
{
    *vec_add(arena, list) = string;
}

static int compare_strings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void strv_sort(struct strv *list)
{
    if (list->n)
        qsort(list->v, list->n, sizeof *list->v, compare_strings);
}

size_t strv_find(const struct strv *list, const char *string)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->v[i], string) != 0)
        i++;
    return i;
}
