#include <stdlib.h>
#include <string.h>

#include "check/variables.h"

const char explain_arch[] =
    "Whether TORCH_CUDA_ARCH_LIST and CUDAARCHS are spelt as their readers want, and name architectures that fit the "
    "GPUs.\n"
    "\n"
    "torch wants 8.6 or 9.0a with semicolons between and stops with \"Unknown CUDA arch\" on 86, sm_86, commas, an "
    "empty item or "
    "an architecture newer than itself. CMake wants 86 or 90a without dots and stops on 8.6. A list that leaves out "
    "the GPU of "
    "the machine builds a program that finds no kernel image there.\n"
    "\n"
    "Mend: unset them (torch then takes the visible GPUs), or take the values of `condagpu plan`.";

/* Whether the list has code or PTX that runs on a GPU: the same major with the same or a lower minor, or older PTX. */
static bool serves(const char *list, const struct gpu *gpu)
{
    struct str rest = str_of(list), item;
    while (str_cut(&rest, ';', &item)) {
        char buffer[16] = "", *end;
        if (item.n == 0 || item.n >= sizeof buffer)
            continue;
        memcpy(buffer, item.s, item.n);
        long major = strtol(buffer, &end, 10), minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
        if (major == gpu->cc_major && (*end == 'a' ? minor == gpu->cc_minor : minor <= gpu->cc_minor))
            return true;
        if (strstr(buffer, "+PTX") && *end != 'a' && major <= gpu->cc_major)
            return true;
    }
    return false;
}

static void serves_all(struct variables *variables)
{
    const char *list = variables_get(variables, "TORCH_CUDA_ARCH_LIST");
    const struct machine *machine = variables->input->facts->machine;
    if (!list || !grammar_matches("^[0-9]+\\.[0-9]a?(\\+PTX)?(;[0-9]+\\.[0-9]a?(\\+PTX)?)*$", list))
        return;
    for (size_t i = 0; i < machine->gpus.n; i++)
        if (machine->gpus.v[i].cc_major >= 0 && !serves(list, &machine->gpus.v[i]))
            variables_warn(variables, "TORCH_CUDA_ARCH_LIST=%s has nothing for GPU %u (%d.%d): no kernel image there",
                           list, machine->gpus.v[i].index, machine->gpus.v[i].cc_major, machine->gpus.v[i].cc_minor);
}

/* nvcc's release, as the plan's CUDA_HOME or a record gives it. */
static struct release nvcc_release(const struct facts *facts)
{
    struct release release = RELEASE_NONE;
    const struct record *record = inventory_find(facts->inventory, RECORD_CONDA, "cuda-nvcc");
    if (!record)
        record = inventory_find(facts->inventory, RECORD_PIP, "nvidia-cuda-nvcc");
    if (record)
        release_parse(str_of(record->version), &release);
    release.patch = -1;
    return release;
}

static void judge_item(struct variables *variables, const struct table *table, struct release nvcc, const char *name,
                       const char *capability)
{
    struct release first, last;
    size_t row = table_find(table, "compute_capability", capability);
    if (row == table->rows)
        return;
    const char *from = table_cell(table, row, "first_cuda"), *until = table_cell(table, row, "last_cuda");
    if (release_parse(str_of(from), &first) && release_cmp(nvcc, first) < 0)
        variables_warn(variables, "%s names %s, which needs CUDA %s; nvcc here is %s", name, capability, from,
                       release_text(variables->input->arena, nvcc));
    if (release_parse(str_of(until), &last) && release_cmp(nvcc, last) > 0)
        variables_warn(variables, "%s names %s, last built by CUDA %s; nvcc here is %s", name, capability, until,
                       release_text(variables->input->arena, nvcc));
}

/* 8.6 as it stands, 86-real with the dot that CMake leaves out. */
static const char *capability_of(struct arena *arena, struct str item, bool dotted)
{
    size_t digits = 0;
    while (digits < item.n && (item.s[digits] == '.' || (item.s[digits] >= '0' && item.s[digits] <= '9')))
        digits++;
    if (dotted || digits < 2)
        return str_dup(arena, str_slice(item, 0, digits));
    return arena_printf(arena, "%.*s.%c", (int)digits - 1, item.s, item.s[digits - 1]);
}

static void fits_nvcc(struct variables *variables)
{
    static const char *const names[] = {"TORCH_CUDA_ARCH_LIST", "CUDAARCHS"};
    struct err err;
    struct release nvcc = nvcc_release(variables->input->facts);
    const struct table *table = data_table(variables->input->facts->data, "compute_capability", &err);
    for (size_t i = 0; table && nvcc.minor >= 0 && i < 2; i++) {
        const char *value = variables_get(variables, names[i]);
        struct str rest = str_of(value), item;
        while (value && str_cut(&rest, ';', &item))
            judge_item(variables, table, nvcc, names[i], capability_of(variables->input->arena, item, i == 0));
    }
}

void check_arch(const struct check_input *input, struct result *result)
{
    struct variables variables;
    variables_open(&variables, input, result);
    variables_judge(&variables, "TORCH_CUDA_ARCH_LIST");
    variables_judge(&variables, "CUDAARCHS");
    serves_all(&variables);
    fits_nvcc(&variables);
    variables_close(&variables, "architecture lists");
}
