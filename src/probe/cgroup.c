/* Limits of control groups. A process is bound by the tightest limit among its group and all ancestors (Linux
 * Documentation/admin-guide/cgroup-v2.rst, "Resource Distribution Models"; cgroup-v1/cgroups.rst), so every directory
 * from the process's own up to the mount point is read. */
#include <string.h>

#include "probe/probe.h"
#include "util/path.h"
#include "util/text.h"

enum controller { CPU, CPUSET, PIDS, MEMORY, CONTROLLERS };

static const char *const controller_names[CONTROLLERS] = {"cpu", "cpuset", "pids", "memory"};

/* A mounted hierarchy, after proc(5), "/proc/pid/mountinfo". */
struct mount {
    bool v2;
    const char *root; /* the group that is mounted, as this process's cgroup namespace names it */
    const char *point;
    struct str options; /* of the super block: the controllers of version 1 */
};

struct walk {
    struct probe *probe;
    struct cpulist *cpuset;
    bool has_cpuset;
};

/* mountinfo writes blanks and backslashes as three octal digits. */
static const char *unescape(struct arena *arena, struct str text)
{
    struct text out = {.arena = arena};
    text_bytes(&out, "", 0);
    for (size_t i = 0; i < text.n; i++) {
        const char *s = text.s + i;
        bool octal = s[0] == '\\' && text.n - i > 3 && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7'
                     && s[3] >= '0' && s[3] <= '7';
        char byte = octal ? (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0')) : s[0];
        text_bytes(&out, &byte, 1);
        i += octal ? 3 : 0;
    }
    return out.s;
}

static bool list_has(struct str list, const char *name)
{
    struct str part;
    while (str_cut(&list, ',', &part))
        if (str_eq_c(part, name))
            return true;
    return false;
}

/* "36 35 98:0 /root /point rw,noatime shared:1 - cgroup cgroup rw,cpu" */
static bool parse_mount(struct arena *arena, struct str line, struct mount *mount)
{
    struct str word, words[5];
    for (size_t i = 0; i < 5; i++)
        if (!next_word(&line, &words[i]))
            return false;
    do {
        if (!next_word(&line, &word))
            return false;
    } while (!str_eq_c(word, "-"));
    struct str type, source;
    if (!next_word(&line, &type) || !next_word(&line, &source))
        return false;
    next_word(&line, &mount->options);
    mount->v2 = str_eq_c(type, "cgroup2");
    mount->root = unescape(arena, words[3]);
    mount->point = unescape(arena, words[4]);
    return mount->v2 || str_eq_c(type, "cgroup");
}

/* The process's group in the hierarchy of `controller` ("0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1).
 */
static const char *group_of(struct probe *probe, bool v2, const char *controller)
{
    struct str rest, line;
    if (!probe_file(probe, "/proc/self/cgroup", &rest))
        return NULL;
    while (str_cut(&rest, '\n', &line)) {
        struct str id, controllers;
        if (!str_cut(&line, ':', &id) || !str_cut(&line, ':', &controllers) || line.n == 0)
            continue;
        bool is_v2 = str_eq_c(id, "0") && controllers.n == 0;
        if (v2 ? is_v2 : list_has(controllers, controller))
            return str_dup(probe->arena, line);
    }
    return NULL;
}

static bool goes_up(const char *path)
{
    struct str rest = str_of(path), part;
    while (str_cut(&rest, '/', &part))
        if (str_eq_c(part, ".."))
            return true;
    return false;
}

/* What to append to the mount point: the group below the mounted one. A container that mounts nothing but its own
 * group, and a namespace whose root lies below the mounted group ("/.."), show just the mount point. A group outside
 * the namespace ("/../x") is not in the mount at all: NULL. */
static const char *group_below(const struct mount *mount, const char *group)
{
    const char *below = path_relative(mount->root, group);
    if (!below)
        return goes_up(group) ? NULL : "";
    return goes_up(below) ? NULL : below;
}

static void take_quota(struct walk *walk, double quota, const char *path)
{
    struct cpu *cpu = &walk->probe->machine->cpu;
    if (quota > 0 && (cpu->quota <= 0 || quota < cpu->quota)) {
        cpu->quota = quota;
        cpu->quota_path = path;
    }
}

/* Version 2: "max 100000" or "250000 100000". Version 1: microseconds in two files, -1 for none. */
static void read_quota(struct walk *walk, bool v2, const char *dir)
{
    struct probe *probe = walk->probe;
    const char *path = path_join(probe->arena, dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    const char *line = probe_line(probe, path);
    long long quota, period = 100000; /* the kernel's default */
    struct str rest = str_of(line), word;
    if (!next_word(&rest, &word) || !parse_decimal(word, &quota))
        return;
    if (v2 && next_word(&rest, &word) && !parse_decimal(word, &period))
        return;
    if (!v2 && !probe_number(probe, path_join(probe->arena, dir, "cpu.cfs_period_us"), &period))
        return;
    if (period > 0)
        take_quota(walk, (double)quota / (double)period, path);
}

static void read_pids(struct walk *walk, bool v2, const char *dir)
{
    (void)v2;
    long long most;
    long *pids_max = &walk->probe->machine->cpu.pids_max;
    if (probe_number(walk->probe, path_join(walk->probe->arena, dir, "pids.max"), &most) && most > 0
        && (*pids_max == 0 || most < *pids_max))
        *pids_max = (long)most;
}

/* A limit that is no smaller than the machine's memory is none (version 1 writes 2^63 less a page). */
static void read_memory(struct walk *walk, bool v2, const char *dir)
{
    long long bytes;
    struct memory *memory = &walk->probe->machine->memory;
    const char *path = path_join(walk->probe->arena, dir, v2 ? "memory.max" : "memory.limit_in_bytes");
    const char *line = probe_line(walk->probe, path);
    if (!line || !parse_decimal(str_of(line), &bytes) || bytes == 0)
        return;
    uint64_t limit = (uint64_t)bytes;
    if ((memory->total == 0 || limit < memory->total) && (memory->limit == 0 || limit < memory->limit))
        memory->limit = limit;
}

/* The effective set already counts all ancestors, so the nearest one that there is decides. */
static void read_cpuset(struct walk *walk, bool v2, const char *dir)
{
    static const char *const names[2][2] = {{"cpuset.effective_cpus", "cpuset.cpus"},
                                            {"cpuset.cpus.effective", "cpuset.cpus.effective"}};
    for (size_t i = 0; i < 2 && !walk->has_cpuset; i++) {
        struct str content;
        struct cpulist list = {{0}};
        if (!probe_file(walk->probe, path_join(walk->probe->arena, dir, names[v2][i]), &content)
            || !cpulist_parse(content, &list) || cpulist_count(&list) == 0)
            continue;
        *walk->cpuset = list;
        walk->has_cpuset = true;
    }
}

static void (*const readers[CONTROLLERS])(struct walk *walk, bool v2, const char *dir) = {
    read_quota,
    read_cpuset,
    read_pids,
    read_memory,
};

/* From the process's own group up to the mount point. */
static void walk_up(struct walk *walk, enum controller controller, const struct mount *mount)
{
    struct arena *arena = walk->probe->arena;
    const char *group = group_of(walk->probe, mount->v2, controller_names[controller]);
    const char *below = group ? group_below(mount, group) : NULL;
    if (!below)
        return;
    char *relative = arena_strdup(arena, below);
    for (;;) {
        readers[controller](walk, mount->v2, relative[0] ? path_join(arena, mount->point, relative) : mount->point);
        if (!relative[0])
            return;
        char *slash = strrchr(relative, '/');
        *(slash ? slash : relative) = '\0';
    }
}

void probe_cgroup(struct probe *probe, struct cpulist *cpuset)
{
    struct walk walk = {.probe = probe, .cpuset = cpuset};
    struct str rest, line;
    if (!probe_file(probe, "/proc/self/mountinfo", &rest))
        return;
    while (str_cut(&rest, '\n', &line)) {
        struct mount mount = {0};
        if (!parse_mount(probe->arena, line, &mount))
            continue;
        for (int controller = 0; controller < CONTROLLERS; controller++)
            if (mount.v2 || list_has(mount.options, controller_names[controller]))
                walk_up(&walk, (enum controller)controller, &mount);
    }
}
