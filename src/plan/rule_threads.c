/* OMP_NUM_THREADS and MKL_NUM_THREADS: torch and OpenMP look at neither quotas nor, some of them, affinity. */
#include <stdlib.h>
#include <string.h>

#include "plan/rule.h"

enum { NUMEXPR_LIMIT = 64 }; /* numexpr prints an error above it unless NUMEXPR_MAX_THREADS is set */

/* Processes that share the machine: one a GPU, unless condagpu.yml says otherwise. */
static unsigned ranks_of(struct ruling *ruling, const char **text)
{
    const struct setting *setting = &ruling->config->ranks;
    size_t gpus = ruling->facts->machine->gpus.n;
    if (setting->value) {
        *text = arena_printf(ruling->arena, "%s processes (%s)", setting->value, rule_setting_text(ruling, setting));
        return (unsigned)strtoul(setting->value, NULL, 10);
    }
    if (ruling->config->visible.value && grammar_matches("^[0-9A-Z]", ruling->config->visible.value)) {
        gpus = 1;
        for (const char *s = ruling->config->visible.value; *s; s++)
            gpus += *s == ',';
    }
    *text = gpus ? arena_printf(ruling->arena, "%zu GPU%s", gpus, gpus == 1 ? "" : "s") : "no GPU, so one process";
    return gpus ? (unsigned)gpus : 1;
}

/* Half of pids.max: the threads of one pool must leave room for the processes and pools around it. */
static unsigned capped_by_pids(struct ruling *ruling, unsigned usable, const char **text)
{
    long pids = ruling->facts->machine->cpu.pids_max;
    *text = "";
    if (pids <= 0 || pids / 2 >= (long)usable)
        return usable;
    *text = arena_printf(ruling->arena, ", half of pids.max %ld", pids);
    return pids / 2 > 0 ? (unsigned)(pids / 2) : 1;
}

static const char *evidence(struct ruling *ruling)
{
    const struct cpu *cpu = &ruling->facts->machine->cpu;
    const char *quota = "no quota";
    if (cpu->quota > 0)
        quota = arena_printf(ruling->arena, "a quota of %.4g CPUs (%s)", cpu->quota,
                             cpu->quota_path ? cpu->quota_path : "cgroup");
    return arena_printf(ruling->arena, "%u cores among the %u CPUs allowed, %s", cpu->cores, cpu->affinity, quota);
}

static bool add_threads(struct ruling *ruling, const char *count, const char *lead, const char *why)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS"};
    for (size_t i = 0; i < 2; i++) {
        size_t before = ruling->plan->ops.n;
        if (!rule_op(ruling, OP_DEFAULT, names[i], count, "%s", why))
            return false;
        if (ruling->plan->ops.n > before)
            ruling->plan->ops.v[before].lead = lead;
    }
    return strtoul(count, NULL, 10) <= NUMEXPR_LIMIT
           || rule_op(ruling, OP_DEFAULT, "NUMEXPR_MAX_THREADS", count,
                      "numexpr prints an error for more than %d threads unless "
                      "it is told its pool's size",
                      (int)NUMEXPR_LIMIT);
}

bool rule_threads(struct ruling *ruling)
{
    const struct setting *setting = &ruling->config->threads;
    const char *by_ranks, *by_pids;
    if (rule_is_off(ruling, setting))
        return true;
    if (setting->value)
        return add_threads(ruling, setting->value, NULL, rule_setting_text(ruling, setting));
    if (ruling->facts->machine->cpu.usable == 0)
        return rule_abstain(ruling, "the number of CPUs is not known");
    unsigned ranks = ranks_of(ruling, &by_ranks), usable = ruling->facts->machine->cpu.usable;
    unsigned capped = capped_by_pids(ruling, usable, &by_pids), count = ranks ? capped / ranks : capped;
    const char *why =
        arena_printf(ruling->arena, "%u usable CPUs (%s%s) for %s", capped, evidence(ruling), by_pids, by_ranks);
    return add_threads(ruling, arena_printf(ruling->arena, "%u", count ? count : 1), "SLURM_CPUS_PER_TASK", why);
}
