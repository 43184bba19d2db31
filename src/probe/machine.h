/* What the machine has. Everything is read below one root directory, so that a test lays out a machine as a folder. */
#ifndef CONDAGPU_PROBE_MACHINE_H
#define CONDAGPU_PROBE_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/release.h"
#include "util/str.h"
#include "util/vec.h"

/* How one GPU reaches another. */
struct gpu_peer {
    unsigned index;   /* of the other */
    const char *path; /* as nvidia-smi topo names it: "PIX", "PXB", "PHB", "NODE", "SYS", or "board"; NULL: not known */
    int p2p;          /* 1: each reads the other's memory; 0: it does not; -1 when not known */
};

struct gpu {
    unsigned index;       /* in PCI bus order, as NVML counts */
    const char *name, *uuid, *pci; /* NULL when not known */
    int cc_major, cc_minor;        /* compute capability; -1 when not known */
    uint64_t memory_total, memory_free; /* bytes; 0 when not known */
    bool mig;                      /* MIG mode is on */
    struct strv mig_uuids;
    int numa_node;                 /* -1 when not known */
    int persistence, display;      /* persistence mode is on; a screen hangs on it; -1 when not known */
    int nvlinks;                   /* active ones; -1 when not known */
    struct { VEC(struct gpu_peer); } peers;
};

struct driver {
    const char *version;       /* of the user-mode library (NVML) or of the kernel module; NULL: no driver */
    const char *kernel_version; /* of the loaded kernel module; NULL when none */
    struct release cuda;       /* the newest CUDA release it runs */
    const char *problem;       /* why there is no answer: "driver did not answer in 5 s", "library X, kernel Y: reboot …" */
    bool timed_out;
};

struct cpu {
    unsigned online;   /* logical CPUs that are online */
    unsigned affinity; /* logical CPUs that this process may use (affinity and cpuset) */
    unsigned cores;    /* physical cores among those */
    unsigned efficiency; /* of the allowed logical CPUs, those on the slower cores of a hybrid CPU; 0 for none */
    double quota;      /* CPUs by the tightest cgroup quota of all ancestors; 0 for none */
    const char *quota_path; /* the file that says so */
    long pids_max;     /* tightest pids.max; 0 for none */
    unsigned usable;   /* max(1, floor(min(cores, quota))) */
    unsigned numa_nodes;
};

struct memory {
    uint64_t total, available, limit; /* bytes; limit 0 for none */
};

struct nic {
    const char *name, *state;
    bool is_virtual, has_default_route, running;
    long speed_mbit; /* -1 when not known */
    struct strv addresses;
};

struct ib_port {
    const char *device;
    unsigned port;
    const char *state, *link_layer;
    bool active;
};

struct toolkit {
    const char *root;    /* as found: /usr/local/cuda */
    const char *real;    /* symlinks followed: /usr/local/cuda-12.4 */
    struct release release; /* of the toolkit: version.json, version.txt, nvcc's own word */
    const char *release_from;
    const char *nvcc;    /* absolute or NULL */
    struct release nvcc_release;
    struct strv libraries; /* directories in it that hold libcudart.so.* */
};

struct machine {
    const char *root;    /* "" for the real one */
    const char *source;  /* "this machine", or the file that was given to --probe */
    const char *host, *kernel, *arch, *libc;
    struct { VEC(struct gpu); } gpus;
    struct driver driver;
    unsigned pci_gpus;   /* NVIDIA display and 3D controllers on the PCI bus */
    bool wsl, tegra;
    const char *container; /* "docker", "podman", "kubernetes", "apptainer", …; NULL for none */
    struct cpu cpu;
    struct memory memory;
    struct { VEC(struct nic); } nics;
    struct { VEC(struct ib_port); } infiniband;
    struct { VEC(struct toolkit); } toolkits;
    struct strv warnings;
};

struct probe_options {
    const char *root;      /* NULL or "": the real machine; else a folder with /proc, /sys, /etc, … */
    unsigned deadline_ms;  /* for the driver; 0: 5000 */
    bool no_driver;        /* never call NVML or libcuda */
    const char *prefix;    /* also look for a toolkit there; NULL */
};

/* Never fails: what cannot be read is absent, with a warning where a person should know. */
void probe_machine(struct arena *arena, const struct probe_options *options, struct machine *machine);

/* The snapshot document "condagpu.probe/1" and back ("-": standard input). Every member is required and its type is
 * checked; members that are not known are passed over, so that a later program's snapshot can be read. ERR_INPUT, with
 * the line of a syntax error, or the member that is wrong. */
json_t *machine_to_json(const struct machine *machine);
bool machine_from_json(struct arena *arena, const char *path, struct machine *machine, struct err *err);

#endif
