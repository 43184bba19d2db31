#include <stdlib.h>
#include <string.h>

#include "check/variables.h"

const char explain_threads[] =
    "Whether OMP_NUM_THREADS and its relatives are valid for every reader, and fit this machine.\n"
    "\n"
    "The readers disagree. LLVM's OpenMP aborts on an empty value and hangs or takes a random count on 4x or +4; "
    "libgomp prints "
    "a line in every process and ignores such a value; numexpr, and with it pandas, stops at import on the list 4,2 "
    "that OpenMP "
    "itself takes. torch takes MKL_NUM_THREADS before OMP_NUM_THREADS and, where neither is set, the machine's core "
    "count, "
    "whatever the container's quota says. More threads than usable CPUs are throttled.\n"
    "\n"
    "Mend: unset the variable (an empty value is not unset), or set one plain positive number. `condagpu plan` "
    "computes it from "
    "allowed cores, cgroup quota and GPUs.";

static unsigned count_of(const char *value)
{
    return value && grammar_matches("^[1-9][0-9]{0,4}$", value) ? (unsigned)strtoul(value, NULL, 10) : 0;
}

static void fits_machine(struct variables *variables)
{
    const struct cpu *cpu = &variables->input->facts->machine->cpu;
    unsigned count = count_of(variables_get(variables, "OMP_NUM_THREADS"));
    /* Hyperthreads are usable too, as far as the quota goes. */
    unsigned most = cpu->quota > 0 && cpu->quota < cpu->affinity ? (unsigned)cpu->quota : cpu->affinity;
    if (cpu->affinity && count > (most ? most : 1))
        variables_warn(variables, "OMP_NUM_THREADS=%u, but only %u CPUs may be used here (%u by affinity%s%s)", count,
                       most ? most : 1, cpu->affinity, cpu->quota > 0 ? ", less by the quota in " : "",
                       cpu->quota > 0 ? (cpu->quota_path ? cpu->quota_path : "a cgroup") : "");
    if (count > 64 && !variables_get(variables, "NUMEXPR_MAX_THREADS"))
        variables_warn(variables, "OMP_NUM_THREADS=%u without NUMEXPR_MAX_THREADS: numexpr prints an error above 64",
                       count);
}

static void fits_ranks(struct variables *variables)
{
    const struct cpu *cpu = &variables->input->facts->machine->cpu;
    const char *ranks_text = variables_get(variables, "LOCAL_WORLD_SIZE");
    unsigned ranks = count_of(ranks_text), count = count_of(variables_get(variables, "OMP_NUM_THREADS"));
    if (ranks > 1 && cpu->affinity && (unsigned long)ranks * count > cpu->affinity)
        variables_warn(variables, "OMP_NUM_THREADS=%u in each of %u local processes is more than %u CPUs", count, ranks,
                       cpu->affinity);
}

static void fits_each_other(struct variables *variables)
{
    const char *omp = variables_get(variables, "OMP_NUM_THREADS"), *mkl = variables_get(variables, "MKL_NUM_THREADS");
    size_t from = 0;
    if (omp && mkl && strcmp(omp, mkl) != 0)
        variables_warn(variables, "MKL_NUM_THREADS=%s and OMP_NUM_THREADS=%s differ: torch takes MKL's", mkl, omp);
    if (variables_get(variables, "KMP_AFFINITY")
        && (variables_get(variables, "OMP_PROC_BIND") || variables_get(variables, "OMP_PLACES")))
        variables_fail(variables,
                       "KMP_AFFINITY is set together with OMP_PROC_BIND or OMP_PLACES, which are then ignored");
    if (!variables_get(variables, "OPENBLAS_NUM_THREADS"))
        return;
    const struct record *record;
    while ((record = inventory_next(variables->input->facts->inventory, RECORD_CONDA, "libopenblas", &from)))
        if (record->build && strstr(record->build, "openmp"))
            variables_warn(variables, "OPENBLAS_NUM_THREADS is ignored by %s %s (%s), an OpenMP build", record->name,
                           record->version, record->build);
}

void check_threads(const struct check_input *input, struct result *result)
{
    static const char *const names[] = {
        "OPENBLAS_NUM_THREADS",   "BLIS_NUM_THREADS",  "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS",
        "NUMBA_NUM_THREADS",      "RAYON_NUM_THREADS", "LOKY_MAX_CPU_COUNT",  "KMP_BLOCKTIME",
        "TOKENIZERS_PARALLELISM", "MALLOC_ARENA_MAX",  "MALLOC_CONF",         "GLIBC_TUNABLES",
    };
    struct variables variables;
    variables_open(&variables, input, result);
    variables_judge_family(&variables, "OMP_");
    variables_judge_family(&variables, "MKL_");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        variables_judge(&variables, names[i]);
    fits_machine(&variables);
    fits_ranks(&variables);
    fits_each_other(&variables);
    variables_close(&variables, "thread variables");
}
