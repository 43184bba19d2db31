/* What the parts of a probe share; for src/probe/ alone. */
#ifndef CONDAGPU_PROBE_PROBE_H
#define CONDAGPU_PROBE_PROBE_H

#include <stdbool.h>

#include "probe/cpulist.h"
#include "probe/machine.h"
#include "util/arena.h"
#include "util/str.h"

struct probe {
    struct arena *arena;
    const char *root; /* "" for the real machine */
    bool is_real;     /* system calls and this process's environment speak of the machine that is probed */
    const struct probe_options *options;
    struct machine *machine;
};

/* The file that a path of the probed machine stands for here: symlinks are followed inside the root directory, so that
 * /usr/local/cuda -> /usr/local/cuda-12.4 stays in it. A path that does not exist is returned as far as it was resolved. */
const char *probe_path(struct probe *probe, const char *path);
/* The same, but as the probed machine names it: "/usr/local/cuda-12.4"; NULL when nothing is there. */
const char *probe_real(struct probe *probe, const char *path);

bool probe_exists(struct probe *probe, const char *path);
/* The first line, trimmed; NULL when it cannot be read. */
const char *probe_line(struct probe *probe, const char *path);
/* A decimal number that is all there is in the first line. */
bool probe_number(struct probe *probe, const char *path, long long *number);
/* A whole file of up to 4 MB; false when it cannot be read. */
bool probe_file(struct probe *probe, const char *path, struct str *content);
/* The sorted names in a directory; none when it cannot be read. */
struct strv probe_list(struct probe *probe, const char *path);
/* A variable of this process, on the real machine alone; NULL when unset or empty. */
const char *probe_env(struct probe *probe, const char *name);

void probe_warn(struct probe *probe, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next run of bytes that are no blanks; false at the end. */
bool next_word(struct str *rest, struct str *word);
/* An unsigned decimal number and nothing else, up to 18 digits. */
bool parse_decimal(struct str text, long long *number);

/* One a file, in the order in which they are called. */
void probe_host(struct probe *probe);    /* host.c: names, container, WSL, Tegra, memory */
void probe_cgroup(struct probe *probe, struct cpulist *cpuset); /* cgroup.c: quotas; `cpuset` empty where none */
void probe_cpu(struct probe *probe);     /* cpu.c: after probe_cgroup() */
void probe_bus(struct probe *probe);     /* bus.c: what /sys, /proc and /dev say of GPUs */
void probe_driver(struct probe *probe);  /* driver.c: what NVML and libcuda say, and what is wrong */
void probe_network(struct probe *probe); /* network.c */
void probe_toolkits(struct probe *probe); /* toolkit.c */

#endif
