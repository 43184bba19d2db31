/* GPUs as the kernel shows them: no driver is called, so nothing here can hang. */
#include <string.h>

#include "probe/probe.h"
#include "util/path.h"
#include "util/text.h"

#define PCI_DIR "/sys/bus/pci/devices"
#define DRIVER_DIR "/proc/driver/nvidia"

/* Vendor 0x10de, class 0x0300xx (VGA) or 0x0302xx (3D controller): the PCI ID repository. */
static unsigned count_pci_gpus(struct probe *probe)
{
    struct strv devices = probe_list(probe, PCI_DIR);
    unsigned count = 0;
    for (size_t i = 0; i < devices.n; i++) {
        const char *dir = path_join(probe->arena, PCI_DIR, devices.v[i]);
        const char *vendor = probe_line(probe, path_join(probe->arena, dir, "vendor"));
        if (!vendor || strcmp(vendor, "0x10de") != 0)
            continue;
        const char *class = probe_line(probe, path_join(probe->arena, dir, "class"));
        count += class && (strncmp(class, "0x0300", 6) == 0 || strncmp(class, "0x0302", 6) == 0);
    }
    return count;
}

/* The first word that is a version, N.N or N.N.N, as both kinds of module write it:
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri …", "… Open Kernel Module for x86_64  550.90.07 …".
 */
static const char *version_in(struct arena *arena, const char *line)
{
    struct str rest = str_of(line), word;
    while (next_word(&rest, &word)) {
        struct release release;
        if (release_parse(word, &release) && release.minor >= 0)
            return str_dup(arena, word);
    }
    return NULL;
}

static const char *kernel_version(struct probe *probe)
{
    const char *line = probe_line(probe, DRIVER_DIR "/version");
    const char *version = line ? version_in(probe->arena, line) : NULL;
    line = version ? NULL : probe_line(probe, "/sys/module/nvidia/version");
    return line ? version_in(probe->arena, line) : version;
}

/* "Model: \t\t NVIDIA A100", "GPU UUID: \t GPU-…" (question marks until the GPU was first used). */
static void read_information(struct probe *probe, const char *address)
{
    struct str rest, line, key;
    const char *path = arena_printf(probe->arena, DRIVER_DIR "/gpus/%s/information", address);
    if (!probe_file(probe, path, &rest))
        return;
    struct gpu *gpu = vec_add(probe->arena, &probe->machine->gpus);
    *gpu = (struct gpu){
        .index = (unsigned)probe->machine->gpus.n - 1,
        .pci = address,
        .cc_major = -1,
        .cc_minor = -1,
        .numa_node = -1,
        .persistence = -1,
        .display = -1,
        .nvlinks = -1,
    };
    while (str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, ':', &key))
            continue;
        const char *value = text_printable(probe->arena, str_trim(line));
        if (str_eq_c(key, "Model") && value[0])
            gpu->name = value;
        else if (str_eq_c(key, "GPU UUID") && value[0] && !strchr(value, '?'))
            gpu->uuid = value;
    }
    long long node;
    if (probe_number(probe, arena_printf(probe->arena, PCI_DIR "/%s/numa_node", address), &node) && node < 65536)
        gpu->numa_node = (int)node;
}

void probe_bus(struct probe *probe)
{
    struct machine *machine = probe->machine;
    struct strv addresses = probe_list(probe, DRIVER_DIR "/gpus");
    machine->pci_gpus = count_pci_gpus(probe);
    machine->driver.kernel_version = kernel_version(probe);
    machine->driver.version = machine->driver.kernel_version;
    for (size_t i = 0; i < addresses.n; i++)
        read_information(probe, addresses.v[i]);
}
