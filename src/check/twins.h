/* CUDA libraries that are there several times under one soname. */
#ifndef CONDAGPU_CHECK_TWINS_H
#define CONDAGPU_CHECK_TWINS_H

#include <stdbool.h>
#include <stdint.h>

#include "check/check.h"

/* One file of a soname; links that lead to it are no other file. */
struct twin {
    const char *soname;
    const char *path; /* as met */
    const char *real;
    const char *version; /* of the file's name or of the record that owns it; NULL when neither tells */
    bool in_prefix, by_pip;
    const char *build_id;
    uint64_t size;
};
struct twins {
    VEC(struct twin);
};

/* Every CUDA library that the prefix's library directories and LD_LIBRARY_PATH offer by its soname. Versions are looked
 * up only for sonames that have more than one file. */
void twins_find(const struct check_input *input, struct twins *twins);
/* One file, without its version; false when it is no library with a soname. */
bool twin_read(const struct check_input *input, const char *path, struct twin *twin);
void twin_find_version(const struct check_input *input, struct twin *twin);
/* Whether both are the same bytes. */
bool twins_are_copies(const struct check_input *input, const struct twin *left, const struct twin *right);
/* <0, 0, >0 by the numbers that both versions have; 0 where one is NULL. */
int twins_compare(const struct twin *left, const struct twin *right);

/* libcublas.so.12, libcudnn_ops.so.9, …: a library of the toolkit or beside it, not of the driver. */
bool twins_is_cuda_name(const char *name);

extern const char explain_same_soname[];
void check_same_soname(const struct check_input *input, struct result *result);

#endif
