#include "probe/cpulist.h"

static bool parse_cpu(struct str text, unsigned *cpu)
{
    *cpu = 0;
    if (text.n == 0 || text.n > 5)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] < '0' || text.s[i] > '9')
            return false;
        *cpu = *cpu * 10 + (unsigned)(text.s[i] - '0');
    }
    return *cpu < MOST_CPUS;
}

bool cpulist_parse(struct str text, struct cpulist *list)
{
    struct str rest = str_trim(text), part;
    while (rest.n && str_cut(&rest, ',', &part)) {
        struct str first = str_slice(part, 0, str_find(part, '-'));
        struct str last = first.n < part.n ? str_slice(part, first.n + 1, part.n) : first;
        unsigned from, to;
        if (!parse_cpu(first, &from) || !parse_cpu(last, &to) || from > to)
            return false;
        for (unsigned cpu = from; cpu <= to; cpu++)
            cpulist_add(list, cpu);
    }
    return true;
}

void cpulist_add(struct cpulist *list, unsigned cpu)
{
    list->words[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool cpulist_has(const struct cpulist *list, unsigned cpu)
{
    return cpu < MOST_CPUS && (list->words[cpu / 64] >> cpu % 64 & 1);
}

unsigned cpulist_count(const struct cpulist *list)
{
    unsigned count = 0;
    for (size_t i = 0; i < MOST_CPUS / 64; i++)
        count += (unsigned)__builtin_popcountll(list->words[i]);
    return count;
}

void cpulist_and(struct cpulist *list, const struct cpulist *other)
{
    for (size_t i = 0; i < MOST_CPUS / 64; i++)
        list->words[i] &= other->words[i];
}

unsigned cpulist_next(const struct cpulist *list, unsigned cpu)
{
    while (cpu < MOST_CPUS && !cpulist_has(list, cpu)) {
        if (cpu % 64 == 0 && list->words[cpu / 64] == 0)
            cpu += 64;
        else
            cpu++;
    }
    return cpu < MOST_CPUS ? cpu : MOST_CPUS;
}
