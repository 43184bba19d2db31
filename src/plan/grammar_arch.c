/* TORCH_CUDA_ARCH_LIST (torch/utils/cpp_extension.py, _get_cuda_arch_flags) and CMake's CUDAARCHS. */
#include <string.h>

#include "plan/grammar.h"

/* Which torch takes which compute capability: the last release that is known not to, the first that is known to, and
 * the one that dropped it (each as its list was read in that release's source). */
struct torch_arch {
    const char *capability;
    struct release not_in, since, gone;
};

#define EVER                                                                                                           \
    {                                                                                                                  \
        -1, -1, -1                                                                                                     \
    }

static const struct torch_arch torch_archs[] = {
    {"3.5", EVER, EVER, EVER},
    {"3.7", EVER, EVER, EVER},
    {"5.0", EVER, EVER, EVER},
    {"5.2", EVER, EVER, EVER},
    {"5.3", EVER, EVER, EVER},
    {"6.0", EVER, EVER, EVER},
    {"6.1", EVER, EVER, EVER},
    {"6.2", EVER, EVER, EVER},
    {"7.0", EVER, EVER, EVER},
    {"7.2", EVER, EVER, EVER},
    {"7.5", EVER, EVER, EVER},
    {"8.0", EVER, EVER, EVER},
    {"8.6", EVER, EVER, EVER},
    {"8.7", {1, 13, -1}, {2, 1, -1}, EVER},
    {"8.9", {1, 13, -1}, {2, 1, -1}, EVER},
    {"9.0", {1, 13, -1}, {2, 1, -1}, EVER},
    {"9.0a", {1, 13, -1}, {2, 1, -1}, EVER},
    {"10.0", {2, 4, -1}, {2, 7, -1}, EVER},
    {"10.0a", {2, 4, -1}, {2, 7, -1}, EVER},
    {"10.1", {2, 4, -1}, {2, 7, -1}, {2, 9, -1}},
    {"10.1a", {2, 4, -1}, {2, 7, -1}, {2, 9, -1}},
    {"12.0", {2, 4, -1}, {2, 7, -1}, EVER},
    {"12.0a", {2, 4, -1}, {2, 7, -1}, EVER},
    {"10.3", {2, 8, -1}, {2, 9, -1}, EVER},
    {"10.3a", {2, 8, -1}, {2, 9, -1}, EVER},
    {"11.0", {2, 8, -1}, {2, 9, -1}, EVER},
    {"11.0a", {2, 8, -1}, {2, 9, -1}, EVER},
    {"12.1", {2, 8, -1}, {2, 9, -1}, EVER},
    {"12.1a", {2, 8, -1}, {2, 9, -1}, EVER},
};

/* The generations' names, in cpp_extension.py's table. */
static const char generations[] = "^(Kepler\\+Tesla|Kepler|Maxwell\\+Tegra|Maxwell|Pascal|Volta\\+Tegra|Volta|Turing|"
                                  "Ampere\\+Tegra|Ampere|Ada|Hopper|"
                                  "Blackwell\\+Tegra|Blackwell)$";

struct verdict grammar_torch_arch(const struct grammar *grammar, const char *capability)
{
    struct release torch = {grammar->torch.major, grammar->torch.minor, -1};
    for (size_t i = 0; i < sizeof torch_archs / sizeof *torch_archs; i++) {
        const struct torch_arch *row = &torch_archs[i];
        if (strcmp(row->capability, capability) != 0)
            continue;
        const char *release = release_text(grammar->arena, torch);
        bool dropped = row->gone.major >= 0 && torch.major >= 0 && release_cmp(torch, row->gone) >= 0;
        if (torch.major < 0 || (release_cmp(torch, row->since) >= 0 && !dropped))
            return verdict_good();
        if (dropped || release_cmp(torch, row->not_in) <= 0)
            return verdict_of(grammar, VALUE_BAD,
                              "%s is not an architecture that torch %s knows: ValueError: Unknown CUDA arch",
                              capability, release);
        return verdict_of(grammar, VALUE_DOUBTFUL, "it is not known whether torch %s takes %s", release, capability);
    }
    return verdict_of(grammar, VALUE_BAD, "%s is not an architecture that torch knows: ValueError: Unknown CUDA arch",
                      capability);
}

static struct verdict arch_item(const struct grammar *grammar, const char *name, const char *value, struct str item)
{
    const char *text = str_dup(grammar->arena, str_ends(item, "+PTX") ? str_slice(item, 0, item.n - 4) : item);
    if (item.n == 0)
        return verdict_of(grammar, VALUE_BAD, "%s=\"%s\" holds an empty item: torch stops with a ValueError", name,
                          value);
    if (strcmp(text, "native") == 0)
        return grammar->torch.major >= 0 && release_cmp(grammar->torch, (struct release){2, 9, -1}) < 0
                   ? verdict_of(grammar, VALUE_BAD, "%s=native is known from torch 2.9 on: ValueError", name)
                   : verdict_good();
    if (grammar_matches(generations, text))
        return verdict_of(grammar, VALUE_DOUBTFUL, "%s: the name %s stands for another list in each release of torch",
                          name, text);
    struct verdict verdict = grammar_torch_arch(grammar, text);
    if (verdict.level == VALUE_GOOD)
        return verdict;
    return verdict_of(grammar, verdict.level, "%s: %s (items are like 8.6 or 9.0a, with semicolons between)", name,
                      verdict.why);
}

struct verdict grammar_torch_arch_list(const struct grammar *grammar, const char *name, const char *value)
{
    char *list = arena_strdup(grammar->arena, value);
    for (char *s = list; *s; s++)
        if (*s == ' ')
            *s = ';';
    struct verdict worst = verdict_good();
    struct str rest = str_of(list), item;
    while (str_cut(&rest, ';', &item))
        worst = verdict_worse(worst, arch_item(grammar, name, value, item));
    return worst;
}

struct verdict grammar_cudaarchs(const struct grammar *grammar, const char *name, const char *value)
{
    static const char items[] =
        "^([0-9]+(a|f)?(-real|-virtual)?(;[0-9]+(a|f)?(-real|-virtual)?)*|all|all-major|native)$";
    if (grammar_matches(items, value))
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not a semicolon list of numbers without dots, such as 86;90a: CMake stops "
                      "with a fatal error",
                      name, value);
}
