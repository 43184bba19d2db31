#include "probe/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/output.h"
#include "cmd/probe_diff.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

struct page {
    struct text text;
    bool colored;
};

static const char *safe(struct page *page, const char *string)
{
    return text_printable(page->text.arena, str_of(string ? string : "?"));
}

/* One line: a label of fixed width and what follows it. */
static void put(struct page *page, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(struct page *page, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *value = arena_vprintf(page->text.arena, format, args);
    va_end(args);
    text_add(&page->text, "%s%-11s%s %s\n", page->colored ? "\033[1m" : "", label, page->colored ? "\033[0m" : "",
             value);
}

static void put_warning(struct page *page, const char *label, const char *warning)
{
    put(page, label, "%s%s%s", page->colored ? "\033[33m" : "", safe(page, warning), page->colored ? "\033[0m" : "");
}

static const char *size_text(struct arena *arena, uint64_t bytes)
{
    double gib = (double)bytes / (1024.0 * 1024 * 1024);
    return bytes == 0 ? "?" : arena_printf(arena, gib < 10 ? "%.1f GiB" : "%.0f GiB", gib);
}

static int widest_name(struct page *page, const struct machine *machine)
{
    size_t widest = 0;
    for (size_t i = 0; i < machine->gpus.n; i++) {
        size_t length = strlen(safe(page, machine->gpus.v[i].name));
        widest = length > widest ? length : widest;
    }
    return widest < 60 ? (int)widest : 60;
}

/* What is on, beside the numbers. */
static void put_switches(struct page *page, const struct gpu *gpu)
{
    struct text line = {.arena = page->text.arena};
    text_bytes(&line, "", 0);
    if (gpu->nvlinks > 0)
        text_add(&line, "%d NVLink%s", gpu->nvlinks, gpu->nvlinks == 1 ? "" : "s");
    if (gpu->display == 1)
        text_add(&line, "%sdrives a screen", line.n ? ", " : "");
    if (gpu->persistence == 0)
        text_add(&line, "%spersistence mode is off", line.n ? ", " : "");
    if (line.n)
        put(page, "", "%s", line.s);
}

static void put_gpu(struct page *page, const struct gpu *gpu, int width)
{
    struct arena *arena = page->text.arena;
    struct text line = {.arena = arena};
    text_add(&line, "%-*s", width, safe(page, gpu->name));
    if (gpu->cc_major >= 0)
        text_add(&line, "  sm_%d%d", gpu->cc_major, gpu->cc_minor);
    if (gpu->memory_total)
        text_add(&line, "  %s", size_text(arena, gpu->memory_total));
    if (gpu->memory_free)
        text_add(&line, " (%s free)", size_text(arena, gpu->memory_free));
    if (gpu->pci)
        text_add(&line, "  %s", safe(page, gpu->pci));
    if (gpu->uuid)
        text_add(&line, "  %s", safe(page, gpu->uuid));
    put(page, arena_printf(arena, "GPU %u", gpu->index), "%s", line.s);
    put_switches(page, gpu);
    if (gpu->mig)
        put(page, "", "MIG is on, %zu instance%s", gpu->mig_uuids.n, gpu->mig_uuids.n == 1 ? "" : "s");
    for (size_t i = 0; i < gpu->mig_uuids.n; i++)
        put(page, "", "%s", safe(page, gpu->mig_uuids.v[i]));
}

struct pairs {
    size_t all, p2p, without, by_path[6];
};

static const char *const path_names[6] = {"board", "PIX", "PXB", "PHB", "NODE", "SYS"};

static void count_pairs(const struct machine *machine, struct pairs *pairs)
{
    for (size_t i = 0; i < machine->gpus.n; i++)
        for (size_t j = 0; j < machine->gpus.v[i].peers.n; j++) {
            const struct gpu_peer *peer = &machine->gpus.v[i].peers.v[j];
            if (peer->index < machine->gpus.v[i].index)
                continue; /* told at the other one */
            pairs->all++;
            pairs->p2p += peer->p2p == 1;
            pairs->without += peer->p2p == 0;
            for (size_t k = 0; k < sizeof path_names / sizeof *path_names; k++)
                pairs->by_path[k] += cstr_eq(peer->path, path_names[k]);
        }
}

/* "28 pairs: 12 NODE, 16 SYS; P2P in 12" */
static void put_pairs(struct page *page, const struct machine *machine)
{
    struct pairs pairs = {0};
    struct text line = {.arena = page->text.arena};
    bool any = false;
    count_pairs(machine, &pairs);
    if (pairs.all == 0)
        return;
    text_add(&line, "%zu pair%s", pairs.all, pairs.all == 1 ? "" : "s");
    for (size_t k = 0; k < sizeof path_names / sizeof *path_names; k++)
        if (pairs.by_path[k]) {
            text_add(&line, "%s %zu %s", any ? "," : ":", pairs.by_path[k], path_names[k]);
            any = true;
        }
    if (pairs.p2p == pairs.all)
        text_add(&line, "; P2P in all");
    else if (pairs.p2p || pairs.without)
        text_add(&line, "; P2P in %zu", pairs.p2p);
    put(page, "topology", "%s", line.s);
}

static void put_gpus(struct page *page, const struct machine *machine)
{
    const struct driver *driver = &machine->driver;
    int width = widest_name(page, machine);
    for (size_t i = 0; i < machine->gpus.n; i++)
        put_gpu(page, &machine->gpus.v[i], width);
    put_pairs(page, machine);
    if (machine->gpus.n == 0)
        put(page, "GPU", "none");
    if (driver->version && driver->cuda.major >= 0)
        put(page, "driver", "%s, runs CUDA up to %s", safe(page, driver->version),
            release_text(page->text.arena, driver->cuda));
    else if (driver->version)
        put(page, "driver", "%s", safe(page, driver->version));
    else if (driver->cuda.major >= 0)
        put(page, "driver", "runs CUDA up to %s", release_text(page->text.arena, driver->cuda));
    else
        put(page, "driver", "none");
    if (driver->problem)
        put_warning(page, "", driver->problem);
}

static void put_cpu(struct page *page, const struct machine *machine)
{
    const struct cpu *cpu = &machine->cpu;
    struct text line = {.arena = page->text.arena};
    text_add(&line, "%u usable: %u online, %u allowed, %u core%s", cpu->usable, cpu->online, cpu->affinity, cpu->cores,
             cpu->cores == 1 ? "" : "s");
    if (cpu->efficiency)
        text_add(&line, " (hybrid: %u CPUs on slower cores)", cpu->efficiency);
    if (cpu->numa_nodes > 1)
        text_add(&line, ", %u NUMA nodes", cpu->numa_nodes);
    put(page, "CPU", "%s", line.s);
    if (cpu->quota > 0)
        put(page, "", "quota of %.2f CPUs (%s)", cpu->quota, safe(page, cpu->quota_path));
    if (cpu->pids_max)
        put(page, "", "at most %ld processes and threads", cpu->pids_max);
    struct arena *arena = page->text.arena;
    const struct memory *memory = &machine->memory;
    put(page, "memory", "%s, %s available%s%s", size_text(arena, memory->total), size_text(arena, memory->available),
        memory->limit ? ", limited to " : "", memory->limit ? size_text(arena, memory->limit) : "");
}

static void put_network(struct page *page, const struct machine *machine)
{
    for (size_t i = 0; i < machine->nics.n; i++) {
        const struct nic *nic = &machine->nics.v[i];
        struct text line = {.arena = page->text.arena};
        text_add(&line, "%-10s %s%s", safe(page, nic->name), safe(page, nic->state),
                 nic->is_virtual ? ", virtual" : "");
        if (nic->speed_mbit >= 0)
            text_add(&line, ", %ld Mbit/s", nic->speed_mbit);
        if (nic->has_default_route)
            text_add(&line, ", default route");
        for (size_t j = 0; j < nic->addresses.n; j++)
            text_add(&line, "%s%s", j ? ", " : "  ", safe(page, nic->addresses.v[j]));
        put(page, i ? "" : "network", "%s", line.s);
    }
    for (size_t i = 0; i < machine->infiniband.n; i++) {
        const struct ib_port *port = &machine->infiniband.v[i];
        put(page, i ? "" : "InfiniBand", "%-10s port %u %s, %s", safe(page, port->device), port->port,
            safe(page, port->state), safe(page, port->link_layer));
    }
}

static void put_toolkits(struct page *page, const struct machine *machine)
{
    struct arena *arena = page->text.arena;
    for (size_t i = 0; i < machine->toolkits.n; i++) {
        const struct toolkit *toolkit = &machine->toolkits.v[i];
        struct text line = {.arena = arena};
        text_add(&line, "CUDA %-7s %s", release_text(arena, toolkit->release), safe(page, toolkit->root));
        if (strcmp(toolkit->root, toolkit->real) != 0)
            text_add(&line, " -> %s", safe(page, toolkit->real));
        if (!toolkit->nvcc)
            text_add(&line, ", without nvcc");
        put(page, i ? "" : "toolkit", "%s", line.s);
    }
    if (machine->toolkits.n == 0)
        put(page, "toolkit", "none");
}

static void put_host(struct page *page, const struct machine *machine)
{
    put(page, "host", "%s, Linux %s, %s%s%s", safe(page, machine->host), safe(page, machine->kernel),
        safe(page, machine->arch), machine->libc ? ", " : "", machine->libc ? safe(page, machine->libc) : "");
    if (machine->container)
        put(page, "container", "%s", safe(page, machine->container));
    if (machine->wsl || machine->tegra)
        put(page, "kind", "%s", machine->wsl ? "WSL" : "Tegra (Jetson)");
}

/* GPUs first. A driver's problem stands with the driver; what else is to be known, at the end. */
static struct str page_of(struct arena *arena, const struct machine *machine, bool colored)
{
    struct page page = {.text = {.arena = arena}, .colored = colored};
    put_gpus(&page, machine);
    put_cpu(&page, machine);
    put_network(&page, machine);
    put_toolkits(&page, machine);
    put_host(&page, machine);
    for (size_t i = 0; i < machine->warnings.n; i++)
        if (!cstr_eq(machine->warnings.v[i], machine->driver.problem))
            put_warning(&page, "warning", machine->warnings.v[i]);
    return text_str(&page.text);
}

static bool read_options(struct run *run, struct probe_options *probe)
{
    const struct options *options = &run->options;
    *probe = (struct probe_options){.root = options->root, .no_driver = options->no_driver, .prefix = options->prefix};
    if (!gather_deadline(run, &probe->deadline_ms))
        return false;
    if (options->root && !file_is_dir(options->root))
        return err_set(&run->err, ERR_INPUT, "root directory", options->root, 0, 0, "there is no such directory");
    if (!probe->prefix && !options->root)
        probe->prefix = getenv("CONDA_PREFIX");
    if (probe->prefix && probe->prefix[0] && !options->root)
        probe->prefix = path_absolute(run->arena, probe->prefix);
    return true;
}

static bool get_machine(struct run *run, const char *snapshot, const struct probe_options *options,
                        struct machine *machine)
{
    if (snapshot)
        return machine_from_json(run->arena, snapshot, machine, &run->err);
    probe_machine(run->arena, options, machine);
    return true;
}

/* Two snapshots, or one and this machine. */
static int diff(struct run *run, const struct probe_options *options, bool json, const char *output)
{
    const struct strv *operands = &run->options.operands;
    struct machine left, right;
    struct text text = {.arena = run->arena};
    if (operands->n == 0) {
        err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "--diff compares two snapshots, or one with this machine");
        return err_mend(&run->err, "condagpu probe --diff A.json B.json"), RUN_FAILED;
    }
    if (!get_machine(run, operands->v[0], options, &left)
        || !get_machine(run, operands->n > 1 ? operands->v[1] : NULL, options, &right))
        return RUN_FAILED;
    bool same = probe_diff(run->arena, (const struct machine *const[]){&left, &right}, json, &text);
    if (!output_write(output, text_str(&text), &run->err))
        return RUN_FAILED;
    return same ? 0 : 1;
}

static int probe(struct run *run)
{
    const struct strv *outputs = &run->options.outputs;
    const char *output = outputs->n ? outputs->v[outputs->n - 1] : "-";
    struct probe_options options;
    struct machine machine;
    bool json;
    if (!output_is_json(run, &json) || !read_options(run, &options))
        return RUN_FAILED;
    if (run->options.diff)
        return diff(run, &options, json, output);
    if (run->options.operands.n)
        return err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "probe takes files with --diff alone"), RUN_FAILED;
    if (!get_machine(run, run->options.probe, &options, &machine))
        return RUN_FAILED;
    if (json)
        return output_json(run, machine_to_json(&machine)) ? 0 : RUN_FAILED;
    bool colored =
        strcmp(output, "-") == 0 ? use_color(&run->options, STDOUT_FILENO) : cstr_eq(run->options.color, "always");
    return output_write(output, page_of(run->arena, &machine, colored), &run->err) ? 0 : RUN_FAILED;
}

static const enum option_id options[] = {
    OPT_PREFIX, OPT_PROBE, OPT_DIFF, OPT_FORMAT, OPT_OUTPUT, OPT_ROOT, OPT_TIMEOUT, OPT_NO_DRIVER, OPT_END,
};

const struct cmd cmd_probe = {
    .name = "probe",
    .summary = "show the GPUs, driver, CPUs, network and CUDA toolkits of this machine",
    .operands = "[FILE [FILE]]",
    .most_operands = 2,
    .options = options,
    .function = probe,
};
