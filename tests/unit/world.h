/* Facts built by hand, in a scratch prefix, for the tests of plans and checks. */
#ifndef CONDAGPU_TESTS_WORLD_H
#define CONDAGPU_TESTS_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts.h"
#include "plan/config.h"
#include "plan/plan.h"
#include "util/err.h"
#include "util/file.h"
#include "util/path.h"

struct world {
    struct arena *arena;
    struct inventory inventory;
    struct machine machine;
    struct spec spec;
    struct facts facts;
    struct config config;
    struct plan plan;
    struct err err;
    char *prefix; /* a scratch directory */
};

static inline void world_open(struct world *world)
{
    *world = (struct world){.arena = arena_new()};
    const char *tmp = getenv("TMPDIR");
    world->prefix = arena_printf(world->arena, "%s/condagpu-unit-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(world->prefix))
        abort();
    world->prefix = path_real(world->arena, world->prefix);
    world->inventory.prefix = world->inventory.real = world->prefix;
    world->inventory.is_conda = true;
    world->machine.source = "this machine";
    world->machine.root = "";
    world->machine.arch = "x86_64";
    world->machine.kernel = "6.1.0-13-amd64";
    world->machine.cpu = (struct cpu){.online = 16, .affinity = 16, .cores = 8, .usable = 8};
    world->facts = (struct facts){.data = data_new(world->arena, NULL), .inventory = &world->inventory, .machine = &world->machine};
    config_default(&world->config);
}

static inline void world_close(struct world *world)
{
    char *command = arena_printf(world->arena, "rm -rf '%s'", world->prefix);
    if (system(command) != 0)
        abort();
    arena_free(world->arena);
}

/* A file below the prefix, with its directories. */
static inline void world_file(struct world *world, const char *name, const char *content, mode_t mode)
{
    struct err err;
    const char *path = path_join(world->arena, world->prefix, name);
    if (!dir_make(path_dirname(world->arena, path), &err)
        || !file_write_atomic(path, (struct str){content, strlen(content)}, mode, &err))
        abort();
}

static inline void world_link(struct world *world, const char *name, const char *target)
{
    if (symlink(target, path_join(world->arena, world->prefix, name)) != 0)
        abort();
}

static inline void world_record(struct world *world, enum record_kind kind, const char *name, const char *version)
{
    struct record *record = vec_add(world->arena, &world->inventory.records);
    *record =
        (struct record){.kind = kind, .name = name, .version = version, .build = kind == RECORD_CONDA ? "0" : NULL};
}

/* One pin that decides: 12.4 by conda, say. */
static inline void world_pin(struct world *world, enum manager manager, const char *text, int major, int minor)
{
    struct pin *pin = vec_add(world->arena, &world->spec.pins);
    struct release release = {major, minor, -1}, next = {major, minor + 1, -1};
    *pin = (struct pin){.manager = manager,
                        .kind = PIN_MINOR,
                        .package = "cuda-version",
                        .text = text,
                        .file = "environment.yml",
                        .line = 7,
                        .release = text,
                        .cuda = {.min = release, .max = next}};
    world->spec.file = "environment.yml";
    world->spec.has_effective = true;
    world->spec.effective = pin->cuda;
    world->spec.release = release;
    world->spec.effective_text = text;
    world->spec.deciding = world->spec.pins.n - 1;
    world->facts.spec = &world->spec;
}

static inline void world_torch(struct world *world, const char *version, const char *cuda)
{
    const char *site = "lib/python3.11/site-packages";
    world_file(world, path_join(world->arena, site, "torch/version.py"),
               cuda ? arena_printf(world->arena, "__version__ = '%s'\ncuda = '%s'\n", version, cuda)
                    : arena_printf(world->arena, "__version__ = '%s'\ncuda = None\n", version),
               0644);
    const char *absolute = path_join(world->arena, world->prefix, site);
    if (strv_find(&world->inventory.site_packages, absolute) == world->inventory.site_packages.n)
        strv_add(world->arena, &world->inventory.site_packages, absolute);
}

static inline struct gpu *world_gpu(struct world *world, int major, int minor)
{
    struct gpu *gpu = vec_add(world->arena, &world->machine.gpus);
    *gpu = (struct gpu){.index = (unsigned)world->machine.gpus.n - 1,
                        .cc_major = major,
                        .cc_minor = minor,
                        .name = "GPU",
                        .uuid = "GPU-00000000-1111-2222-3333-444444444444"};
    return gpu;
}

/* A toolkit in the scratch prefix's neighbour directory NAME, with nvcc. */
static inline struct toolkit *world_toolkit(struct world *world, const char *root, const char *real, int major,
                                            int minor)
{
    struct toolkit *toolkit = vec_add(world->arena, &world->machine.toolkits);
    *toolkit = (struct toolkit){.root = root,
                                .real = real,
                                .release = {major, minor, -1},
                                .nvcc_release = {major, minor, -1},
                                .release_from = "version.json",
                                .nvcc = path_join(world->arena, real, "bin/nvcc")};
    return toolkit;
}

static inline bool world_plan(struct world *world)
{
    return plan_make(world->arena, &world->facts, &world->config, &world->plan, &world->err);
}

static inline const struct op *world_op(const struct world *world, const char *name, size_t nth)
{
    for (size_t i = 0; i < world->plan.ops.n; i++)
        if (strcmp(world->plan.ops.v[i].name, name) == 0 && nth-- == 0)
            return &world->plan.ops.v[i];
    return NULL;
}

/* The value, or "" when there is no such operation. */
static inline const char *world_value(const struct world *world, const char *name, size_t nth)
{
    const struct op *op = world_op(world, name, nth);
    return op ? op->value : "";
}

static inline const char *world_abstention(const struct world *world, const char *rule)
{
    for (size_t i = 0; i < world->plan.abstentions.n; i++)
        if (strcmp(world->plan.abstentions.v[i].rule, rule) == 0)
            return world->plan.abstentions.v[i].why;
    return "";
}

#endif
