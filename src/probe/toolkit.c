#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

enum { NVCC_DEADLINE_MS = 5000, NVCC_OUTPUT = 64 * 1024 };

/* Below a toolkit's root: the runfile's and conda's layouts, for x86-64, Arm servers and Jetson. */
static const char *const library_dirs[] = {
    "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib",
};

/* Debian's package spreads over /usr (nvidia-cuda-toolkit's file list). */
static const char *const debian_library_dirs[] = {
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/powerpc64le-linux-gnu",
};
#define DEBIAN_TOOLKIT "/usr/lib/nvidia-cuda-toolkit"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_libcudart(const char *name)
{
    return strncmp(name, "libcudart.so.", 13) == 0;
}

static void add_library_dir(struct probe *probe, struct toolkit *toolkit, const char *dir)
{
    const char *real = probe_real(probe, dir);
    struct strv names = probe_list(probe, dir);
    bool found = false;
    for (size_t i = 0; i < names.n && !found; i++)
        found = is_libcudart(names.v[i]);
    if (found && real && strv_find(&toolkit->libraries, real) == toolkit->libraries.n)
        strv_add(probe->arena, &toolkit->libraries, real);
}

static bool is_debian(const struct toolkit *toolkit)
{
    return toolkit->nvcc && path_below(DEBIAN_TOOLKIT, toolkit->nvcc);
}

static void find_libraries(struct probe *probe, struct toolkit *toolkit)
{
    for (size_t i = 0; i < COUNT(library_dirs); i++)
        add_library_dir(probe, toolkit, path_join(probe->arena, toolkit->real, library_dirs[i]));
    for (size_t i = 0; is_debian(toolkit) && i < COUNT(debian_library_dirs); i++)
        add_library_dir(probe, toolkit, debian_library_dirs[i]);
}

static void set_release(struct toolkit *toolkit, struct release release, const char *from)
{
    if (toolkit->release.minor >= 0 || release.minor < 0)
        return;
    toolkit->release = release;
    toolkit->release_from = from;
}

/* {"cuda": {"version": "12.4.1"}, "cuda_nvcc": {"version": "12.4.131"}, …} */
static struct release json_release(const json_t *document, const char *component)
{
    struct release release;
    const char *version = json_string_value(json_object_get(json_object_get(document, component), "version"));
    return version && release_parse(str_of(version), &release) ? release : RELEASE_NONE;
}

static void read_version_json(struct probe *probe, struct toolkit *toolkit)
{
    const char *path = path_join(probe->arena, toolkit->real, "version.json");
    struct str content;
    if (!probe_file(probe, path, &content))
        return;
    json_t *document = json_loadb(content.s, content.n, 0, NULL);
    set_release(toolkit, json_release(document, "cuda"), path);
    if (toolkit->nvcc && document)
        toolkit->nvcc_release = json_release(document, "cuda_nvcc");
    json_decref(document);
}

/* "CUDA Version 10.2.89", up to CUDA 10. */
static void read_version_txt(struct probe *probe, struct toolkit *toolkit)
{
    const char *path = path_join(probe->arena, toolkit->real, "version.txt");
    const char *line = probe_line(probe, path);
    struct release release;
    if (line && strncmp(line, "CUDA Version ", 13) == 0 && release_parse(str_of(line + 13), &release))
        set_release(toolkit, release, path);
}

/* libcudart.so.12.4.127 is a build of 12.4; its third number is the runtime's own, so it is not the toolkit's patch.
 * The short names do not tell (libcudart.so.11.0 is the soname of all of 11): only what ends in three numbers counts.
 */
static void read_library_names(struct probe *probe, struct toolkit *toolkit)
{
    for (size_t i = 0; i < toolkit->libraries.n; i++) {
        struct strv names = probe_list(probe, toolkit->libraries.v[i]);
        for (size_t j = 0; j < names.n; j++) {
            struct release release;
            if (!is_libcudart(names.v[j]) || !release_parse(str_of(names.v[j] + 13), &release) || release.patch < 0)
                continue;
            release.patch = -1;
            set_release(toolkit, release, path_join(probe->arena, toolkit->libraries.v[i], names.v[j]));
        }
    }
}

/* "Cuda compilation tools, release 12.4, V12.4.131" */
static struct release nvcc_answer(struct str output)
{
    struct release release;
    const char *mark = memmem(output.s, output.n, ", V", 3);
    if (!mark)
        return RELEASE_NONE;
    struct str rest = str_slice(output, (size_t)(mark - output.s) + 3, output.n), word;
    return next_word(&rest, &word) && release_parse(word, &release) ? release : RELEASE_NONE;
}

/* Starting nvcc costs more than all the rest of a probe, so it is the last resort. */
static void ask_nvcc(struct probe *probe, struct toolkit *toolkit)
{
    struct proc proc;
    if (!probe->is_real || !toolkit->nvcc || toolkit->release.minor >= 0)
        return;
    proc_run(probe->arena, (const char *const[]){toolkit->nvcc, "--version", NULL}, NULL, NULL, NVCC_DEADLINE_MS,
             NVCC_OUTPUT, &proc);
    if (proc.timed_out)
        probe_warn(probe, "%s --version did not answer in %d s", toolkit->nvcc, NVCC_DEADLINE_MS / 1000);
    if (!proc.started || proc.timed_out || proc.status != 0)
        return;
    toolkit->nvcc_release = nvcc_answer(proc.out);
    struct release release = toolkit->nvcc_release;
    release.patch = -1; /* nvcc counts its own builds */
    set_release(toolkit, release, toolkit->nvcc);
}

/* In an environment a libcudart says nothing of nvcc, which is a package of its own; where conda has no record of that
 * package either, nvcc's own word is all there is. */
static bool has_unrecorded_nvcc(struct probe *probe, const struct toolkit *toolkit)
{
    const char *prefix = probe->options->prefix;
    if (!prefix || !toolkit->nvcc || !cstr_eq(probe_real(probe, prefix), toolkit->real))
        return false;
    struct strv records = probe_list(probe, path_join(probe->arena, prefix, "conda-meta"));
    for (size_t i = 0; i < records.n; i++)
        if (strncmp(records.v[i], "cuda-nvcc", 9) == 0 || strncmp(records.v[i], "cudatoolkit-dev", 15) == 0)
            return false;
    return true;
}

static bool is_known(const struct machine *machine, const struct toolkit *toolkit)
{
    for (size_t i = 0; i < machine->toolkits.n; i++) {
        const struct toolkit *known = &machine->toolkits.v[i];
        if (strcmp(known->real, toolkit->real) == 0 || (toolkit->nvcc && cstr_eq(known->nvcc, toolkit->nvcc)))
            return true;
    }
    return false;
}

static const char *find_nvcc(struct probe *probe, const char *real)
{
    const char *path = path_join(probe->arena, real, "bin/nvcc");
    if (!file_is_executable(probe_path(probe, path)))
        return NULL;
    const char *target = probe_real(probe, path);
    return target && path_below(DEBIAN_TOOLKIT, target) ? target : path;
}

/* Adds what is at `root`, if it is a toolkit: nvcc, a version file or a libcudart. */
static void add_toolkit(struct probe *probe, const char *root)
{
    struct toolkit toolkit = {.root = root, .release = RELEASE_NONE, .nvcc_release = RELEASE_NONE};
    toolkit.real = probe_real(probe, root);
    if (!toolkit.real || strcmp(toolkit.real, "/") == 0)
        return;
    toolkit.nvcc = find_nvcc(probe, toolkit.real);
    if (is_known(probe->machine, &toolkit))
        return;
    find_libraries(probe, &toolkit);
    read_version_json(probe, &toolkit);
    read_version_txt(probe, &toolkit);
    if (!toolkit.nvcc && toolkit.libraries.n == 0 && toolkit.release.major < 0)
        return;
    if (!has_unrecorded_nvcc(probe, &toolkit))
        read_library_names(probe, &toolkit);
    ask_nvcc(probe, &toolkit);
    *vec_add(probe->arena, &probe->machine->toolkits) = toolkit;
}

/* An environment is a toolkit only when it holds nvcc; a runtime alone is none. */
static void add_prefix(struct probe *probe)
{
    const char *prefix = probe->options->prefix;
    if (prefix && prefix[0] && probe_exists(probe, path_join(probe->arena, prefix, "bin/nvcc")))
        add_toolkit(probe, prefix);
}

static void add_variable(struct probe *probe, const char *name)
{
    const char *value = probe_env(probe, name);
    if (!value)
        return;
    if (value[0] != '/' || !file_is_dir(value))
        probe_warn(probe, "%s is \"%s\", which is no directory: unset it or mend it", name, value);
    else
        add_toolkit(probe, path_absolute(probe->arena, value));
}

/* /usr/bin/nvcc is Debian's wrapper or a link into a toolkit; its own directory's parent is none. */
static void add_from_path(struct probe *probe)
{
    const char *nvcc = probe->is_real ? proc_find(probe->arena, "nvcc", NULL) : NULL;
    const char *real = nvcc ? probe_real(probe, nvcc) : NULL;
    if (!real)
        return;
    const char *root = path_dirname(probe->arena, path_dirname(probe->arena, real));
    if (strcmp(root, "/usr") != 0 || !probe_exists(probe, DEBIAN_TOOLKIT))
        add_toolkit(probe, root);
}

void probe_toolkits(struct probe *probe)
{
    struct strv names = probe_list(probe, "/usr/local");
    add_prefix(probe);
    add_toolkit(probe, "/usr/local/cuda");
    for (size_t i = 0; i < names.n; i++)
        if (strncmp(names.v[i], "cuda-", 5) == 0)
            add_toolkit(probe, path_join(probe->arena, "/usr/local", names.v[i]));
    add_toolkit(probe, "/opt/cuda");
    add_toolkit(probe, "/usr/lib/cuda");
    add_toolkit(probe, DEBIAN_TOOLKIT);
    /* Last, so that an active environment whose hooks set these changes nothing of what is found. */
    add_variable(probe, "CUDA_HOME");
    add_variable(probe, "CUDA_PATH");
    add_from_path(probe);
}
