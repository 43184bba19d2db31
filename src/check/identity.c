#include <jansson.h>
#include <string.h>

#include "check/cudart.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

/* One way of reading the release. */
struct reading {
    struct release release;
    const char *source; /* "record cuda-cudart_linux-64 12.4.127" */
};

struct readings {
    VEC(struct reading);
};

static void add(const struct check_input *input, struct readings *readings, struct release release, const char *source)
{
    if (release.major >= 0)
        *vec_add(input->arena, readings) = (struct reading){release, source};
}

/* libcudart.so.12.4.127 says it all; libcudart.so.12 and libcudart.so.11.0 are sonames and say too little. */
static void read_name(const struct check_input *input, const char *real, struct readings *readings)
{
    struct str name = str_of(path_basename(real));
    struct release release;
    const char *suffix = strstr(name.s, ".so.");
    if (suffix && release_parse(str_of(suffix + 4), &release) && release.patch >= 0)
        add(input, readings, release, arena_printf(input->arena, "file name %s", name.s));
}

static void read_code(const struct check_input *input, const char *real, struct readings *readings)
{
    const char *how = NULL;
    struct release release = cudart_decode(input->arena, real, &how);
    add(input, readings, release,
        arena_printf(input->arena, "its code %s", release_text(input->arena, release)));
}

static void read_fingerprint(const struct check_input *input, const char *real, struct readings *readings)
{
    struct err err;
    struct elf elf;
    struct release release;
    const struct table *known = data_table(input->facts->data, "cudart_fingerprint", &err);
    if (!known || !elf_read(input->arena, real, &elf) || !elf.build_id)
        return;
    size_t row = table_find(known, "gnu_build_id", elf.build_id);
    const char *version = row < known->rows ? table_cell(known, row, "libcudart_version") : NULL;
    if (version && release_parse(str_of(version), &release))
        add(input, readings, release, arena_printf(input->arena, "build-id %.8s", elf.build_id));
}

/* cudatoolkit's version is a toolkit's from 11.0 on, and libcudart's own before (src/data/cuda_release.tsv). */
static struct release release_of_toolkit_record(const struct check_input *input, const char *version)
{
    struct err err;
    struct release release = RELEASE_NONE;
    const struct table *releases = data_table(input->facts->data, "cuda_release", &err);
    size_t row = releases ? table_find(releases, "cuda_release", version) : 0;
    const char *build = releases && row < releases->rows ? table_cell(releases, row, "libcudart_version") : NULL;
    if (build && release_parse(str_of(build), &release))
        return release;
    if (release_parse(str_of(version), &release))
        release.patch = -1;
    return release;
}

static struct release release_of_record(const struct check_input *input, const struct record *record)
{
    struct release release = RELEASE_NONE;
    struct str name = str_of(record->name);
    if (str_eq_c(name, "cudatoolkit"))
        return release_of_toolkit_record(input, record->version);
    if (str_starts(name, "cuda-cudart") || str_starts(name, "nvidia-cuda-runtime"))
        release_parse(str_of(record->version), &release);
    return release;
}

struct release cudart_installed(const struct check_input *input)
{
    const struct inventory *inventory = input->facts->inventory;
    struct release latest = RELEASE_NONE;
    for (size_t i = 0; i < inventory->records.n; i++) {
        struct release release = release_of_record(input, &inventory->records.v[i]);
        if (release_cmp(release, latest) > 0)
            latest = release;
    }
    return latest;
}

static void read_record(const struct check_input *input, struct identity *identity, struct readings *readings)
{
    struct owner owner = inventory_owner(input->arena, input->facts->inventory, identity->real);
    if (!owner.record)
        owner = inventory_owner(input->arena, input->facts->inventory, identity->path);
    if (!owner.record)
        return;
    add(input, readings, release_of_record(input, owner.record),
        arena_printf(input->arena, "record %s %s", owner.record->name, owner.record->version));
    const char *sha256 = owner.sha256 ? sha256_file(input->arena, identity->real) : NULL;
    if (sha256 && strcmp(sha256, owner.sha256) != 0)
        identity->disagreement = arena_printf(input->arena, "it is not the file that %s %s installed (SHA-256 differs)",
                                              owner.record->name, owner.record->version);
}

/* NVIDIA's own toolkits: <root>/version.json beside lib64 or above targets/<t>/lib. */
static void read_version_json(const struct check_input *input, const char *real, struct readings *readings)
{
    const char *dir = path_dirname(input->arena, real);
    for (int up = 0; up < 3; up++) {
        dir = path_dirname(input->arena, dir);
        const char *file = path_join(input->arena, dir, "version.json");
        json_t *root = file_is_regular(file) ? json_load_file(file, 0, NULL) : NULL;
        const char *version =
            json_string_value(json_object_get(json_object_get(root, "cuda_cudart"), "version"));
        struct release release;
        if (version && release_parse(str_of(version), &release))
            add(input, readings, release, arena_printf(input->arena, "%s", file));
        json_decref(root);
        if (root)
            return;
    }
}

static int known_parts(struct release release)
{
    return (release.major >= 0) + (release.minor >= 0) + (release.patch >= 0);
}

static void combine(const struct check_input *input, const struct readings *readings, struct identity *identity)
{
    struct text how = {.arena = input->arena};
    identity->release = RELEASE_NONE;
    for (size_t i = 0; i < readings->n; i++) {
        const struct reading *reading = &readings->v[i];
        text_add(&how, "%s%s", i ? "; " : "", reading->source);
        for (size_t j = 0; j < i && !identity->disagreement; j++)
            if (!release_agree(reading->release, readings->v[j].release))
                identity->disagreement =
                    arena_printf(input->arena, "%s says %s, but %s says %s", readings->v[j].source,
                                 release_text(input->arena, readings->v[j].release), reading->source,
                                 release_text(input->arena, reading->release));
        if (known_parts(reading->release) > known_parts(identity->release))
            identity->release = reading->release;
    }
    identity->how = how.n ? how.s : "nothing in it tells its release";
}

void cudart_identify(const struct check_input *input, const char *path, int called, struct identity *identity)
{
    const struct inventory *inventory = input->facts->inventory;
    struct readings readings = {0};
    *identity = (struct identity){.path = path, .real = path_real(input->arena, path)};
    if (!identity->real)
        identity->real = path;
    identity->in_prefix = path_below(inventory->real, identity->real) || path_below(inventory->prefix, path);
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        identity->by_pip |= path_below(inventory->site_packages.v[i], identity->real);
    if (identity->in_prefix)
        read_record(input, identity, &readings);
    else
        read_version_json(input, identity->real, &readings);
    read_name(input, identity->real, &readings);
    read_fingerprint(input, identity->real, &readings);
    read_code(input, identity->real, &readings);
    if (called)
        add(input, &readings, release_from_int(called),
            arena_printf(input->arena, "cudaRuntimeGetVersion %s", release_text(input->arena, release_from_int(called))));
    combine(input, &readings, identity);
}

/* Whether a toolkit release X.Y.Z ships this libcudart build, by src/data/cuda_release.tsv. */
static enum fit release_ships(const struct check_input *input, const char *toolkit, struct release build)
{
    struct err err;
    struct release wanted, shipped;
    const struct table *releases = data_table(input->facts->data, "cuda_release", &err);
    if (!release_parse(str_of(toolkit), &wanted) || build.major != wanted.major
        || (build.minor >= 0 && wanted.minor >= 0 && build.minor != wanted.minor))
        return FIT_NO;
    size_t row = releases ? table_find(releases, "cuda_release", toolkit) : 0;
    if (!releases || row == releases->rows || build.patch < 0)
        return FIT_UNVERIFIABLE;
    if (!release_parse(str_of(table_cell(releases, row, "libcudart_version")), &shipped))
        return FIT_UNVERIFIABLE;
    return release_agree(shipped, build) ? FIT_YES : FIT_NO;
}

static enum fit fits_one(const struct check_input *input, const struct alternative *asked, struct release release)
{
    struct release wanted;
    if (release.major < 0)
        return FIT_NO;
    if (asked->kind == PIN_BUILD && release_parse(str_of(asked->release), &wanted)) {
        if (!release_agree(wanted, release))
            return FIT_NO;
        return wanted.patch >= 0 && release.patch < 0 ? FIT_UNVERIFIABLE : FIT_YES;
    }
    if (asked->kind == PIN_RELEASE)
        return release_ships(input, asked->release, release);
    /* A minor or a bound speaks of releases: the build number of the file is no part of that. */
    return range_may_hold(&asked->cuda, (struct release){release.major, release.minor, -1}) ? FIT_YES : FIT_NO;
}

/* The best that any of the alternatives gives. */
static enum fit fits_pin(const struct check_input *input, const struct pin *pin, struct release release)
{
    enum fit best = FIT_NO;
    if (!pin->alternatives.n)
        return fits_one(input, &(struct alternative){pin->kind, pin->cuda, pin->release}, release);
    for (size_t i = 0; i < pin->alternatives.n && best != FIT_YES; i++) {
        enum fit one = fits_one(input, &pin->alternatives.v[i], release);
        if (one != FIT_NO)
            best = one;
    }
    return best;
}

static bool has_pins_of(const struct spec *spec, enum manager manager)
{
    for (size_t i = 0; i < spec->pins.n; i++)
        if (spec->pins.v[i].manager == manager && !spec->pins.v[i].dropped)
            return true;
    return false;
}

enum fit cudart_fits(const struct check_input *input, const struct identity *identity, const struct pin **broken)
{
    const struct spec *spec = input->facts->spec;
    enum manager manager = identity->by_pip ? MANAGER_PIP : MANAGER_CONDA;
    enum fit fit = FIT_YES;
    *broken = NULL;
    for (size_t i = 0; spec && i < spec->pins.n; i++) {
        const struct pin *pin = &spec->pins.v[i];
        if (pin->dropped || (pin->manager != manager && has_pins_of(spec, manager)))
            continue;
        enum fit one = fits_pin(input, pin, identity->release);
        if (one != FIT_YES && fit != FIT_NO) {
            fit = one;
            *broken = pin;
        }
    }
    return fit;
}

/* The soname of a major release: cudart_soname.tsv names ranges such as "11.0-11.8". */
static const char *soname_of(const struct check_input *input, struct release release)
{
    struct err err;
    const struct table *sonames = data_table(input->facts->data, "cudart_soname", &err);
    for (size_t row = 0; sonames && row < sonames->rows; row++) {
        struct release first, last;
        if (!release_parse_span(str_of(table_cell(sonames, row, "cuda")), &first, &last))
            continue;
        bool whole_major = first.major == release.major && first.major >= 11;
        bool in_range = release.minor >= 0 && release_cmp(release, first) >= 0 && release_cmp(release, last) <= 0;
        if (whole_major || in_range)
            return table_cell(sonames, row, "soname");
    }
    return NULL;
}

void cudart_sonames(const struct check_input *input, struct strv *sonames)
{
    const struct spec *spec = input->facts->spec;
    const char *pinned = spec && spec->has_effective && spec->release.major >= 0
        ? soname_of(input, (struct release){spec->release.major, spec->release.minor, -1}) : NULL;
    if (pinned) {
        strv_add(input->arena, sonames, pinned);
        return;
    }
    struct strv paths = {0};
    struct cudart_files files = {0};
    inventory_cudart_files(input->arena, input->facts->inventory, &paths);
    loader_cudarts(input->arena, &paths, &files);
    for (size_t i = 0; i < files.n; i++)
        if (files.v[i].soname && !files.v[i].bundled && strv_find(sonames, files.v[i].soname) == sonames->n)
            strv_add(input->arena, sonames, files.v[i].soname);
}
