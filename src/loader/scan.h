/* Searching the contents of large ELF files in pieces, and what a search finds of the CUDA runtime. */
#ifndef CONDAGPU_LOADER_SCAN_H
#define CONDAGPU_LOADER_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/image.h"
#include "util/release.h"
#include "util/vec.h"

enum scan_part {
    SCAN_CONSTANTS, /* .rodata; without section headers, every segment that is not written */
    SCAN_CODE,      /* .text; without section headers, every segment that is executed */
};

enum { SCAN_BEHIND = 128 }; /* at least so many bytes follow what is found, except at the end of the part */

/* Calls `found` with each place that begins with the string `start` (NULL: every multiple of `step`), and the bytes
 * from there on; it returns false to end the search. */
void scan_bytes(struct arena *arena, const struct image *image, enum scan_part part, const char *start, size_t step,
                bool (*found)(void *context, const unsigned char *bytes, size_t size), void *context);

/* Whether section headers say that the file holds code for a GPU; false also when it has none to say so. */
bool scan_has_gpu_code(struct arena *arena, const struct image *image);

/* The names "libcudart.so.N" among the constants, each once, sorted. */
void scan_cudart_names(struct arena *arena, const struct image *image, struct strv *names);

/* Whether a static runtime's messages are among the constants, and its release. */
bool cudart_has_messages(struct arena *arena, const struct image *image);
struct release cudart_static_release(struct arena *arena, const struct image *image, const char **how);

#endif
