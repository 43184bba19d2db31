/* Which CUDA and which torch the environment is for: pins first, what is installed where they leave it open. */
#include <string.h>

#include "plan/rule.h"
#include "util/path.h"

static const char *const conda_runtimes[] = {"cuda-cudart", "cuda-cudart_linux-64", "cudatoolkit", "cuda-version",
                                             NULL};
static const char *const pip_runtimes[] = {"nvidia-cuda-runtime-cu13", "nvidia-cuda-runtime",
                                           "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu11", NULL};

static void release_from_records(struct ruling *ruling)
{
    const struct spec *spec = ruling->facts->spec;
    const struct record *candidates[] = {rule_find_record(ruling, RECORD_CONDA, conda_runtimes),
                                         rule_find_record(ruling, RECORD_PIP, pip_runtimes)};
    for (size_t i = 0; i < 2; i++) {
        struct release release = candidates[i] ? rule_version(candidates[i]->version) : RELEASE_NONE;
        if (release.minor < 0 || (spec && spec->has_effective && !range_may_hold(&spec->effective, release)))
            continue;
        ruling->release = release;
        ruling->release_text = arena_printf(ruling->arena, "%d.%d by the installed %s", release.major, release.minor,
                                            rule_record_text(ruling, candidates[i]));
        return;
    }
}

static void read_release(struct ruling *ruling)
{
    const struct spec *spec = ruling->facts->spec;
    ruling->release = RELEASE_NONE;
    if (!spec || !spec->has_effective || spec->release.minor < 0) {
        release_from_records(ruling);
        return;
    }
    ruling->release = spec->release;
    const char *text = release_text(ruling->arena, spec->release);
    if (spec->deciding < spec->pins.n) {
        const struct pin *pin = &spec->pins.v[spec->deciding];
        text = arena_printf(ruling->arena, "%s by the pin %s (%s:%u)", text, pin->text, path_basename(pin->file),
                            pin->line);
    }
    ruling->release_text = text;
}

/* "==2.4.0+cu124", "=2.4", "2.4.*", "2.4.0": an equality gives a version, anything else none. */
static struct release exact_version(const char *constraint)
{
    if (!constraint || strpbrk(constraint, "<>!~,|"))
        return RELEASE_NONE;
    return rule_version(constraint + strspn(constraint, "= "));
}

static void torch_from_pins(struct ruling *ruling)
{
    static const char *const names[] = {"torch", "pytorch", "pytorch-gpu", "libtorch"};
    const struct spec *spec = ruling->facts->spec;
    for (size_t i = 0; spec && i < spec->deps.n; i++) {
        const struct dep *dep = &spec->deps.v[i];
        struct release version = dep->dropped ? RELEASE_NONE : exact_version(dep->version);
        for (size_t j = 0; dep->name && version.minor >= 0 && j < sizeof names / sizeof *names; j++)
            if (strcmp(dep->name, names[j]) == 0) {
                ruling->grammar.torch = version;
                ruling->torch_text = arena_printf(ruling->arena, "torch %d.%d pinned by %s (%s:%u)", version.major,
                                                  version.minor, dep->text, path_basename(dep->file), dep->line);
                return;
            }
    }
}

static void read_torch(struct ruling *ruling)
{
    struct torch_build torch = {0};
    inventory_torch(ruling->arena, ruling->facts->inventory, &torch);
    ruling->grammar.torch = RELEASE_NONE;
    ruling->torch_installed = torch.present;
    if (!torch.present) {
        torch_from_pins(ruling);
        return;
    }
    ruling->torch_is_cpu = torch.cuda == NULL;
    ruling->grammar.torch = rule_version(torch.version);
    if (ruling->grammar.torch.minor >= 0)
        ruling->torch_text = arena_printf(ruling->arena, "the installed torch %s", torch.version);
}

static void read_nccl(struct ruling *ruling)
{
    static const char *const conda_names[] = {"nccl", NULL};
    static const char *const pip_names[] = {"nvidia-nccl-cu13", "nvidia-nccl-cu12", "nvidia-nccl-cu11", NULL};
    const struct record *record = rule_find_record(ruling, RECORD_CONDA, conda_names);
    if (!record)
        record = rule_find_record(ruling, RECORD_PIP, pip_names);
    ruling->grammar.nccl = record ? rule_version(record->version) : RELEASE_NONE;
}

void rule_read_versions(struct ruling *ruling)
{
    ruling->grammar.arena = ruling->arena;
    ruling->grammar.data = ruling->facts->data;
    ruling->grammar.glibc = RELEASE_NONE;
    ruling->nvcc = RELEASE_NONE;
    read_release(ruling);
    read_torch(ruling);
    read_nccl(ruling);
}
