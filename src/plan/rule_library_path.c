/* LD_LIBRARY_PATH: directories with nothing but CUDA libraries, the pinned runtime's first. */
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/rule.h"
#include "util/file.h"
#include "util/path.h"

/* File names of CUDA libraries. Whatever matches none of these is never linked or exposed. */
static const char *const cuda_libraries[] = {
    "libcudart.so*",         "libcublas.so*",    "libcublasLt.so*",       "libcufft.so*",      "libcufftw.so*",
    "libcurand.so*",         "libcusolver.so*",  "libcusolverMg.so*",     "libcusparse.so*",   "libcusparseLt.so*",
    "libnpp*.so*",           "libnvrtc.so*",     "libnvrtc-builtins.so*", "libnvjpeg.so*",     "libnvJitLink.so*",
    "libnvfatbin.so*",       "libcupti.so*",     "libnvperf_*.so*",       "libnvToolsExt.so*", "libcudnn*.so*",
    "libnccl.so*",           "libcutensor*.so*", "libnvvm.so*",           "libnvblas.so*",     "libcufile*.so*",
    "libcudss*.so*",         "libnvshmem*.so*",  "libcuinj64.so*",        "libaccinj64.so*",   "libcheckpoint.so*",
    "libpcsamplingutil.so*",
};

/* The directory below targets/ for each machine (uname -m). */
static const struct {
    const char *arch, *target;
} target_names[] = {
    {"x86_64", "x86_64-linux"},
    {"aarch64", "sbsa-linux"},
    {"aarch64", "aarch64-linux"},
    {"ppc64le", "ppc64le-linux"},
};

enum origin { ORIGIN_TARGET, ORIGIN_WHEEL, ORIGIN_FLAT };

struct candidate {
    enum origin origin;
    const char *directory;
    const char *why;
    bool has_cudart, has_cudnn;
    struct release release; /* of the runtime in it; RELEASE_NONE when there is none or it is not known */
};

struct candidates {
    VEC(struct candidate);
};

static bool is_cuda_library(const char *name)
{
    for (size_t i = 0; i < sizeof cuda_libraries / sizeof *cuda_libraries; i++)
        if (fnmatch(cuda_libraries[i], name, 0) == 0)
            return true;
    return false;
}

/* Adds the directory when it holds a CUDA library. */
static struct candidate *add_candidate(struct ruling *ruling, struct candidates *candidates, enum origin origin,
                                       const char *directory)
{
    struct strv names = {0};
    struct candidate *candidate = NULL;
    if (!dir_list(ruling->arena, directory, &names))
        return NULL;
    for (size_t i = 0; i < names.n; i++) {
        if (!is_cuda_library(names.v[i]))
            continue;
        if (!candidate) {
            candidate = vec_add(ruling->arena, candidates);
            *candidate = (struct candidate){.origin = origin, .directory = directory, .release = RELEASE_NONE};
        }
        candidate->has_cudart |= strncmp(names.v[i], "libcudart.so", 12) == 0;
        candidate->has_cudnn |= strncmp(names.v[i], "libcudnn", 8) == 0;
    }
    return candidate;
}

static const struct record *conda_runtime(struct ruling *ruling)
{
    static const char *const names[] = {"cuda-cudart", "cudatoolkit", "cuda-cudart_linux-64",
                                        "cuda-cudart_linux-aarch64", NULL};
    return rule_find_record(ruling, RECORD_CONDA, names);
}

static void describe(struct ruling *ruling, struct candidate *candidate, const struct record *record, const char *holds)
{
    candidate->release = record ? rule_version(record->version) : RELEASE_NONE;
    candidate->why = record ? arena_printf(ruling->arena, "%s puts %s here", rule_record_text(ruling, record), holds)
                            : arena_printf(ruling->arena, "%s in this directory, by no record", holds);
}

static bool is_for_machine(const struct machine *machine, const char *target)
{
    bool arch_known = false;
    for (size_t i = 0; machine->arch && i < sizeof target_names / sizeof *target_names; i++) {
        if (strcmp(target_names[i].arch, machine->arch) != 0)
            continue;
        arch_known = true;
        if (strcmp(target_names[i].target, target) == 0)
            return true;
    }
    return !arch_known;
}

static void find_targets(struct ruling *ruling, struct candidates *candidates)
{
    const struct inventory *inventory = ruling->facts->inventory;
    for (size_t i = 0; i < inventory->targets.n; i++) {
        const char *target = inventory->targets.v[i];
        const char *directory = arena_printf(ruling->arena, "%s/targets/%s/lib", inventory->prefix, target);
        struct candidate *candidate = is_for_machine(ruling->facts->machine, target)
                                          ? add_candidate(ruling, candidates, ORIGIN_TARGET, directory)
                                          : NULL;
        if (candidate && candidate->has_cudart)
            describe(ruling, candidate, conda_runtime(ruling), "libcudart");
        else if (candidate)
            candidate->why = "conda's CUDA libraries, without a runtime";
    }
}

/* The distribution that fills site-packages/nvidia/PART: its name is nvidia-PART with dashes, often with -cuN behind.
 */
static const struct record *wheel_of(struct ruling *ruling, const char *part)
{
    const struct inventory *inventory = ruling->facts->inventory;
    const char *name =
        strncmp(part, "cu1", 3) == 0 ? "nvidia-cuda-runtime" : arena_printf(ruling->arena, "nvidia-%s", part);
    char *dashed = arena_strdup(ruling->arena, name);
    for (char *s = dashed; *s; s++)
        if (*s == '_')
            *s = '-';
    size_t length = strlen(dashed), from = 0;
    const struct record *record;
    while ((record = inventory_next(inventory, RECORD_PIP, dashed, &from)))
        if (record->name[length] == '\0' || strncmp(record->name + length, "-cu", 3) == 0)
            return record;
    return NULL;
}

static void find_wheels(struct ruling *ruling, struct candidates *candidates)
{
    const struct inventory *inventory = ruling->facts->inventory;
    for (size_t i = 0; i < inventory->site_packages.n; i++) {
        struct strv parts = {0};
        const char *nvidia = path_join(ruling->arena, inventory->site_packages.v[i], "nvidia");
        if (!dir_list(ruling->arena, nvidia, &parts))
            continue;
        for (size_t j = 0; j < parts.n; j++) {
            const char *directory = arena_printf(ruling->arena, "%s/%s/lib", nvidia, parts.v[j]);
            struct candidate *candidate = add_candidate(ruling, candidates, ORIGIN_WHEEL, directory);
            const char *holds = candidate && candidate->has_cudart ? "libcudart" : "CUDA libraries";
            if (candidate)
                describe(ruling, candidate, wheel_of(ruling, parts.v[j]), holds);
        }
    }
}

/* Whether lib/NAME is a file of lib itself, not a link to targets/ or to somewhere else. */
static bool is_of_lib(struct ruling *ruling, const char *lib, const char *name)
{
    const char *real = path_real(ruling->arena, path_join(ruling->arena, lib, name));
    const char *directory = path_real(ruling->arena, lib);
    return real && directory && cstr_eq(path_dirname(ruling->arena, real), directory) && file_is_regular(real);
}

/* Links for the CUDA libraries of a flat layout; none when libcudart itself is not a file of lib. */
static void find_flat(struct ruling *ruling, struct candidates *candidates)
{
    const char *lib = path_join(ruling->arena, ruling->facts->inventory->prefix, "lib");
    struct strv names = {0}, links = {0};
    bool has_cudart = false;
    if (!dir_list(ruling->arena, lib, &names))
        return;
    for (size_t i = 0; i < names.n; i++)
        if (is_cuda_library(names.v[i]) && is_of_lib(ruling, lib, names.v[i])) {
            strv_add(ruling->arena, &links, names.v[i]);
            has_cudart |= strncmp(names.v[i], "libcudart.so", 12) == 0;
        }
    if (!has_cudart)
        return;
    struct candidate *candidate = vec_add(ruling->arena, candidates);
    *candidate = (struct candidate){
        .origin = ORIGIN_FLAT, .directory = path_join(ruling->arena, lib, "condagpu"), .has_cudart = true};
    const struct record *record = conda_runtime(ruling);
    candidate->release = record ? rule_version(record->version) : RELEASE_NONE;
    candidate->why = arena_printf(ruling->arena,
                                  "%s puts libcudart into lib, beside libraries that the system's programs "
                                  "must not meet; here are links to the CUDA libraries only",
                                  record ? rule_record_text(ruling, record) : "a package without a record");
    for (size_t i = 0; i < links.n; i++)
        *vec_add(ruling->arena, &ruling->plan->links) =
            (struct link){.name = links.v[i], .target = arena_printf(ruling->arena, "../%s", links.v[i])};
}

static bool pip_decides(const struct spec *spec)
{
    return spec && spec->has_effective && spec->deciding < spec->pins.n
           && spec->pins.v[spec->deciding].manager == MANAGER_PIP;
}

/* How well a runtime fits: its release, then its manager. */
static int fitness(struct ruling *ruling, const struct candidate *candidate)
{
    bool same = rule_same_minor(candidate->release, ruling->release);
    bool wheel = candidate->origin == ORIGIN_WHEEL;
    return (same ? 2 : 0) + (wheel == pip_decides(ruling->facts->spec) ? 1 : 0);
}

static struct candidate *pinned_runtime(struct ruling *ruling, struct candidates *candidates)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < candidates->n; i++) {
        struct candidate *candidate = &candidates->v[i];
        if (candidate->has_cudart && (!best || fitness(ruling, candidate) > fitness(ruling, best)))
            best = candidate;
    }
    return best;
}

/* Place in the list: the pinned runtime, pip's cuDNN, the other wheels, targets, the flat layout's links. */
static int place_of(const struct candidate *candidate, const struct candidate *pinned)
{
    static const int places[] = {[ORIGIN_WHEEL] = 2, [ORIGIN_TARGET] = 3, [ORIGIN_FLAT] = 4};
    if (candidate == pinned)
        return 0;
    return candidate->origin == ORIGIN_WHEEL && candidate->has_cudnn ? 1 : places[candidate->origin];
}

static bool add_candidates(struct ruling *ruling, enum op_kind kind, const struct candidates *candidates,
                           const struct candidate *pinned)
{
    for (int place = 0; place <= 4; place++)
        for (size_t i = 0; i < candidates->n; i++) {
            const struct candidate *candidate = &candidates->v[i];
            if (place_of(candidate, pinned) != place)
                continue;
            const char *pin = candidate == pinned && ruling->release_text
                                  ? arena_printf(ruling->arena, "; CUDA is %s", ruling->release_text)
                                  : "";
            if (!rule_path_op(ruling, kind, "LD_LIBRARY_PATH", candidate->directory, "%s%s", candidate->why, pin))
                return false;
        }
    return true;
}

/* Directories that the loader searches anyway, and stubs, which make every CUDA call fail. */
static bool is_harmful(const char *directory)
{
    static const char *const system_directories[] = {
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < sizeof system_directories / sizeof *system_directories; i++)
        if (strcmp(directory, system_directories[i]) == 0)
            return true;
    return fnmatch("*/stubs", directory, 0) == 0 || fnmatch("*/stubs/*", directory, 0) == 0;
}

/* The library directory of a CUDA_HOME outside the prefix, as the probe found it; NULL when there is none. */
static const char *toolkit_libraries(struct ruling *ruling)
{
    const struct toolkit *toolkit = ruling->toolkit;
    if (!ruling->cuda_home_outside || !toolkit)
        return NULL;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < toolkit->libraries.n; i++) {
            const char *directory = toolkit->libraries.v[i];
            if (!is_harmful(directory) && (pass || path_below(ruling->cuda_home, directory)))
                return directory;
        }
    return NULL;
}

static bool add_toolkit(struct ruling *ruling, enum op_kind kind)
{
    const char *directory = toolkit_libraries(ruling);
    return !directory
           || rule_path_op(ruling, kind, "LD_LIBRARY_PATH", directory,
                           "nothing in the prefix provides libcudart; "
                           "CUDA_HOME is %s, and its libcudart is here",
                           ruling->cuda_home);
}

/* On WSL the driver's libcuda.so.1 is in a directory of its own. */
static bool add_wsl(struct ruling *ruling)
{
    return !ruling->facts->machine->wsl
           || rule_path_op(ruling, OP_APPEND, "LD_LIBRARY_PATH", "/usr/lib/wsl/lib",
                           "this machine is WSL, whose driver is there");
}

static bool decide_narrow(struct ruling *ruling, enum op_kind kind)
{
    struct candidates candidates = {0};
    size_t before = ruling->plan->ops.n;
    find_targets(ruling, &candidates);
    find_wheels(ruling, &candidates);
    find_flat(ruling, &candidates);
    const struct candidate *pinned = pinned_runtime(ruling, &candidates);
    if (!add_candidates(ruling, kind, &candidates, pinned) || (!pinned && !add_toolkit(ruling, kind))
        || !add_wsl(ruling))
        return false;
    if (ruling->plan->ops.n > before)
        return true;
    return rule_abstain(ruling,
                        "no CUDA library in the prefix (targets/*/lib, nvidia/*/lib of site-packages, lib), and "
                        "CUDA_HOME brings none");
}

/* The classic $CUDA_HOME/lib64:$CONDA_PREFIX/lib, with its known effects on the system's own programs. */
static bool decide_classic(struct ruling *ruling)
{
    const char *why = rule_setting_text(ruling, &ruling->config->library_mode_setting);
    const char *lib64 = ruling->cuda_home ? path_join(ruling->arena, ruling->cuda_home, "lib64") : NULL;
    const char *lib = path_join(ruling->arena, ruling->facts->inventory->prefix, "lib");
    if (lib64 && file_is_dir(lib64) && !is_harmful(lib64)
        && !rule_path_op(ruling, OP_PREPEND, "LD_LIBRARY_PATH", lib64, "mode prefix: %s", why))
        return false;
    return rule_path_op(ruling, OP_PREPEND, "LD_LIBRARY_PATH", lib, "mode prefix: %s", why) && add_wsl(ruling);
}

bool rule_library_path(struct ruling *ruling)
{
    switch (ruling->config->library_mode) {
    case LIBRARY_NONE:
        return rule_abstain(ruling, "switched off: %s",
                            rule_setting_text(ruling, &ruling->config->library_mode_setting));
    case LIBRARY_PREFIX:
        return decide_classic(ruling);
    case LIBRARY_APPEND:
        return decide_narrow(ruling, OP_APPEND);
    case LIBRARY_NARROW:
        break;
    }
    return decide_narrow(ruling, OP_PREPEND);
}
