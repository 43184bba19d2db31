/* What the readers of environment variables take. Pure functions: a name and a value in, a verdict out.
 * The grammars are stricter than the readers wherever a reader takes nonsense in silence. */
#ifndef CONDAGPU_PLAN_GRAMMAR_H
#define CONDAGPU_PLAN_GRAMMAR_H

#include <stdbool.h>

#include "data/table.h"
#include "util/arena.h"
#include "util/release.h"
#include "util/str.h"

enum value_level {
    VALUE_GOOD,
    VALUE_DOUBTFUL, /* taken, but not with the effect that its writer expects, or not by every reader */
    VALUE_BAD,      /* an error in the reader, or ignored in silence */
};

struct verdict {
    enum value_level level;
    const char *why; /* one line: what is wrong and what the reader does; NULL for VALUE_GOOD */
};

/* Who reads: releases that are RELEASE_NONE are not known, and the strictest reader is assumed. */
struct grammar {
    struct arena *arena;
    struct data *data;
    struct release torch, nccl, glibc;
};

/* The verdict on NAME=value; VALUE_GOOD for a name that has no grammar here, save that an empty value is always bad. */
struct verdict grammar_check(const struct grammar *grammar, const char *name, const char *value);
/* Whether `name` has a grammar here or is a variable of NCCL. */
bool grammar_knows(const struct grammar *grammar, const char *name);
/* The known name that `name` looks like a misspelling of; NULL when it is known itself or resembles none. */
const char *grammar_nearest(const struct grammar *grammar, const char *name);

/* One of each, for grammar_check() and for the rules. */
struct verdict grammar_alloc_conf(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_torch_arch_list(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_cudaarchs(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_threads(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_proc_bind(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_places(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_blocktime(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_visible_devices(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_integer(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_switch(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_names(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_level(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_debug(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_nccl_any(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_malloc_conf(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_glibc_tunables(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_xla_allocator(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_fraction(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_cupy_limit(const struct grammar *grammar, const char *name, const char *value);
struct verdict grammar_presence(const struct grammar *grammar, const char *name, const char *value);

/* Whether a compute capability ("8.6", "9.0a") is one that this torch's TORCH_CUDA_ARCH_LIST takes. */
struct verdict grammar_torch_arch(const struct grammar *grammar, const char *capability);
/* Whether `name` is one of the interfaces that a value of NCCL_SOCKET_IFNAME or NCCL_IB_HCA selects. */
bool grammar_nccl_selects(const struct grammar *grammar, const char *value, const char *name);

struct verdict verdict_good(void);
struct verdict verdict_of(const struct grammar *grammar, enum value_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The worse of two; the first when they are alike. */
struct verdict verdict_worse(struct verdict first, struct verdict second);
/* A decimal number without sign, leading zeros or anything behind it. */
bool grammar_is_number(struct str text);
/* A POSIX extended regular expression holds for the whole value. */
bool grammar_matches(const char *expression, const char *value);

#endif
