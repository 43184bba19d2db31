/* condagpu.yml: what the user decides instead of the rules. Documented in condagpu.yml(5). */
#ifndef CONDAGPU_PLAN_CONFIG_H
#define CONDAGPU_PLAN_CONFIG_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

enum library_mode { LIBRARY_NARROW, LIBRARY_PREFIX, LIBRARY_APPEND, LIBRARY_NONE };

/* A setting and where it stands, for messages. */
struct setting {
    const char *value; /* NULL: not set in the file: the rule decides ("auto" is read as NULL) */
    unsigned line, column;
};

struct config_variable {
    const char *name, *value;
    unsigned line, column;
};

/* The keys, as "rule: key" in the file. "none" switches a rule off. */
struct config {
    const char *file;    /* NULL: there is none, everything is auto */
    const char *sha256;
    struct setting cuda_home;        /* cuda-home: auto | none | DIRECTORY */
    struct setting path;             /* path: auto | none | prepend */
    enum library_mode library_mode;  /* library-path: mode: narrow | prefix | append | none */
    struct setting library_mode_setting;
    struct setting threads;          /* threads: count: auto | none | N */
    struct setting ranks;            /* threads: ranks: N, processes that share the machine */
    struct setting allocator;        /* allocator: pytorch: auto | none | the option string */
    struct setting jax_allocator;    /* allocator: jax: none | platform | … */
    struct setting jax_fraction;     /* allocator: jax-fraction */
    struct setting tf_allocator;     /* allocator: tensorflow: none | growth | async */
    struct setting arch;             /* arch: auto | none | list of compute capabilities */
    struct setting device_order;     /* devices: order: auto | none */
    struct setting visible;          /* devices: visible: list */
    struct setting nccl_socket_ifname, nccl_ib_disable, nccl_p2p_disable, nccl_debug; /* nccl: socket-ifname: … */
    struct setting xla_data_dir;     /* xla: cuda-data-dir: auto | none */
    struct setting malloc_arena_max; /* malloc: arena-max: N */
    struct { VEC(struct config_variable); } variables; /* variables: NAME: value, set as given */
};

void config_default(struct config *config);
/* ERR_INPUT with line and column; an unknown key names the nearest. */
bool config_read(struct arena *arena, const char *path, struct config *config, struct err *err);

#endif
