/* The few machine instructions by which a CUDA runtime states its release. */
#ifndef CONDAGPU_LOADER_CODE_H
#define CONDAGPU_LOADER_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_LONGEST = 64 }; /* bytes that a function which stores a constant may take */

/* A machine whose code is understood. */
struct code {
    uint16_t machine;  /* e_machine */
    size_t step;       /* instructions begin at multiples of this */
    const char *start; /* bytes that every such function has at its start or close behind it; NULL for any */
    /* Whether `code` begins a function that stores a constant through its first argument, which it tests for NULL
     * before, and returns 0; every instruction up to the return has to be one that is known. */
    bool (*stores_constant)(const unsigned char *code, size_t size, uint32_t *constant);
    /* Whether `code` begins with a direct call, and its target relative to the call. */
    bool (*calls)(const unsigned char *code, size_t size, int64_t *target);
};

/* NULL for a machine that is not known: x86-64 and aarch64 are. */
const struct code *code_for(uint16_t machine);

#endif
