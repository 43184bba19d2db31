/* CUDA_VISIBLE_DEVICES, as the driver and torch read it (CUDA Programming Guide, torch/cuda/__init__.py). */
#include <string.h>

#include "plan/grammar.h"
#include "util/vec.h"

static struct verdict duplicates(const struct grammar *grammar, const char *name, const char *value)
{
    struct strv seen = {0};
    struct str rest = str_of(value), item;
    while (str_cut(&rest, ',', &item)) {
        const char *text = str_dup(grammar->arena, item);
        if (strv_find(&seen, text) < seen.n)
            return verdict_of(grammar, VALUE_BAD, "%s=%s names %s twice: torch then sees no device", name, value, text);
        strv_add(grammar->arena, &seen, text);
    }
    return verdict_good();
}

struct verdict grammar_visible_devices(const struct grammar *grammar, const char *name, const char *value)
{
    static const char indices[] = "^(0|[1-9][0-9]{0,3})(,(0|[1-9][0-9]{0,3}))*$";
    static const char uuids[] = "^GPU-[0-9a-fA-F-]{8,36}(,GPU-[0-9a-fA-F-]{8,36})*$";
    static const char mig[] = "^MIG-[0-9a-fA-F-]{8,36}$|^MIG-GPU-[0-9a-fA-F-]{8,36}/[0-9]+/[0-9]+$";
    static const char migs[] = "^MIG-[^,]+(,MIG-[^,]+)+$";
    if (strcmp(value, "-1") == 0 || grammar_matches(mig, value))
        return verdict_good();
    if (grammar_matches(indices, value) || grammar_matches(uuids, value))
        return duplicates(grammar, name, value);
    if (grammar_matches(migs, value))
        return verdict_of(grammar, VALUE_DOUBTFUL,
                          "%s=%s names several MIG devices: a process enumerates only the first", name, value);
    if (strpbrk(value, " \t"))
        return verdict_of(grammar, VALUE_BAD, "%s=\"%s\" holds a blank: readers stop the list there", name, value);
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not a comma list of indices, of GPU-… identifiers, one MIG-… identifier "
                      "or -1: the driver hides everything from the first bad item on",
                      name, value);
}
