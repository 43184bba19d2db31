#include "check/toolkit.h"

#include <string.h>

#include "check/common.h"
#include "check/cudart.h"
#include "util/path.h"

void check_driver_visible(const struct check_input *input, struct result *result)
{
    const struct machine *machine = input->facts->machine;
    const char *problem = machine->driver.problem;
    for (size_t i = 0; i < machine->gpus.n; i++)
        check_evidence(input, result, NULL, 0, 0, "GPU %u: %s", machine->gpus.v[i].index,
                       machine->gpus.v[i].name ? machine->gpus.v[i].name : "?");
    for (size_t i = 0; i < machine->warnings.n; i++)
        check_evidence(input, result, NULL, 0, 0, "%s", machine->warnings.v[i]);
    if (machine->gpus.n && !problem)
        check_pass(input, result, "%zu GPU%s, driver %s", machine->gpus.n, machine->gpus.n > 1 ? "s" : "",
                   machine->driver.version ? machine->driver.version : "?");
    else if (machine->gpus.n || machine->pci_gpus || machine->driver.kernel_version)
        check_fail(input, result, "there is a GPU, but it cannot be used: %s",
                   problem ? problem : "the driver shows no device");
    else if (input->require_gpu)
        check_fail(input, result, "--require-gpu: no NVIDIA GPU on %s%s%s",
                   strcmp(machine->source, "this machine") == 0 ? "this machine" : machine->source,
                   problem ? ": " : "", problem ? problem : "");
    else
        check_skip(input, result, "no NVIDIA GPU on %s", machine->source);
    if (result->status == STATUS_FAIL)
        check_fix(input, result, machine->container ? "start the container with its GPUs (docker run --gpus all)"
                                                    : "condagpu probe shows what the driver says");
}

/* Who runs what by minor-version compatibility is documented by architecture; for others there is no column. */
static const char *compatible_column(const char *arch)
{
    static const struct {
        const char *arch, *column;
    } columns[] = {
        {"x86_64", "minor_compat_min_linux_x86_64"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (cstr_eq(arch, columns[i].arch))
            return columns[i].column;
    return NULL;
}

/* The driver that a release needs at least (src/data/cuda_driver.tsv): of the release itself with all features, and of
 * its major by minor-version compatibility; NULL where that is not known for this architecture. */
static bool needed_drivers(const struct check_input *input, struct release wanted, const char **full,
                           const char **compatible)
{
    struct err err;
    const struct table *drivers = data_table(input->facts->data, "cuda_driver", &err);
    const char *column = compatible_column(input->facts->machine->arch);
    bool known = false;
    *full = *compatible = NULL;
    for (size_t row = 0; drivers && row < drivers->rows; row++) {
        struct release release;
        if (!release_parse(str_of(table_cell(drivers, row, "cuda_release")), &release)
            || !release_agree(release, wanted) || *full)
            continue;
        known = true;
        *full = table_cell(drivers, row, "toolkit_driver_in_runfile");
        *compatible = column ? table_cell(drivers, row, column) : NULL;
    }
    return known && (*full || *compatible);
}

static bool driver_reaches(const char *driver, const char *minimum)
{
    struct release have, need;
    if (!driver || !minimum || !release_parse(str_of(driver), &have))
        return false;
    const char *end = minimum + strspn(minimum, "0123456789.");
    return release_parse((struct str){minimum, (size_t)(end - minimum)}, &need) && release_cmp(have, need) >= 0;
}

/* Another minor of the same major, on an architecture of which NVIDIA names no least driver. */
static void judge_undocumented(const struct check_input *input, struct result *result, const char *release)
{
    const struct machine *machine = input->facts->machine;
    check_warn(input, result,
               "driver %s is older than the one of CUDA %s, and the least driver for minor-version compatibility is not "
               "known for %s", machine->driver.version, release, machine->arch ? machine->arch : "this architecture");
    check_fix(input, result, "try it with verify --compile on a GPU, or update the driver");
}

/* What the file itself asks of the driver: conda's __cuda >=12, pixi's system-requirements. */
static bool driver_is_asked_for(const struct check_input *input, struct result *result)
{
    const struct spec *spec = input->facts->spec;
    const struct driver *driver = &input->facts->machine->driver;
    bool failed = false;
    for (size_t i = 0; spec && driver->cuda.major >= 0 && i < spec->deps.n; i++) {
        const struct dep *dep = &spec->deps.v[i];
        if (dep->manager != MANAGER_CONDA || dep->dropped || !cstr_eq(dep->name, "__cuda") || !dep->version
            || conda_version_matches(dep->version, release_text(input->arena, driver->cuda)))
            continue;
        check_fail(input, result, "driver %s runs CUDA up to %s, but %s:%u asks for %s", driver->version,
                   release_text(input->arena, driver->cuda), dep->file, dep->line, dep->text);
        check_fix(input, result, "update the driver, or ask for an older one");
        failed = true;
    }
    return failed;
}

/* The pinned release. Of pins that leave several open the installed one counts: it may need more than the least does. */
static struct release wanted_release(const struct check_input *input)
{
    const struct spec *spec = input->facts->spec;
    if (!spec || !spec->has_effective)
        return RELEASE_NONE;
    if (spec->release.major >= 0)
        return spec->release;
    struct release installed = cudart_installed(input);
    return installed.major >= 0 ? installed : spec->effective.min;
}

void check_driver_min(const struct check_input *input, struct result *result)
{
    const struct driver *driver = &input->facts->machine->driver;
    const char *full, *compatible;
    if (!driver->version) {
        check_skip(input, result, "no driver on %s%s%s", input->facts->machine->source, driver->problem ? ": " : "",
                   driver->problem ? driver->problem : "");
        return;
    }
    if (driver_is_asked_for(input, result))
        return;
    struct release wanted = wanted_release(input);
    wanted.patch = -1;
    if (wanted.major < 0 || !needed_drivers(input, wanted, &full, &compatible)) {
        check_skip(input, result, "no release is pinned whose least driver is known");
        return;
    }
    const char *release = release_text(input->arena, wanted);
    check_evidence(input, result, NULL, 0, 0, "CUDA %s ships with driver %s, and runs from %s on", release,
                   full ? full : "?", compatible ? compatible : "?");
    if (driver_reaches(driver->version, full) || release_cmp(driver->cuda, wanted) >= 0)
        check_pass(input, result, "driver %s runs CUDA %s", driver->version, release);
    else if (driver_reaches(driver->version, compatible))
        check_pass(input, result, "driver %s runs CUDA %s by minor-version compatibility (no new features, no PTX)",
                   driver->version, release);
    else if (!compatible && (driver->cuda.major < 0 || driver->cuda.major == wanted.major))
        judge_undocumented(input, result, release);
    else {
        const char *needed = compatible ? compatible : full;
        check_fail(input, result, "driver %s is too old for CUDA %s, which needs %s", driver->version, release, needed);
        check_fix(input, result, "update the driver to %s or later, or pin an older CUDA", needed);
    }
}

static const char *const driver_names[] = {"libcuda.so", NULL};

void check_driver_stub(const struct check_input *input, struct result *result)
{
    struct strv elements = {0};
    check_library_path_elements(input, &elements);
    for (size_t i = 0; i < elements.n; i++) {
        const char *dir = elements.v[i];
        const char *library = dir[0] ? check_library_in(input, dir, driver_names) : NULL;
        if (!library)
            continue;
        const char *last = path_basename(path_absolute(input->arena, dir));
        if (strcmp(last, "stubs") == 0) {
            check_fail(input, result, "%s is a stub of the driver, and it is on LD_LIBRARY_PATH", library);
            check_fix(input, result, "take %s out of LD_LIBRARY_PATH: stubs are for the linker only", dir);
        } else if (strcmp(last, "compat") == 0 || strcmp(last, "cuda-compat") == 0)
            check_warn(input, result, "%s is a compatibility driver: right only where it is newer than the kernel's and "
                       "the GPU is of the data-centre class", library);
        else
            check_evidence(input, result, NULL, 0, 0, "%s is on LD_LIBRARY_PATH", library);
    }
    check_pass(input, result, "no stub of the driver is on LD_LIBRARY_PATH");
}
