/* TORCH_CUDA_ARCH_LIST and CUDAARCHS: what the GPUs here are, as far as this nvcc and this torch know them. */
#include <stdlib.h>
#include <string.h>

#include "plan/rule.h"

struct capability {
    int major, minor;
    const char *suffix; /* "", "a" or "f" */
};

struct capabilities {
    VEC(struct capability);
};

static int compare(const void *left, const void *right)
{
    const struct capability *a = left, *b = right;
    return a->major != b->major ? a->major - b->major : a->minor - b->minor;
}

static const char *capability_text(struct ruling *ruling, const struct capability *capability)
{
    return arena_printf(ruling->arena, "%d.%d%s", capability->major, capability->minor, capability->suffix);
}

/* Whether nvcc of that release emits code for it (data/compute_capability.tsv); NULL, or why not. */
static const char *nvcc_problem(struct ruling *ruling, const struct table *table, const struct capability *capability)
{
    const char *number = arena_printf(ruling->arena, "%d.%d", capability->major, capability->minor);
    size_t row = table_find(table, "compute_capability", number);
    struct release first, last, nvcc = {ruling->nvcc.major, ruling->nvcc.minor, -1};
    if (row == table->rows)
        return arena_printf(ruling->arena, "%s is in no table", number);
    const char *from = table_cell(table, row, "first_cuda"), *until = table_cell(table, row, "last_cuda");
    if (release_parse(str_of(from), &first) && release_cmp(nvcc, first) < 0)
        return arena_printf(ruling->arena, "%s needs CUDA %s", number, from);
    if (release_parse(str_of(until), &last) && release_cmp(nvcc, last) > 0)
        return arena_printf(ruling->arena, "CUDA %s was the last for %s", until, number);
    return NULL;
}

static void add_unique(struct ruling *ruling, struct capabilities *list, struct capability capability)
{
    for (size_t i = 0; i < list->n; i++)
        if (compare(&list->v[i], &capability) == 0 && strcmp(list->v[i].suffix, capability.suffix) == 0)
            return;
    *vec_add(ruling->arena, list) = capability;
}

/* The GPUs' capabilities that nvcc emits; the others go into `left_out`. */
static void from_gpus(struct ruling *ruling, const struct table *table, struct capabilities *list,
                      const char **left_out)
{
    const struct machine *machine = ruling->facts->machine;
    *left_out = "";
    for (size_t i = 0; i < machine->gpus.n; i++) {
        const struct gpu *gpu = &machine->gpus.v[i];
        struct capability capability = {gpu->cc_major, gpu->cc_minor, ""};
        const char *problem =
            gpu->cc_major < 0 ? "a GPU's compute capability is not known" : nvcc_problem(ruling, table, &capability);
        if (!problem)
            add_unique(ruling, list, capability);
        else if (!strstr(*left_out, problem))
            *left_out = arena_printf(ruling->arena, "%s; %s", *left_out, problem);
    }
    if (list->n)
        qsort(list->v, list->n, sizeof *list->v, compare);
}

/* torch's spelling: 8.0;9.0+PTX. Capabilities that this torch does not know are left out. */
static const char *torch_list(struct ruling *ruling, const struct capabilities *list)
{
    const char *text = "";
    for (size_t i = 0; i < list->n; i++) {
        const char *capability = capability_text(ruling, &list->v[i]);
        if (grammar_torch_arch(&ruling->grammar, capability).level == VALUE_GOOD)
            text = arena_printf(ruling->arena, "%s%s%s", text, text[0] ? ";" : "", capability);
    }
    bool plain = text[0] && text[strlen(text) - 1] >= '0' && text[strlen(text) - 1] <= '9';
    return plain ? arena_printf(ruling->arena, "%s+PTX", text) : text;
}

/* CMake's spelling: 80-real;90, where the last stands for machine code and PTX. */
static const char *cmake_list(struct ruling *ruling, const struct capabilities *list)
{
    const char *text = "";
    for (size_t i = 0; i < list->n; i++)
        text = arena_printf(ruling->arena, "%s%s%d%d%s%s", text, i ? ";" : "", list->v[i].major, list->v[i].minor,
                            list->v[i].suffix, i + 1 < list->n ? "-real" : "");
    return text;
}

static bool add_lists(struct ruling *ruling, const struct capabilities *list, const char *why)
{
    const char *for_torch = torch_list(ruling, list);
    if (for_torch[0]
        && !rule_op(ruling, OP_DEFAULT, "TORCH_CUDA_ARCH_LIST", for_torch, "%s%s%s", why,
                    ruling->torch_text ? "; " : "", ruling->torch_text ? ruling->torch_text : ""))
        return false;
    if (!for_torch[0])
        rule_abstain(ruling, "TORCH_CUDA_ARCH_LIST: %s knows none of %s",
                     ruling->torch_text ? ruling->torch_text : "torch", cmake_list(ruling, list));
    return rule_op(ruling, OP_DEFAULT, "CUDAARCHS", cmake_list(ruling, list), "%s", why);
}

static bool parse_item(struct ruling *ruling, struct str item, struct capability *capability)
{
    const char *text = str_dup(ruling->arena, item);
    if (!grammar_matches("^[0-9]{1,2}\\.[0-9][af]?$", text))
        return false;
    char *end;
    capability->major = (int)strtol(text, &end, 10);
    capability->minor = (int)strtol(end + 1, &end, 10);
    capability->suffix = end;
    return true;
}

static bool as_configured(struct ruling *ruling, const struct table *table)
{
    const struct setting *setting = &ruling->config->arch;
    struct capabilities list = {0};
    struct str rest = str_of(setting->value), item;
    while (str_cut(&rest, ';', &item)) {
        struct capability capability;
        if (!parse_item(ruling, str_trim(item), &capability))
            return rule_refuse(ruling, setting, "arch: \"%.*s\" is not a compute capability such as 8.6 or 9.0a",
                               (int)item.n, item.s);
        const char *problem = ruling->nvcc.minor >= 0 ? nvcc_problem(ruling, table, &capability) : NULL;
        if (problem)
            return rule_refuse(ruling, setting, "arch: nvcc is %s, and %s", release_text(ruling->arena, ruling->nvcc),
                               problem);
        struct verdict verdict = ruling->torch_installed && capability.suffix[0] != 'f'
                                     ? grammar_torch_arch(&ruling->grammar, capability_text(ruling, &capability))
                                     : verdict_good();
        if (verdict.level == VALUE_BAD)
            return rule_refuse(ruling, setting, "arch: %s", verdict.why);
        add_unique(ruling, &list, capability);
    }
    qsort(list.v, list.n, sizeof *list.v, compare);
    return add_lists(ruling, &list, rule_setting_text(ruling, setting));
}

bool rule_arch(struct ruling *ruling)
{
    struct capabilities list = {0};
    const char *left_out;
    if (rule_is_off(ruling, &ruling->config->arch))
        return true;
    const struct table *table = data_table(ruling->facts->data, "compute_capability", ruling->err);
    if (!table)
        return false;
    if (ruling->config->arch.value)
        return as_configured(ruling, table);
    if (!ruling->cuda_home || ruling->nvcc.minor < 0)
        return rule_abstain(ruling, ruling->cuda_home ? "the release of nvcc is not known"
                                                      : "there is no nvcc, so nothing is compiled");
    if (ruling->facts->machine->gpus.n == 0)
        return rule_abstain(ruling, "no GPU is visible here");
    from_gpus(ruling, table, &list, &left_out);
    if (list.n == 0)
        return rule_abstain(ruling, "nvcc %s emits code for none of the GPUs here%s",
                            release_text(ruling->arena, ruling->nvcc), left_out);
    return add_lists(ruling, &list,
                     arena_printf(ruling->arena, "compute capabilities of %s that nvcc %s emits%s",
                                  ruling->facts->machine->source ? ruling->facts->machine->source : "the GPUs",
                                  release_text(ruling->arena, ruling->nvcc), left_out));
}
