#include "check/twins.h"

#include <stdlib.h>
#include <string.h>

#include "check/common.h"
#include "util/file.h"
#include "util/path.h"

/* NVIDIA's libraries by the start of their names; the driver's own are not among them. */
static const char *const starts[] = {
    "libcudart.",   "libcudnn",      "libcublas",  "libnvblas.",  "libcufft",   "libcurand.", "libcusolver",
    "libcusparse",  "libnvJitLink.", "libnvrtc",   "libnccl.",    "libcupti.",  "libcufile",  "libnvToolsExt.",
    "libnvfatbin.", "libnpp",        "libnvjpeg.", "libcutensor", "libnvinfer", "libnvshmem",
};

bool twins_is_cuda_name(const char *name)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return strstr(name, ".so") != NULL;
    return false;
}

static bool is_known(const struct twins *twins, const struct twin *candidate)
{
    for (size_t i = 0; i < twins->n; i++)
        if (strcmp(twins->v[i].soname, candidate->soname) == 0 && strcmp(twins->v[i].real, candidate->real) == 0)
            return true;
    return false;
}

bool twin_read(const struct check_input *input, const char *path, struct twin *twin)
{
    const struct inventory *inventory = input->facts->inventory;
    struct elf elf;
    *twin = (struct twin){.path = path, .real = path_real(input->arena, path)};
    if (!twin->real || !elf_read(input->arena, twin->real, &elf) || !elf.soname)
        return false;
    twin->soname = elf.soname;
    twin->size = elf.size;
    twin->build_id = elf.build_id;
    twin->in_prefix = path_below(inventory->real, twin->real) || path_below(inventory->prefix, twin->path);
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        twin->by_pip |= path_below(inventory->site_packages.v[i], twin->path);
    return true;
}

/* The loader searches by names, so a file counts where it can be found by its soname. */
static void add_file(const struct check_input *input, const char *dir, const char *name, struct twins *twins)
{
    struct twin twin;
    if (twin_read(input, path_join(input->arena, dir, name), &twin) && strcmp(twin.soname, name) == 0
        && !is_known(twins, &twin))
        *vec_add(input->arena, twins) = twin;
}

static void add_dir(const struct check_input *input, const char *dir, struct twins *twins)
{
    struct strv names = {0};
    if (!dir_list(input->arena, dir, &names))
        return;
    for (size_t i = 0; i < names.n; i++)
        if (twins_is_cuda_name(names.v[i]))
            add_file(input, dir, names.v[i], twins);
}

static void add_wheels(const struct check_input *input, const char *site_packages, struct twins *twins)
{
    const char *nvidia = path_join(input->arena, site_packages, "nvidia");
    struct strv names = {0};
    if (dir_list(input->arena, nvidia, &names))
        for (size_t i = 0; i < names.n; i++)
            add_dir(input, arena_printf(input->arena, "%s/%s/lib", nvidia, names.v[i]), twins);
    add_dir(input, path_join(input->arena, site_packages, "torch/lib"), twins);
}

/* Several numbers joined by dots: what is read out of a file's name. */
static const char *name_version(const char *real)
{
    const char *suffix = strstr(path_basename(real), ".so.");
    size_t dots = 0;
    for (const char *c = suffix ? suffix + 4 : ""; *c; c++)
        dots += *c == '.';
    return dots >= 2 ? suffix + 4 : NULL;
}

/* Only numbers that begin as the soname's do count the library: libcupti.so.12 may be libcupti.so.2024.1.1. */
static bool counts(const char *soname, const char *version)
{
    const char *number = strstr(soname, ".so.");
    return number && version && atoi(number + 4) == atoi(version);
}

void twin_find_version(const struct check_input *input, struct twin *twin)
{
    const char *version = name_version(twin->real);
    if (counts(twin->soname, version)) {
        twin->version = version;
        return;
    }
    if (!twin->in_prefix)
        return;
    struct owner owner = inventory_owner(input->arena, input->facts->inventory, twin->path);
    if (owner.record && strcmp(owner.record->name, "cudatoolkit") != 0 && counts(twin->soname, owner.record->version))
        twin->version = owner.record->version;
}

/* Build-ids spare reading files of hundreds of megabytes. */
bool twins_are_copies(const struct check_input *input, const struct twin *left, const struct twin *right)
{
    if (left->size != right->size)
        return false;
    if (left->build_id && right->build_id)
        return strcmp(left->build_id, right->build_id) == 0;
    return cstr_eq(sha256_file(input->arena, left->real), sha256_file(input->arena, right->real));
}

static bool has_twin(const struct twins *twins, size_t index)
{
    for (size_t i = 0; i < twins->n; i++)
        if (i != index && strcmp(twins->v[i].soname, twins->v[index].soname) == 0)
            return true;
    return false;
}

void twins_find(const struct check_input *input, struct twins *twins)
{
    const struct inventory *inventory = input->facts->inventory;
    static const char *const dirs[] = {"lib", "lib64"};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        add_dir(input, path_join(input->arena, inventory->prefix, dirs[i]), twins);
    for (size_t i = 0; i < inventory->targets.n; i++)
        add_dir(input, arena_printf(input->arena, "%s/targets/%s/lib", inventory->prefix, inventory->targets.v[i]),
                twins);
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        add_wheels(input, inventory->site_packages.v[i], twins);
    struct strv elements = {0};
    check_library_path_elements(input, &elements);
    for (size_t i = 0; i < elements.n; i++)
        if (elements.v[i][0] == '/')
            add_dir(input, elements.v[i], twins);
    for (size_t i = 0; i < twins->n; i++)
        if (has_twin(twins, i))
            twin_find_version(input, &twins->v[i]);
}

int twins_compare(const struct twin *left, const struct twin *right)
{
    const char *a = left->version, *b = right->version;
    while (a && b && *a && *b) {
        char *a_end, *b_end;
        unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);
        if (x != y)
            return x < y ? -1 : 1;
        if (a_end == a || b_end == b || *a_end != '.' || *b_end != '.')
            break;
        a = a_end + 1;
        b = b_end + 1;
    }
    return 0;
}
