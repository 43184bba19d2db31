/* Sets of CPUs as the kernel writes them: "0-3,8" (cpumap lists of /sys, cpuset.cpus, Cpus_allowed_list). */
#ifndef CONDAGPU_PROBE_CPULIST_H
#define CONDAGPU_PROBE_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/str.h"

enum { MOST_CPUS = 65536 }; /* Linux knows at most 8,192 */

struct cpulist {
    uint64_t words[MOST_CPUS / 64];
};

/* Adds the CPUs of a list; false, with some of them added, when it is malformed or names a CPU beyond MOST_CPUS. */
bool cpulist_parse(struct str text, struct cpulist *list);
void cpulist_add(struct cpulist *list, unsigned cpu);
bool cpulist_has(const struct cpulist *list, unsigned cpu);
unsigned cpulist_count(const struct cpulist *list);
/* Keeps what is in both. */
void cpulist_and(struct cpulist *list, const struct cpulist *other);
/* The first member from `cpu` on, or MOST_CPUS. */
unsigned cpulist_next(const struct cpulist *list, unsigned cpu);

#endif
