/* CUDA_HOME and CUDA_PATH: torch reads the first, CMake the second, and pathfinder wants them equal. */
#include <string.h>

#include "plan/rule.h"
#include "util/file.h"
#include "util/path.h"

/* What was found and passed over, for the abstention. */
struct search {
    const char *prefix_problem; /* why the prefix itself is no CUDA_HOME */
};

static bool choose(struct ruling *ruling, const char *directory, struct release nvcc, const char *why)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH"};
    ruling->cuda_home = directory;
    ruling->cuda_home_outside = !rule_is_below_prefix(ruling, directory);
    ruling->nvcc = nvcc;
    for (size_t i = 0; i < 2; i++)
        if (!rule_path_op(ruling, OP_SET, names[i], directory, "%s", why))
            return false;
    return true;
}

/* The release of $PREFIX/bin/nvcc: by its record, else by nvcc's own word as the probe read it. */
static struct release prefix_nvcc_release(struct ruling *ruling, const char **from)
{
    static const char *const names[] = {"cuda-nvcc",
                                        "cuda-nvcc-tools",
                                        "cuda-nvcc-impl",
                                        "cuda-nvcc_linux-64",
                                        "cuda-nvcc_linux-aarch64",
                                        "cudatoolkit-dev",
                                        NULL};
    const struct record *record = rule_find_record(ruling, RECORD_CONDA, names);
    if (record) {
        *from = rule_record_text(ruling, record);
        return rule_version(record->version);
    }
    for (size_t i = 0; i < ruling->facts->machine->toolkits.n; i++) {
        const struct toolkit *toolkit = &ruling->facts->machine->toolkits.v[i];
        if (toolkit->nvcc && rule_is_below_prefix(ruling, toolkit->root)) {
            *from = "nvcc's own word";
            return toolkit->nvcc_release;
        }
    }
    return RELEASE_NONE;
}

/* A pin that is only a bound rules releases out without naming one. */
static bool is_outside_pin(const struct ruling *ruling, struct release nvcc)
{
    const struct spec *spec = ruling->facts->spec;
    return spec && spec->has_effective && nvcc.minor >= 0
           && !range_may_hold(&spec->effective, (struct release){nvcc.major, nvcc.minor, -1});
}

static const char *pin_text(struct ruling *ruling)
{
    const struct spec *spec = ruling->facts->spec;
    if (ruling->release_text)
        return arena_printf(ruling->arena, "CUDA is %s", ruling->release_text);
    return spec && spec->has_effective
               ? arena_printf(ruling->arena, "the pins say %s, which names no release", spec->effective_text)
               : "nothing pins CUDA";
}

/* True when the prefix is the CUDA_HOME, with the why; else `search` says why not. */
static bool prefix_serves(struct ruling *ruling, struct search *search, struct release *nvcc, const char **why)
{
    const struct inventory *inventory = ruling->facts->inventory;
    size_t from = 0;
    const struct record *wrapper = inventory_next(inventory, RECORD_CONDA, "nvcc_", &from);
    const char *file = path_join(ruling->arena, inventory->prefix, "bin/nvcc"), *source = "no record";
    *nvcc = prefix_nvcc_release(ruling, &source);
    const char *text = release_text(ruling->arena, (struct release){nvcc->major, nvcc->minor, -1});
    if (wrapper)
        search->prefix_problem = arena_printf(ruling->arena,
                                              "%s is a wrapper that calls $CUDA_HOME/bin/nvcc, so the prefix "
                                              "as CUDA_HOME would make it call itself for ever",
                                              rule_record_text(ruling, wrapper));
    else if (!file_is_executable(file))
        search->prefix_problem = "no nvcc in the prefix";
    else if (ruling->release.major >= 0 && nvcc->minor >= 0 && !rule_same_minor(*nvcc, ruling->release))
        search->prefix_problem =
            arena_printf(ruling->arena, "the prefix's nvcc is %s (%s), another release", text, source);
    else if (is_outside_pin(ruling, *nvcc))
        search->prefix_problem = arena_printf(ruling->arena, "the prefix's nvcc is %s (%s), and the pins say %s", text,
                                              source, ruling->facts->spec->effective_text);
    else if (ruling->release.major >= 0 && nvcc->minor < 0)
        search->prefix_problem = "the release of the prefix's bin/nvcc is not known: no record of a package names it";
    else
        *why = arena_printf(ruling->arena, "bin/nvcc is in the prefix: %s; %s", source, pin_text(ruling));
    return search->prefix_problem == NULL;
}

/* CUDA 13's wheels share one root, site-packages/nvidia/cu13. */
static const char *wheel_root(struct ruling *ruling, struct release *nvcc, const char **why)
{
    static const char *const names[] = {"nvidia-cuda-nvcc", "nvidia-cuda-nvcc-cu13", NULL};
    const struct inventory *inventory = ruling->facts->inventory;
    const struct record *record = rule_find_record(ruling, RECORD_PIP, names);
    *nvcc = record ? rule_version(record->version) : RELEASE_NONE;
    for (size_t i = 0; record && i < inventory->site_packages.n; i++) {
        const char *root = path_join(ruling->arena, inventory->site_packages.v[i], "nvidia/cu13");
        if (!file_is_executable(path_join(ruling->arena, root, "bin/nvcc")))
            continue;
        if (ruling->release.major >= 0 && !rule_same_minor(*nvcc, ruling->release))
            continue;
        *why = arena_printf(ruling->arena, "%s brings nvcc and one root for all wheels of CUDA 13%s%s",
                            rule_record_text(ruling, record), ruling->release_text ? "; CUDA is " : "",
                            ruling->release_text ? ruling->release_text : "");
        return root;
    }
    return NULL;
}

/* The toolkit's own directory behind a link such as /usr/local/cuda, which the administrator may move at any time. */
static const char *toolkit_directory(const struct toolkit *toolkit)
{
    return toolkit->real && toolkit->real[0] == '/' ? toolkit->real : toolkit->root;
}

/* A snapshot of another machine names directories that need not exist here. */
static bool is_there(struct ruling *ruling, const char *directory)
{
    const struct machine *machine = ruling->facts->machine;
    if (machine->source && strcmp(machine->source, "this machine") != 0)
        return true;
    const char *root = machine->root ? machine->root : "";
    return file_is_dir(root[0] ? path_join(ruling->arena, root, directory) : directory);
}

static const struct toolkit *system_toolkit(struct ruling *ruling)
{
    const struct machine *machine = ruling->facts->machine;
    for (size_t i = 0; ruling->release.major >= 0 && i < machine->toolkits.n; i++) {
        const struct toolkit *toolkit = &machine->toolkits.v[i];
        if (toolkit->nvcc && !rule_is_below_prefix(ruling, toolkit->root)
            && rule_same_minor(toolkit->release, ruling->release) && is_there(ruling, toolkit_directory(toolkit)))
            return toolkit;
    }
    return NULL;
}

static const char *toolkit_why(struct ruling *ruling, const struct toolkit *toolkit, const struct search *search)
{
    const char *directory = toolkit_directory(toolkit);
    const char *link =
        strcmp(directory, toolkit->root) == 0 ? "" : arena_printf(ruling->arena, " (%s leads there)", toolkit->root);
    return arena_printf(ruling->arena, "%s; the system's toolkit %s%s is %s by %s; CUDA is %s", search->prefix_problem,
                        directory, link, release_text(ruling->arena, toolkit->release),
                        toolkit->release_from ? toolkit->release_from : "the probe", ruling->release_text);
}

/* Other releases on the machine, which are never taken: "/usr/local/cuda is 12.1". */
static const char *others(struct ruling *ruling)
{
    const char *text = "";
    for (size_t i = 0; i < ruling->facts->machine->toolkits.n; i++) {
        const struct toolkit *toolkit = &ruling->facts->machine->toolkits.v[i];
        if (!rule_is_below_prefix(ruling, toolkit->root))
            text = arena_printf(ruling->arena, "%s; %s is %s%s", text, toolkit->root,
                                release_text(ruling->arena, toolkit->release), toolkit->nvcc ? "" : " without nvcc");
    }
    return text[0] ? text : "; no toolkit on the machine";
}

static const char *what_would_help(struct ruling *ruling)
{
    struct release release = ruling->release;
    if (release.major < 0)
        return "conda-forge's cuda-nvcc would bring one";
    if (release.major < 12)
        return arena_printf(ruling->arena, "the nvidia channel's cuda-nvcc=%d.%d (11.3 and later) would bring one",
                            release.major, release.minor);
    return arena_printf(ruling->arena, "conda-forge's cuda-nvcc=%d.%d would bring one", release.major, release.minor);
}

static bool abstain(struct ruling *ruling, const struct search *search)
{
    const char *unnamed = ruling->release_text ? "" : ", so no toolkit outside the prefix is the right one";
    return rule_abstain(ruling, "%s%s; %s%s; %s", search->prefix_problem, others(ruling), pin_text(ruling), unnamed,
                        what_would_help(ruling));
}

static bool as_configured(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->cuda_home;
    const char *value = setting->value, *prefix = ruling->facts->inventory->prefix;
    if (strncmp(value, "$CONDA_PREFIX", 13) == 0 && (value[13] == '/' || value[13] == '\0'))
        value = value[13] ? path_join(ruling->arena, prefix, value + 14) : prefix;
    if (value[0] != '/')
        return rule_refuse(ruling, setting, "cuda-home is \"%s\", not an absolute directory", value);
    const char *directory = path_absolute(ruling->arena, value);
    if (!is_there(ruling, directory))
        return rule_refuse(ruling, setting, "cuda-home is %s, which is not a directory here", directory);
    if (!rule_is_below_prefix(ruling, directory) && strpbrk(directory, ":;"))
        return rule_refuse(ruling, setting, "cuda-home holds a colon or semicolon");
    struct release nvcc = RELEASE_NONE;
    for (size_t i = 0; i < ruling->facts->machine->toolkits.n; i++) {
        const struct toolkit *toolkit = &ruling->facts->machine->toolkits.v[i];
        if (!cstr_eq(toolkit->root, directory) && !cstr_eq(toolkit->real, directory))
            continue;
        nvcc = toolkit->nvcc_release;
        ruling->toolkit = toolkit;
    }
    return choose(ruling, directory, nvcc, rule_setting_text(ruling, setting));
}

bool rule_cuda_home(struct ruling *ruling)
{
    struct search search = {0};
    struct release nvcc;
    const char *why = NULL, *root;
    if (rule_is_off(ruling, &ruling->config->cuda_home))
        return true;
    if (ruling->config->cuda_home.value)
        return as_configured(ruling);
    if (prefix_serves(ruling, &search, &nvcc, &why))
        return choose(ruling, ruling->facts->inventory->prefix, nvcc, why);
    if ((root = wheel_root(ruling, &nvcc, &why)))
        return choose(ruling, root, nvcc, why);
    const struct toolkit *toolkit = system_toolkit(ruling);
    if (!toolkit)
        return abstain(ruling, &search);
    ruling->toolkit = toolkit;
    nvcc = toolkit->nvcc_release.major >= 0 ? toolkit->nvcc_release : toolkit->release;
    return choose(ruling, toolkit_directory(toolkit), nvcc, toolkit_why(ruling, toolkit, &search));
}
