#include <stdlib.h>
#include <string.h>

#include "check/variables.h"

const char explain_visible_devices[] =
    "Whether CUDA_VISIBLE_DEVICES names GPUs that are there, in a form that every reader understands.\n"
    "\n"
    "The driver hides everything from the first bad item on; torch takes a duplicate for an empty list and does not "
    "strip "
    "blanks. Set but empty it hides every GPU. Indices mean nvidia-smi's only with CUDA_DEVICE_ORDER=PCI_BUS_ID. A "
    "misspelt "
    "name, such as CUDA_VISABLE_DEVICES, is read by nobody.\n"
    "\n"
    "Mend: `0,1`, or full GPU-… identifiers with commas and no blanks; unset it to see all. Leave it alone in a job: "
    "the "
    "scheduler sets it.";

static bool has_uuid(const struct gpu *gpu, struct str start)
{
    for (size_t i = 0; i < gpu->mig_uuids.n; i++)
        if (strncmp(gpu->mig_uuids.v[i], start.s, start.n) == 0)
            return true;
    return gpu->uuid && strncmp(gpu->uuid, start.s, start.n) == 0;
}

static bool is_here(const struct machine *machine, struct str item)
{
    if (item.n && item.s[0] >= '0' && item.s[0] <= '9')
        return strtoul(item.s, NULL, 10) < machine->gpus.n;
    for (size_t i = 0; i < machine->gpus.n; i++)
        if (has_uuid(&machine->gpus.v[i], item))
            return true;
    return false;
}

static void names_gpus(struct variables *variables, const char *value)
{
    const struct machine *machine = variables->input->facts->machine;
    struct str rest = str_of(value), item;
    if (machine->gpus.n == 0 || strcmp(value, "-1") == 0)
        return;
    while (str_cut(&rest, ',', &item))
        if (!is_here(machine, item)) {
            variables_warn(variables,
                           "CUDA_VISIBLE_DEVICES=%s: there is no GPU %.*s here (%zu GPUs): it and all behind it are "
                           "hidden",
                           value, (int)item.n, item.s, machine->gpus.n);
            return;
        }
}

static void order(struct variables *variables, const char *value)
{
    const struct machine *machine = variables->input->facts->machine;
    const char *order = variables_get(variables, "CUDA_DEVICE_ORDER");
    bool differ = false;
    for (size_t i = 1; i < machine->gpus.n; i++)
        differ |= !cstr_eq(machine->gpus.v[i].name, machine->gpus.v[0].name);
    if (differ && value[0] >= '0' && value[0] <= '9' && (!order || strcmp(order, "PCI_BUS_ID") != 0))
        variables_warn(variables,
                       "CUDA_VISIBLE_DEVICES=%s without CUDA_DEVICE_ORDER=PCI_BUS_ID: the GPUs here differ, and CUDA "
                       "counts the fastest first, nvidia-smi by PCI bus",
                       value);
}

void check_visible_devices(const struct check_input *input, struct result *result)
{
    struct variables variables;
    variables_open(&variables, input, result);
    variables_judge_family(&variables, "CUDA_");
    variables_judge_family(&variables, "NVIDIA_");
    const char *value = variables_get(&variables, "CUDA_VISIBLE_DEVICES");
    if (value && value[0]) {
        names_gpus(&variables, value);
        order(&variables, value);
    }
    variables_close(&variables, "CUDA_ variables");
}
