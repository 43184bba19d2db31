#include <string.h>

#include "check/variables.h"

const char explain_allocator[] =
    "Whether the GPU allocator's settings are ones that the installed torch, JAX, TensorFlow or CuPy takes.\n"
    "\n"
    "torch parses PYTORCH_CUDA_ALLOC_CONF at the first CUDA allocation, so a bad value passes `import torch` and ends "
    "the job "
    "later. The options differ by release, and so does what a mistake does: up to 1.13 an item without a colon is "
    "skipped in "
    "silence, 2.0 to 2.9 raise RuntimeError, 2.10 and later ValueError. PYTORCH_ALLOC_CONF is read for CUDA from 2.10 "
    "on only; "
    "where both names are set, which of them wins depends on the release.\n"
    "\n"
    "Mend: options as key:value with commas between, True and False in that spelling, and PYTORCH_CUDA_ALLOC_CONF "
    "alone, which "
    "every release reads. `condagpu plan` shows what suits this torch, kernel and machine.";

static void both_names(struct variables *variables)
{
    const char *cuda = variables_get(variables, "PYTORCH_CUDA_ALLOC_CONF"),
               *any = variables_get(variables, "PYTORCH_ALLOC_CONF");
    if (!cuda || !any)
        return;
    if (strcmp(cuda, any) == 0)
        variables_warn(variables, "PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF are both set, to the same value");
    else
        variables_fail(variables,
                       "PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF are both set and differ: the release of torch "
                       "decides which one counts");
}

static void expandable_segments(struct variables *variables)
{
    const struct machine *machine = variables->input->facts->machine;
    const char *value = variables_get(variables, "PYTORCH_CUDA_ALLOC_CONF");
    struct release kernel = RELEASE_NONE;
    if (!value)
        value = variables_get(variables, "PYTORCH_ALLOC_CONF");
    if (!value || !strstr(value, "expandable_segments:True"))
        return;
    if (machine->wsl)
        variables_warn(variables, "expandable_segments:True can fail at the first allocation on WSL");
    if (machine->kernel)
        release_parse((struct str){machine->kernel, strspn(machine->kernel, "0123456789.")}, &kernel);
    if (kernel.major >= 0 && release_cmp(kernel, (struct release){5, 6, -1}) < 0)
        variables_warn(variables,
                       "expandable_segments:True shares memory between processes by pidfd_getfd, which kernel %s "
                       "lacks (5.6 has it)",
                       machine->kernel);
}

void check_allocator(const struct check_input *input, struct result *result)
{
    static const char *const names[] = {
        "XLA_PYTHON_CLIENT_ALLOCATOR", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION",
        "XLA_CLIENT_MEM_FRACTION",     "TF_FORCE_GPU_ALLOW_GROWTH",     "TF_GPU_ALLOCATOR",
        "CUPY_GPU_MEMORY_LIMIT",
    };
    struct variables variables;
    variables_open(&variables, input, result);
    variables_judge_family(&variables, "PYTORCH_");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        variables_judge(&variables, names[i]);
    both_names(&variables);
    expandable_segments(&variables);
    if (variables_get(&variables, "XLA_CLIENT_MEM_FRACTION")
        && variables_get(&variables, "XLA_PYTHON_CLIENT_MEM_FRACTION"))
        variables_fail(&variables,
                       "XLA_CLIENT_MEM_FRACTION and XLA_PYTHON_CLIENT_MEM_FRACTION are both set: JAX stops with a "
                       "ValueError");
    variables_close(&variables, "allocator variables");
}
