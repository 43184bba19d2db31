#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe/probe.h"

/* A sign that the process runs in a container: a file, a variable, or a word in a file. The first that fits decides, so
 * Kubernetes stands before the engine below it. */
static const struct {
    const char *kind, *file, *word, *variable;
} containers[] = {
    {"kubernetes", "/run/secrets/kubernetes.io", NULL, NULL},
    {"kubernetes", "/var/run/secrets/kubernetes.io", NULL, NULL},
    {"kubernetes", NULL, NULL, "KUBERNETES_SERVICE_HOST"},
    {"kubernetes", "/proc/self/cgroup", "kubepods", NULL},
    {"apptainer", "/.singularity.d", NULL, NULL},
    {"apptainer", NULL, NULL, "APPTAINER_CONTAINER"},
    {"apptainer", NULL, NULL, "SINGULARITY_CONTAINER"},
    {"podman", "/run/.containerenv", NULL, NULL},
    {"docker", "/.dockerenv", NULL, NULL},
    {"docker", "/proc/self/cgroup", "/docker/", NULL},
    {"docker", "/proc/self/cgroup", "/docker-", NULL},
    {"podman", "/proc/self/cgroup", "/libpod-", NULL},
    {"lxc", "/proc/self/cgroup", "/lxc", NULL},
};

static bool file_holds(struct probe *probe, const char *path, const char *word)
{
    struct str content;
    return probe_file(probe, path, &content) && memmem(content.s, content.n, word, strlen(word)) != NULL;
}

static const char *find_container(struct probe *probe)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        bool fits = containers[i].variable ? probe_env(probe, containers[i].variable) != NULL
                    : containers[i].word   ? file_holds(probe, containers[i].file, containers[i].word)
                                           : probe_exists(probe, containers[i].file);
        if (fits)
            return containers[i].kind;
    }
    const char *named = probe_line(probe, "/run/systemd/container"); /* systemd-nspawn, lxc, … (systemd's own file) */
    if (!named || !named[0])
        named = probe_env(probe, "container");
    return named && strcmp(named, "wsl") != 0 && named[0] ? named : NULL;
}

static bool is_tegra(struct probe *probe)
{
    return file_holds(probe, "/proc/device-tree/compatible", "nvidia,tegra")
           || probe_exists(probe, "/etc/nv_tegra_release") || file_holds(probe, "/sys/devices/soc0/family", "Tegra");
}

static const char *find_libc(struct probe *probe)
{
    char name[64];
    if (probe->is_real && confstr(_CS_GNU_LIBC_VERSION, name, sizeof name) > 0)
        return arena_strdup(probe->arena, name);
    struct strv files = probe_list(probe, "/lib");
    for (size_t i = 0; i < files.n; i++)
        if (strncmp(files.v[i], "ld-musl-", 8) == 0)
            return "musl";
    return NULL;
}

/* "MemTotal:   16384 kB" in bytes; 0 where the line is missing. */
static uint64_t meminfo(struct str content, const char *name)
{
    struct str line, key, word;
    while (str_cut(&content, '\n', &line)) {
        long long kilobytes;
        if (str_cut(&line, ':', &key) && str_eq_c(key, name) && next_word(&line, &word)
            && parse_decimal(word, &kilobytes) && kilobytes < INT64_MAX / 1024)
            return (uint64_t)kilobytes * 1024;
    }
    return 0;
}

void probe_host(struct probe *probe)
{
    struct machine *machine = probe->machine;
    struct utsname names;
    struct str content;
    machine->host = probe_line(probe, "/proc/sys/kernel/hostname");
    machine->kernel = probe_line(probe, "/proc/sys/kernel/osrelease");
    machine->arch = probe->is_real && uname(&names) == 0 ? arena_strdup(probe->arena, names.machine)
                                                         : probe_line(probe, "/proc/sys/kernel/arch");
    machine->libc = find_libc(probe);
    machine->wsl = machine->kernel && strcasestr(machine->kernel, "microsoft");
    machine->tegra = is_tegra(probe);
    machine->container = find_container(probe);
    if (probe_file(probe, "/proc/meminfo", &content)) {
        machine->memory.total = meminfo(content, "MemTotal");
        machine->memory.available = meminfo(content, "MemAvailable");
    }
}
