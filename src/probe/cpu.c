#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/probe.h"
#include "util/path.h"

#define CPU_DIR "/sys/devices/system/cpu"

static bool read_list(struct probe *probe, const char *path, struct cpulist *list)
{
    struct str content;
    *list = (struct cpulist){{0}};
    return probe_file(probe, path, &content) && cpulist_parse(content, list) && cpulist_count(list) > 0;
}

/* The value of a "Name:\tvalue" line. */
static bool status_value(struct probe *probe, const char *name, struct str *value)
{
    struct str rest, line, key;
    if (!probe_file(probe, "/proc/self/status", &rest))
        return false;
    while (str_cut(&rest, '\n', &line)) {
        if (str_cut(&line, ':', &key) && str_eq_c(key, name)) {
            *value = str_trim(line);
            return true;
        }
    }
    return false;
}

/* sched_getaffinity(2) fails with EINVAL until the mask is as large as the kernel's. */
static bool real_affinity(struct cpulist *list)
{
    *list = (struct cpulist){{0}};
    for (unsigned cpus = 1024; cpus <= MOST_CPUS; cpus *= 2) {
        size_t size = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *set = CPU_ALLOC(cpus);
        bool known = set && sched_getaffinity(0, size, set) == 0;
        for (unsigned cpu = 0; known && cpu < cpus; cpu++)
            if (CPU_ISSET_S(cpu, size, set))
                cpulist_add(list, cpu);
        CPU_FREE(set);
        if (known)
            return cpulist_count(list) > 0;
    }
    return false;
}

static bool read_affinity(struct probe *probe, struct cpulist *list)
{
    struct str value;
    if (probe->is_real && real_affinity(list))
        return true;
    *list = (struct cpulist){{0}};
    return status_value(probe, "Cpus_allowed_list", &value) && cpulist_parse(value, list) && cpulist_count(list) > 0;
}

/* Without /sys: the "processor : N" lines. */
static bool read_cpuinfo(struct probe *probe, struct cpulist *list)
{
    struct str rest, line, key;
    *list = (struct cpulist){{0}};
    if (!probe_file(probe, "/proc/cpuinfo", &rest))
        return false;
    while (str_cut(&rest, '\n', &line)) {
        long long cpu;
        if (str_cut(&line, ':', &key) && str_eq_c(str_trim(key), "processor") && parse_decimal(str_trim(line), &cpu)
            && cpu < MOST_CPUS)
            cpulist_add(list, (unsigned)cpu);
    }
    return cpulist_count(list) > 0;
}

/* The CPUs that share a core with `cpu`; core_cpus_list is the newer name of thread_siblings_list (Linux 5.3). */
static bool read_siblings(struct probe *probe, unsigned cpu, struct cpulist *list)
{
    static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (read_list(probe, arena_printf(probe->arena, CPU_DIR "/cpu%u/topology/%s", cpu, names[i]), list))
            return true;
    return false;
}

/* Each core once; a CPU whose siblings are not known counts as a core. */
static unsigned count_cores(struct probe *probe, const struct cpulist *allowed)
{
    struct cpulist seen = {{0}}, siblings;
    unsigned cores = 0;
    for (unsigned cpu = cpulist_next(allowed, 0); cpu < MOST_CPUS; cpu = cpulist_next(allowed, cpu + 1)) {
        if (cpulist_has(&seen, cpu))
            continue;
        cores++;
        if (!read_siblings(probe, cpu, &siblings))
            continue;
        for (unsigned i = cpulist_next(&siblings, 0); i < MOST_CPUS; i = cpulist_next(&siblings, i + 1))
            cpulist_add(&seen, i);
    }
    return cores;
}

static unsigned count_nodes(struct probe *probe)
{
    struct cpulist nodes;
    struct strv names = probe_list(probe, "/sys/devices/system/node");
    unsigned count = 0;
    if (read_list(probe, "/sys/devices/system/node/online", &nodes))
        return cpulist_count(&nodes);
    for (size_t i = 0; i < names.n; i++) {
        long long node;
        count += strncmp(names.v[i], "node", 4) == 0 && parse_decimal(str_of(names.v[i] + 4), &node);
    }
    return count;
}

/* Intel's hybrid CPUs have one performance monitor for each kind of core. */
static unsigned count_efficiency(struct probe *probe, const struct cpulist *allowed)
{
    struct cpulist slow;
    if (!read_list(probe, "/sys/devices/cpu_atom/cpus", &slow))
        return 0;
    cpulist_and(&slow, allowed);
    return cpulist_count(&slow);
}

static void read_online(struct probe *probe, struct cpulist *online)
{
    if (read_list(probe, CPU_DIR "/online", online) || read_cpuinfo(probe, online))
        return;
    *online = (struct cpulist){{0}};
}

/* A limit of the job scheduler that no kernel mechanism enforces. */
static void hint_schedulers(struct probe *probe)
{
    static const struct {
        const char *name, *scheduler;
    } hints[] = {
        {"SLURM_CPUS_PER_TASK", "Slurm"},
        {"NCPUS", "PBS"},
        {"LSB_MAX_NUM_PROCESSORS", "LSF"},
    };
    const struct cpu *cpu = &probe->machine->cpu;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const char *value = probe_env(probe, hints[i].name);
        long long cpus;
        bool in_job = strcmp(hints[i].name, "NCPUS") != 0 || probe_env(probe, "PBS_JOBID");
        if (value && in_job && parse_decimal(str_of(value), &cpus) && cpus > 0 && cpus < (long long)cpu->usable)
            probe_warn(probe,
                       "%s gives this job %lld CPU%s (%s), but the process may use %u: start no more threads "
                       "than that",
                       hints[i].scheduler, cpus, cpus == 1 ? "" : "s", hints[i].name, cpu->usable);
    }
    if (probe_env(probe, "KUBERNETES_SERVICE_HOST") && cpu->quota <= 0)
        probe_warn(probe,
                   "this pod has no CPU limit, so it sees all %u CPUs of its node, whatever it requested: set "
                   "resources.limits.cpu or the thread count",
                   cpu->affinity);
}

void probe_cpu(struct probe *probe)
{
    struct cpu *cpu = &probe->machine->cpu;
    struct cpulist online, allowed, cpuset = {{0}};
    probe_cgroup(probe, &cpuset);
    read_online(probe, &online);
    if (!read_affinity(probe, &allowed))
        allowed = online;
    if (cpulist_count(&online) == 0)
        online = allowed;
    cpulist_and(&allowed, &online);
    if (cpulist_count(&cpuset)) {
        struct cpulist both = allowed;
        cpulist_and(&both, &cpuset);
        allowed = cpulist_count(&both) ? both : allowed;
    }
    cpu->online = cpulist_count(&online);
    cpu->affinity = cpulist_count(&allowed);
    cpu->cores = count_cores(probe, &allowed);
    cpu->efficiency = count_efficiency(probe, &allowed);
    cpu->numa_nodes = count_nodes(probe);
    double usable = cpu->cores;
    if (cpu->quota > 0 && cpu->quota < usable)
        usable = (double)(unsigned)cpu->quota; /* down: what is above the quota is throttled */
    cpu->usable = usable >= 1 ? (unsigned)usable : 1;
    if (cpu->affinity == 0)
        probe_warn(probe, "neither /sys nor /proc says which CPUs there are: 1 is assumed");
    if (cpu->quota > 0 && cpu->quota < 1)
        probe_warn(probe, "the CPU quota is %.2f, less than one CPU (%s)", cpu->quota, cpu->quota_path);
    hint_schedulers(probe);
}
