/* Asks the driver in a child process, and says in one line what is wrong with it and what mends it. */
#include <string.h>

#include "probe/probe.h"
#include "probe/vendor.h"
#include "util/proc.h"
#include "util/text.h"

enum { DEFAULT_DEADLINE_MS = 5000, LARGEST_ANSWER = 1024 * 1024, MOST_GPUS = 1024, NVML_MISMATCH = 18 };

struct gpus {
    VEC(struct gpu);
};

/* What one library said. */
struct answer {
    bool found, complete, malformed;
    const char *library, *version, *library_version;
    int cuda; /* 0: not said */
    const char *function;
    int code; /* of the first function that failed; 0 for none */
    struct gpus gpus;
    struct proc proc;
};

struct reader {
    struct arena *arena;
    struct answer *answer;
    struct str words[4]; /* behind the key */
    size_t n;
};

static struct gpu *last_gpu(const struct reader *reader)
{
    return reader->answer->gpus.n ? &reader->answer->gpus.v[reader->answer->gpus.n - 1] : NULL;
}

static bool read_text(const struct reader *reader, const char **text)
{
    *text = str_dup(reader->arena, reader->words[0]);
    return reader->n == 1 && reader->words[0].n > 0;
}

static bool read_int(struct str word, int *number)
{
    long long value;
    bool fits = parse_decimal(word, &value) && value <= INT32_MAX;
    *number = fits ? (int)value : 0;
    return fits;
}

static bool read_library(struct reader *reader)
{
    return read_text(reader, &reader->answer->library);
}

static bool read_version(struct reader *reader)
{
    return read_text(reader, &reader->answer->version);
}

static bool read_library_version(struct reader *reader)
{
    return read_text(reader, &reader->answer->library_version);
}

static bool read_cuda(struct reader *reader)
{
    return reader->n == 1 && read_int(reader->words[0], &reader->answer->cuda);
}

static bool read_error(struct reader *reader)
{
    int code;
    if (reader->n != 2 || !read_int(reader->words[1], &code))
        return false;
    if (reader->answer->code == 0) {
        reader->answer->function = str_dup(reader->arena, reader->words[0]);
        reader->answer->code = code;
    }
    return true;
}

static bool read_gpu(struct reader *reader)
{
    int index;
    if (reader->n != 1 || !read_int(reader->words[0], &index) || reader->answer->gpus.n >= MOST_GPUS)
        return false;
    struct gpu *gpu = vec_add(reader->arena, &reader->answer->gpus);
    *gpu = (struct gpu){.index = (unsigned)index,
                        .cc_major = -1,
                        .cc_minor = -1,
                        .numa_node = -1,
                        .persistence = -1,
                        .display = -1,
                        .nvlinks = -1};
    return true;
}

static bool read_name(struct reader *reader)
{
    return read_text(reader, &last_gpu(reader)->name);
}

static bool read_uuid(struct reader *reader)
{
    return read_text(reader, &last_gpu(reader)->uuid);
}

static bool read_pci(struct reader *reader)
{
    return read_text(reader, &last_gpu(reader)->pci);
}

static bool read_cc(struct reader *reader)
{
    struct gpu *gpu = last_gpu(reader);
    return reader->n == 2 && read_int(reader->words[0], &gpu->cc_major) && read_int(reader->words[1], &gpu->cc_minor);
}

static bool read_memory(struct reader *reader)
{
    long long total, free;
    if (reader->n != 2 || !parse_decimal(reader->words[0], &total) || !parse_decimal(reader->words[1], &free))
        return false;
    last_gpu(reader)->memory_total = (uint64_t)total;
    last_gpu(reader)->memory_free = (uint64_t)free;
    return true;
}

static bool read_mig(struct reader *reader)
{
    last_gpu(reader)->mig = true;
    return reader->n == 0;
}

static bool read_mig_uuid(struct reader *reader)
{
    const char *uuid;
    bool is_text = read_text(reader, &uuid);
    if (is_text)
        strv_add(reader->arena, &last_gpu(reader)->mig_uuids, uuid);
    return is_text;
}

static bool read_numa(struct reader *reader)
{
    return reader->n == 1 && read_int(reader->words[0], &last_gpu(reader)->numa_node);
}

/* 0 or 1. */
static bool read_switch(const struct reader *reader, int *value)
{
    return reader->n == 1 && read_int(reader->words[0], value) && *value <= 1;
}

static bool read_persistence(struct reader *reader)
{
    return read_switch(reader, &last_gpu(reader)->persistence);
}

static bool read_display(struct reader *reader)
{
    return read_switch(reader, &last_gpu(reader)->display);
}

static bool read_nvlinks(struct reader *reader)
{
    return reader->n == 1 && read_int(reader->words[0], &last_gpu(reader)->nvlinks);
}

/* nvmlGpuTopologyLevel_t, by the names of nvidia-smi topo. */
static const char *level_name(int level)
{
    static const char *const names[] = {"board", "PIX", "PXB", "PHB", "NODE", "SYS"};
    return level >= 0 && level % 10 == 0 && level <= 50 ? names[level / 10] : NULL;
}

static bool add_peer(const struct reader *reader, int of, const struct gpu_peer *peer)
{
    for (size_t i = 0; i < reader->answer->gpus.n; i++)
        if (reader->answer->gpus.v[i].index == (unsigned)of) {
            *vec_add(reader->arena, &reader->answer->gpus.v[i].peers) = *peer;
            return true;
        }
    return false;
}

static bool read_signed(struct str word, int *number)
{
    *number = -1;
    return str_eq_c(word, "-1") || read_int(word, number);
}

static bool read_peer(struct reader *reader)
{
    int left, right, level, p2p;
    if (reader->n != 4 || !read_int(reader->words[0], &left) || !read_int(reader->words[1], &right)
        || !read_signed(reader->words[2], &level) || !read_signed(reader->words[3], &p2p) || p2p > 1)
        return false;
    return add_peer(reader, left, &(struct gpu_peer){(unsigned)right, level_name(level), p2p})
        && add_peer(reader, right, &(struct gpu_peer){(unsigned)left, level_name(level), p2p});
}

static bool read_end(struct reader *reader)
{
    reader->answer->complete = true;
    return reader->n == 0;
}

static const struct {
    const char *key;
    bool of_gpu;
    bool (*read)(struct reader *reader);
} keys[] = {
    {"library", false, read_library},
    {"version", false, read_version},
    {"library-version", false, read_library_version},
    {"cuda", false, read_cuda},
    {"error", false, read_error},
    {"gpu", false, read_gpu},
    {"name", true, read_name},
    {"uuid", true, read_uuid},
    {"pci", true, read_pci},
    {"cc", true, read_cc},
    {"memory", true, read_memory},
    {"mig", true, read_mig},
    {"mig-uuid", true, read_mig_uuid},
    {"numa", true, read_numa},
    {"persistence", true, read_persistence},
    {"display", true, read_display},
    {"nvlinks", true, read_nvlinks},
    {"peer", false, read_peer},
    {"end", false, read_end},
};

static bool read_line(struct reader *reader, struct str line)
{
    struct str key = {0}, word;
    str_cut(&line, '\t', &key);
    reader->n = 0;
    while (str_cut(&line, '\t', &word)) {
        if (reader->n == sizeof reader->words / sizeof *reader->words)
            return false;
        reader->words[reader->n++] = word;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (str_eq_c(key, keys[i].key))
            return (!keys[i].of_gpu || last_gpu(reader)) && keys[i].read(reader);
    return false;
}

/* A library may write anything to any descriptor, so nothing of an answer is believed unless all of it fits. */
static void read_answer(struct arena *arena, struct answer *answer)
{
    struct reader reader = {.arena = arena, .answer = answer};
    struct str rest = answer->proc.out, line;
    while (str_cut(&rest, '\n', &line)) {
        if (line.n == 0 && rest.n == 0)
            break;
        if (answer->complete || !read_line(&reader, line)) {
            answer->malformed = true;
            answer->complete = false;
            answer->gpus.n = 0;
            return;
        }
    }
}

static void ask(struct probe *probe, int (*function)(void *, int), struct answer *answer)
{
    unsigned deadline = probe->options->deadline_ms ? probe->options->deadline_ms : DEFAULT_DEADLINE_MS;
    *answer = (struct answer){0};
    proc_call(probe->arena, function, NULL, deadline, LARGEST_ANSWER, &answer->proc);
    answer->found = answer->proc.timed_out || answer->proc.status != 1 || answer->proc.out.n;
    if (!answer->proc.timed_out)
        read_answer(probe->arena, answer);
}

struct known_error {
    int code;
    const char *what, *mend;
};

/* nvmlReturn_t; 18 is told apart, because it names two versions. */
static const struct known_error nvml_errors[] = {
    {4, "the driver refuses this user", "ask for access to /dev/nvidia*"},
    {9, "the NVIDIA kernel module is not loaded", "load it (modprobe nvidia), or start the container with its GPUs"},
    {12, "the driver's library lacks a part that it loads", "reinstall the driver"},
    {15, "a GPU fell off the bus", "look for Xid 79 in the kernel log and restart the machine"},
    {17, "the operating system blocks the GPUs (device control group)", "ask the job scheduler or container for a GPU"},
    {NVML_MISMATCH, "the driver's library and kernel module are of different versions",
     "restart the machine, or reload the nvidia modules"},
    {0, NULL, NULL},
};

/* CUresult. */
static const struct known_error cuda_errors[] = {
    {34, "libcuda.so.1 is the toolkit's stub, made for the linker only",
     "take the stubs directory out of LD_LIBRARY_PATH"},
    {100, "the driver shows no GPU", "look at nvidia-smi, or start the container with its GPUs"},
    {802, "the GPUs are not ready yet (on NVSwitch machines the fabric manager must run)",
     "start nvidia-fabricmanager"},
    {803, "libcuda.so.1 and the kernel module are of different versions",
     "restart the machine, or take a compat directory out of LD_LIBRARY_PATH"},
    {804, "libcuda.so.1 is a forward-compatibility driver, which this GPU cannot use",
     "take the compat directory out of LD_LIBRARY_PATH"},
    {999, "the driver failed for a reason that it does not know", "look into the kernel log (dmesg) for NVRM and Xid"},
    {0, NULL, NULL},
};

/* The problem as one line, kept for the checks and given as a warning. */
static void set_problem(struct probe *probe, const char *what, const char *mend)
{
    const char *text = arena_printf(probe->arena, "%s: %s", what, mend);
    probe->machine->driver.problem = text_printable(probe->arena, str_of(text));
    probe_warn(probe, "%s", text);
}

/* NVML puts the major CUDA release before the driver's version: 12.550.90.07 belongs to driver 550.90.07. */
static const char *driver_of(const char *nvml_version)
{
    const char *dot = nvml_version ? strchr(nvml_version, '.') : NULL;
    return dot && dot - nvml_version <= 2 && strchr(dot + 1, '.') ? dot + 1 : nvml_version;
}

static void set_mismatch(struct probe *probe, const struct answer *nvml)
{
    const char *kernel = probe->machine->driver.kernel_version;
    const char *library = driver_of(nvml->library_version);
    set_problem(probe,
                arena_printf(probe->arena, "the driver's library is version %s and the kernel module %s",
                             library ? library : "unknown", kernel ? kernel : "unknown"),
                "restart the machine, or reload the nvidia modules");
}

static void set_failed_call(struct probe *probe, const struct answer *answer, const struct known_error *errors)
{
    for (const struct known_error *error = errors; error->what; error++) {
        if (error->code != answer->code)
            continue;
        set_problem(probe, arena_printf(probe->arena, "%s (%s: error %d)", error->what, answer->function, answer->code),
                    error->mend);
        return;
    }
    set_problem(probe, arena_printf(probe->arena, "%s failed with error %d", answer->function, answer->code),
                "compare with nvidia-smi");
}

/* Whether the child gave a whole answer; else the problem is set. */
static bool is_answer(struct probe *probe, const struct answer *answer, const char *name)
{
    const struct proc *proc = &answer->proc;
    unsigned deadline = probe->options->deadline_ms ? probe->options->deadline_ms : DEFAULT_DEADLINE_MS;
    if (answer->complete)
        return true;
    if (proc->timed_out) {
        probe->machine->driver.timed_out = true;
        set_problem(probe,
                    arena_printf(probe->arena, "driver did not answer in %g s%s", deadline / 1000.0,
                                 proc->stuck ? ", and the process that asked cannot be killed" : ""),
                    "look into the kernel log (dmesg) for Xid, or give it more time with --timeout");
    } else if (!proc->started)
        set_problem(probe, arena_printf(probe->arena, "the driver was not asked: %s", strerror(proc->errnum)),
                    "raise the limit of processes");
    else if (proc->status > 128)
        set_problem(probe, arena_printf(probe->arena, "%s crashed (signal %d)", name, proc->status - 128),
                    "reinstall the driver");
    else
        set_problem(probe, arena_printf(probe->arena, "%s gave an answer that makes no sense", name),
                    "reinstall the driver");
    return false;
}

static void take_gpus(struct probe *probe, const struct answer *answer)
{
    struct machine *machine = probe->machine;
    machine->gpus.n = 0;
    for (size_t i = 0; i < answer->gpus.n; i++)
        *vec_add(probe->arena, &machine->gpus) = answer->gpus.v[i];
    if (answer->version)
        machine->driver.version = answer->version;
    if (answer->cuda)
        machine->driver.cuda = release_from_int(answer->cuda);
}

/* "0000:07:00.0" and NVML's "00000000:07:00.0" are one address. */
static bool same_address(const char *left, const char *right)
{
    left += strspn(left, "0");
    right += strspn(right, "0");
    return strcasecmp(left, right) == 0;
}

/* NVML names the memory node of few GPUs; the PCI bus knows the processor's node of each. */
static void add_numa_nodes(struct probe *probe)
{
    struct strv addresses = probe_list(probe, "/sys/bus/pci/devices");
    for (size_t i = 0; i < probe->machine->gpus.n; i++) {
        struct gpu *gpu = &probe->machine->gpus.v[i];
        for (size_t j = 0; gpu->pci && gpu->numa_node < 0 && j < addresses.n; j++) {
            long long node;
            if (same_address(gpu->pci, addresses.v[j])
                && probe_number(probe, arena_printf(probe->arena, "/sys/bus/pci/devices/%s/numa_node", addresses.v[j]),
                                &node)
                && node < 65536)
                gpu->numa_node = (int)node;
        }
    }
}

static bool has_device_file(struct probe *probe)
{
    struct strv names = probe_list(probe, "/dev");
    for (size_t i = 0; i < names.n; i++) {
        long long minor;
        if (strncmp(names.v[i], "nvidia", 6) == 0 && parse_decimal(str_of(names.v[i] + 6), &minor))
            return true;
    }
    return probe_exists(probe, "/dev/dxg") || probe_exists(probe, "/dev/nvhost-gpu") /* Tegra */
           || probe_exists(probe, "/dev/nvgpu");
}

/* What stands without any call: the host's GPUs are seen, but none is ours. True when that is the problem. */
static bool is_unmapped(struct probe *probe)
{
    struct machine *machine = probe->machine;
    bool host_has_gpu = machine->pci_gpus || machine->gpus.n || machine->driver.kernel_version || machine->tegra;
    if (!machine->container || !host_has_gpu || has_device_file(probe))
        return false;
    machine->gpus.n = 0;
    set_problem(probe, "no GPU is mapped into this container",
                "start it with its GPUs (docker run --gpus all, apptainer --nv, a limit on nvidia.com/gpu)");
    return true;
}

static bool is_without_module(struct probe *probe)
{
    struct machine *machine = probe->machine;
    if (machine->pci_gpus == 0 || machine->driver.kernel_version || machine->wsl || machine->tegra)
        return false;
    const char *what =
        arena_printf(probe->arena, "%u NVIDIA GPU%s on the PCI bus, but no NVIDIA kernel module is loaded",
                     machine->pci_gpus, machine->pci_gpus > 1 ? "s" : "");
    set_problem(probe, what, "install NVIDIA's driver, or load it (modprobe nvidia)");
    return true;
}

static bool is_wsl_without_driver(struct probe *probe)
{
    if (!probe->machine->wsl || probe_exists(probe, "/usr/lib/wsl/lib/libcuda.so.1"))
        return false;
    if (!probe_exists(probe, "/dev/dxg"))
        set_problem(probe, "this WSL has no GPU device (/dev/dxg)", "use WSL 2 with a GPU driver installed on Windows");
    else
        set_problem(probe, "/usr/lib/wsl/lib has no libcuda.so.1",
                    "install NVIDIA's driver on Windows, and none inside WSL");
    return true;
}

/* The host's libraries are absent although there is a GPU to drive. */
static void say_missing_library(struct probe *probe)
{
    const struct machine *machine = probe->machine;
    if (machine->driver.kernel_version)
        set_problem(probe,
                    arena_printf(probe->arena,
                                 "kernel module %s is loaded, but neither libnvidia-ml.so.1 nor "
                                 "libcuda.so.1 is found",
                                 machine->driver.kernel_version),
                    "install the driver's libraries of the same version");
    else if (machine->tegra)
        set_problem(probe, "this is a Tegra machine, but libcuda.so.1 is not found", "install nvidia-l4t-cuda");
}

/* libcuda answers where NVML is missing (Tegra, slim containers). */
static void ask_cuda(struct probe *probe)
{
    struct answer cuda;
    ask(probe, cuda_answer, &cuda);
    if (!cuda.found) {
        say_missing_library(probe);
        return;
    }
    if (!is_answer(probe, &cuda, "libcuda.so.1"))
        return;
    if (cuda.code)
        set_failed_call(probe, &cuda, cuda_errors);
    if (!cuda.code || cuda.gpus.n)
        take_gpus(probe, &cuda);
}

static void ask_nvml(struct probe *probe)
{
    struct answer nvml;
    ask(probe, nvml_answer, &nvml);
    if (!nvml.found) {
        ask_cuda(probe);
        return;
    }
    if (!is_answer(probe, &nvml, "libnvidia-ml.so.1"))
        return;
    if (nvml.code == NVML_MISMATCH)
        set_mismatch(probe, &nvml);
    else if (nvml.code)
        set_failed_call(probe, &nvml, nvml_errors);
    if (!nvml.code || nvml.gpus.n)
        take_gpus(probe, &nvml);
    if (probe->machine->tegra && !nvml.code && nvml.gpus.n == 0)
        ask_cuda(probe);
}

void probe_driver(struct probe *probe)
{
    bool explained = is_unmapped(probe) || is_without_module(probe) || is_wsl_without_driver(probe);
    if (!probe->is_real || probe->options->no_driver)
        return;
    struct machine *machine = probe->machine;
    size_t warnings = machine->warnings.n;
    const char *problem = machine->driver.problem;
    machine->driver.problem = NULL;
    ask_nvml(probe);
    add_numa_nodes(probe);
    /* What the bus explains says more than the library's error that follows from it. */
    if (explained && machine->gpus.n == 0) {
        machine->driver.problem = problem;
        machine->warnings.n = warnings;
    } else if (explained) {
        memmove(machine->warnings.v + warnings - 1, machine->warnings.v + warnings,
                (machine->warnings.n - warnings) * sizeof *machine->warnings.v);
        machine->warnings.n--;
    }
}
