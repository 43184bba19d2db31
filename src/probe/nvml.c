#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "probe/vendor.h"

struct nvml_device; /* opaque in NVML too */

/* nvmlMemory_t */
struct nvml_memory {
    unsigned long long total, free, used;
};

/* nvmlPciInfo_t as nvmlDeviceGetPciInfo_v3 fills it; version 1 is shorter. */
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};

enum { NVML_SUCCESS = 0, NVML_FUNCTION_NOT_FOUND = 13, TEXT_SIZE = 96 };

/* The functions that are asked; NULL where this library has none. */
struct nvml {
    int fd;
    int (*init)(void);
    int (*shutdown)(void);
    int (*driver_version)(char *, unsigned);
    int (*nvml_version)(char *, unsigned);
    int (*cuda_version)(int *);
    int (*count)(unsigned *);
    int (*handle)(unsigned, struct nvml_device **);
    int (*name)(struct nvml_device *, char *, unsigned);
    int (*uuid)(struct nvml_device *, char *, unsigned);
    int (*capability)(struct nvml_device *, int *, int *);
    int (*memory)(struct nvml_device *, struct nvml_memory *);
    int (*pci)(struct nvml_device *, struct nvml_pci *);
    int (*mig_mode)(struct nvml_device *, unsigned *, unsigned *);
    int (*mig_count)(struct nvml_device *, unsigned *);
    int (*mig_handle)(struct nvml_device *, unsigned, struct nvml_device **);
    int (*numa_node)(struct nvml_device *, unsigned *);
    int (*persistence)(struct nvml_device *, unsigned *);
    int (*display)(struct nvml_device *, unsigned *);
    int (*nvlink)(struct nvml_device *, unsigned, unsigned *);
    int (*ancestor)(struct nvml_device *, struct nvml_device *, unsigned *);
    int (*p2p)(struct nvml_device *, struct nvml_device *, unsigned, unsigned *);
};

#define FIELD(member) offsetof(struct nvml, member)

/* Newest name first: a symbol without a suffix may be an older one with another layout, so only functions whose
 * signature never changed fall back to it. */
static const struct {
    size_t offset;
    const char *names[2];
} symbols[] = {
    {FIELD(init), {"nvmlInit_v2", "nvmlInit"}},
    {FIELD(shutdown), {"nvmlShutdown", NULL}},
    {FIELD(driver_version), {"nvmlSystemGetDriverVersion", NULL}},
    {FIELD(nvml_version), {"nvmlSystemGetNVMLVersion", NULL}},
    {FIELD(cuda_version), {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"}},
    {FIELD(count), {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}},
    {FIELD(handle), {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}},
    {FIELD(name), {"nvmlDeviceGetName", NULL}},
    {FIELD(uuid), {"nvmlDeviceGetUUID", NULL}},
    {FIELD(capability), {"nvmlDeviceGetCudaComputeCapability", NULL}},
    {FIELD(memory), {"nvmlDeviceGetMemoryInfo", NULL}},
    {FIELD(pci), {"nvmlDeviceGetPciInfo_v3", NULL}},
    {FIELD(mig_mode), {"nvmlDeviceGetMigMode", NULL}},
    {FIELD(mig_count), {"nvmlDeviceGetMaxMigDeviceCount", NULL}},
    {FIELD(mig_handle), {"nvmlDeviceGetMigDeviceHandleByIndex", NULL}},
    {FIELD(numa_node), {"nvmlDeviceGetNumaNodeId", NULL}},
    {FIELD(persistence), {"nvmlDeviceGetPersistenceMode", NULL}},
    {FIELD(display), {"nvmlDeviceGetDisplayActive", NULL}},
    {FIELD(nvlink), {"nvmlDeviceGetNvLinkState", NULL}},
    {FIELD(ancestor), {"nvmlDeviceGetTopologyCommonAncestor", NULL}},
    {FIELD(p2p), {"nvmlDeviceGetP2PStatus", NULL}},
};

static void bind_symbols(void *library, struct nvml *nvml)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].names[0]);
        if (!address && symbols[i].names[1])
            address = dlsym(library, symbols[i].names[1]);
        memcpy((char *)nvml + symbols[i].offset, &address, sizeof address);
    }
}

/* Says and returns whether the call failed. */
static bool failed(const struct nvml *nvml, const char *function, int code)
{
    if (code != NVML_SUCCESS)
        dprintf(nvml->fd, "error\t%s\t%d\n", function, code);
    return code != NVML_SUCCESS;
}

static void say_mig(const struct nvml *nvml, struct nvml_device *device)
{
    unsigned current = 0, pending, most = 0;
    if (!nvml->mig_mode || nvml->mig_mode(device, &current, &pending) != NVML_SUCCESS || current != 1)
        return;
    dprintf(nvml->fd, "mig\n");
    if (!nvml->mig_count || !nvml->mig_handle || nvml->mig_count(device, &most) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < most && i < 64; i++) {
        struct nvml_device *instance;
        char uuid[TEXT_SIZE] = "";
        if (nvml->mig_handle(device, i, &instance) == NVML_SUCCESS /* not found: an empty slot */
            && nvml->uuid && nvml->uuid(instance, uuid, sizeof uuid - 1) == NVML_SUCCESS)
            vendor_say(nvml->fd, "mig-uuid", uuid);
    }
}

static void say_switch(const struct nvml *nvml, struct nvml_device *device, const char *key,
                       int (*get)(struct nvml_device *, unsigned *))
{
    unsigned value;
    if (get && get(device, &value) == NVML_SUCCESS && value <= 1)
        dprintf(nvml->fd, "%s\t%u\n", key, value);
}

/* A GPU without NVLink refuses the first link. */
static void say_nvlinks(const struct nvml *nvml, struct nvml_device *device)
{
    enum { MOST_LINKS = 18 }; /* NVML_NVLINK_MAX_LINKS */
    unsigned active, count = 0;
    bool known = false;
    for (unsigned link = 0; nvml->nvlink && link < MOST_LINKS; link++)
        if (nvml->nvlink(device, link, &active) == NVML_SUCCESS) {
            known = true;
            count += active == 1;
        }
    if (known)
        dprintf(nvml->fd, "nvlinks\t%u\n", count);
}

static void say_peers(const struct nvml *nvml, unsigned count)
{
    enum { CAPABILITY_READ = 0, P2P_OK = 0, MOST_TOLD = 64 };
    for (unsigned i = 0; i < count && i < MOST_TOLD && nvml->handle; i++)
        for (unsigned j = i + 1; j < count && j < MOST_TOLD; j++) {
            struct nvml_device *left, *right;
            unsigned level, status;
            if (nvml->handle(i, &left) != NVML_SUCCESS || nvml->handle(j, &right) != NVML_SUCCESS)
                continue;
            int path = nvml->ancestor && nvml->ancestor(left, right, &level) == NVML_SUCCESS ? (int)level : -1;
            int p2p = nvml->p2p && nvml->p2p(left, right, CAPABILITY_READ, &status) == NVML_SUCCESS ? status == P2P_OK
                                                                                                    : -1;
            dprintf(nvml->fd, "peer\t%u\t%u\t%d\t%d\n", i, j, path, p2p);
        }
}

static void say_device(const struct nvml *nvml, unsigned index, struct nvml_device *device)
{
    char text[TEXT_SIZE] = "";
    int major, minor;
    unsigned node;
    struct nvml_memory memory;
    struct nvml_pci pci = {.bus_id = ""};
    dprintf(nvml->fd, "gpu\t%u\n", index);
    if (nvml->name && nvml->name(device, text, sizeof text - 1) == NVML_SUCCESS)
        vendor_say(nvml->fd, "name", text);
    if (nvml->uuid && nvml->uuid(device, text, sizeof text - 1) == NVML_SUCCESS)
        vendor_say(nvml->fd, "uuid", text);
    if (nvml->pci && nvml->pci(device, &pci) == NVML_SUCCESS)
        vendor_say(nvml->fd, "pci", pci.bus_id);
    if (nvml->capability && nvml->capability(device, &major, &minor) == NVML_SUCCESS)
        dprintf(nvml->fd, "cc\t%d\t%d\n", major, minor);
    if (nvml->memory && nvml->memory(device, &memory) == NVML_SUCCESS) /* not supported on unified memory */
        dprintf(nvml->fd, "memory\t%llu\t%llu\n", memory.total, memory.free);
    if (nvml->numa_node && nvml->numa_node(device, &node) == NVML_SUCCESS)
        dprintf(nvml->fd, "numa\t%u\n", node);
    say_switch(nvml, device, "persistence", nvml->persistence);
    say_switch(nvml, device, "display", nvml->display);
    say_nvlinks(nvml, device);
    say_mig(nvml, device);
}

static void say_devices(const struct nvml *nvml)
{
    unsigned count = 0;
    if (failed(nvml, "nvmlDeviceGetCount", nvml->count ? nvml->count(&count) : NVML_FUNCTION_NOT_FOUND))
        return;
    for (unsigned i = 0; i < count && i < 1024; i++) {
        struct nvml_device *device;
        int code = nvml->handle ? nvml->handle(i, &device) : NVML_FUNCTION_NOT_FOUND;
        if (!failed(nvml, "nvmlDeviceGetHandleByIndex", code)) /* one lost GPU does not hide the others */
            say_device(nvml, i, device);
    }
    say_peers(nvml, count);
}

int nvml_answer(void *unused, int fd)
{
    struct nvml nvml = {0};
    char text[TEXT_SIZE] = "";
    int cuda = 0;
    (void)unused;
    void *library = vendor_open("libnvidia-ml.so.1", fd);
    if (!library)
        return 1;
    bind_symbols(library, &nvml);
    nvml.fd = fd;
    if (nvml.nvml_version && nvml.nvml_version(text, sizeof text - 1) == NVML_SUCCESS)
        vendor_say(fd, "library-version", text);
    if (!failed(&nvml, "nvmlInit", nvml.init ? nvml.init() : NVML_FUNCTION_NOT_FOUND)) {
        if (nvml.driver_version && nvml.driver_version(text, sizeof text - 1) == NVML_SUCCESS)
            vendor_say(fd, "version", text);
        if (nvml.cuda_version && nvml.cuda_version(&cuda) == NVML_SUCCESS)
            dprintf(fd, "cuda\t%d\n", cuda);
        say_devices(&nvml);
        if (nvml.shutdown)
            nvml.shutdown();
    }
    dprintf(fd, "end\n");
    return 0;
}
