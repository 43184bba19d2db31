/* A stand-in for libnvidia-ml.so.1. With -DOLD it has the functions of an old library only. */
#include "gpus.h"

struct handle; /* a struct standin_gpu, or a MIG UUID */

#ifdef OLD
#define V2(name) name
#else
#define V2(name) name##_v2
#endif

STANDIN_API int V2(nvmlInit)(void);
STANDIN_API int V2(nvmlInit)(void)
{
    standin_start();
    return standin_get()->nvml_init;
}

STANDIN_API int nvmlShutdown(void);
STANDIN_API int nvmlShutdown(void)
{
    return 0;
}

static int give(const char *text, char *buffer, unsigned size)
{
    if (!text[0])
        return 3;
    snprintf(buffer, size, "%s", text);
    return 0;
}

STANDIN_API int nvmlSystemGetDriverVersion(char *buffer, unsigned size);
STANDIN_API int nvmlSystemGetDriverVersion(char *buffer, unsigned size)
{
    return give(standin_get()->driver, buffer, size);
}

STANDIN_API int nvmlSystemGetNVMLVersion(char *buffer, unsigned size);
STANDIN_API int nvmlSystemGetNVMLVersion(char *buffer, unsigned size)
{
    return give(standin_get()->library, buffer, size);
}

STANDIN_API int V2(nvmlSystemGetCudaDriverVersion)(int *version);
STANDIN_API int V2(nvmlSystemGetCudaDriverVersion)(int *version)
{
    *version = standin_get()->cuda;
    return *version ? 0 : 12;
}

STANDIN_API int V2(nvmlDeviceGetCount)(unsigned *count);
STANDIN_API int V2(nvmlDeviceGetCount)(unsigned *count)
{
    *count = standin_get()->count;
    return 0;
}

STANDIN_API int V2(nvmlDeviceGetHandleByIndex)(unsigned index, struct standin_gpu **device);
STANDIN_API int V2(nvmlDeviceGetHandleByIndex)(unsigned index, struct standin_gpu **device)
{
    *device = &standin_get()->gpus[index];
    return (*device)->lost ? 15 : 0;
}

STANDIN_API int nvmlDeviceGetName(struct standin_gpu *gpu, char *buffer, unsigned size);
STANDIN_API int nvmlDeviceGetName(struct standin_gpu *gpu, char *buffer, unsigned size)
{
    return give(gpu->name, buffer, size);
}

/* A MIG instance's handle is the address of its UUID, behind those of the GPUs' first members. */
STANDIN_API int nvmlDeviceGetUUID(void *handle, char *buffer, unsigned size);
STANDIN_API int nvmlDeviceGetUUID(void *handle, char *buffer, unsigned size)
{
    for (unsigned i = 0; i < standin_get()->count; i++)
        if (handle == (void *)&standin_get()->gpus[i])
            return give(standin_get()->gpus[i].uuid, buffer, size);
    return give(handle, buffer, size);
}

STANDIN_API int nvmlDeviceGetMemoryInfo(struct standin_gpu *gpu, unsigned long long memory[3]);
STANDIN_API int nvmlDeviceGetMemoryInfo(struct standin_gpu *gpu, unsigned long long memory[3])
{
    memory[0] = gpu->total;
    memory[1] = gpu->free;
    memory[2] = gpu->total - gpu->free;
    return gpu->total ? 0 : 3;
}

#ifdef OLD
/* Version 1 wrote 32 bytes and had the address in the first 16: whoever takes it for version 3 reads nonsense. */
STANDIN_API int nvmlDeviceGetPciInfo(struct standin_gpu *gpu, char info[32]);
STANDIN_API int nvmlDeviceGetPciInfo(struct standin_gpu *gpu, char info[32])
{
    snprintf(info, 16, "%s", gpu->pci);
    return 0;
}
#else
STANDIN_API int nvmlDeviceGetCudaComputeCapability(struct standin_gpu *gpu, int *major, int *minor);
STANDIN_API int nvmlDeviceGetCudaComputeCapability(struct standin_gpu *gpu, int *major, int *minor)
{
    *major = gpu->major;
    *minor = gpu->minor;
    return gpu->major ? 0 : 3;
}

struct pci_info {
    char legacy[16];
    unsigned domain, bus, device, ids[2];
    char bus_id[32];
};

STANDIN_API int nvmlDeviceGetPciInfo_v3(struct standin_gpu *gpu, struct pci_info *info);
STANDIN_API int nvmlDeviceGetPciInfo_v3(struct standin_gpu *gpu, struct pci_info *info)
{
    memset(info, 0, sizeof *info);
    return give(gpu->pci, info->bus_id, sizeof info->bus_id);
}

STANDIN_API int nvmlDeviceGetMigMode(struct standin_gpu *gpu, unsigned *current, unsigned *pending);
STANDIN_API int nvmlDeviceGetMigMode(struct standin_gpu *gpu, unsigned *current, unsigned *pending)
{
    *current = *pending = gpu->migs > 0;
    return 0;
}

STANDIN_API int nvmlDeviceGetMaxMigDeviceCount(struct standin_gpu *gpu, unsigned *count);
STANDIN_API int nvmlDeviceGetMaxMigDeviceCount(struct standin_gpu *gpu, unsigned *count)
{
    (void)gpu;
    *count = 7;
    return 0;
}

/* The first slot stays empty, as after an instance was destroyed. */
STANDIN_API int nvmlDeviceGetMigDeviceHandleByIndex(struct standin_gpu *gpu, unsigned index, void **handle);
STANDIN_API int nvmlDeviceGetMigDeviceHandleByIndex(struct standin_gpu *gpu, unsigned index, void **handle)
{
    if (index == 0 || index > gpu->migs)
        return 6;
    *handle = gpu->mig[index - 1];
    return 0;
}

STANDIN_API int nvmlDeviceGetPersistenceMode(struct standin_gpu *gpu, unsigned *mode);
STANDIN_API int nvmlDeviceGetPersistenceMode(struct standin_gpu *gpu, unsigned *mode)
{
    *mode = gpu->nvlinks > 0;
    return 0;
}

STANDIN_API int nvmlDeviceGetDisplayActive(struct standin_gpu *gpu, unsigned *active);
STANDIN_API int nvmlDeviceGetDisplayActive(struct standin_gpu *gpu, unsigned *active)
{
    *active = gpu->display > 0;
    return 0;
}

/* One more link than is active, so that both answers come. */
STANDIN_API int nvmlDeviceGetNvLinkState(struct standin_gpu *gpu, unsigned link, unsigned *active);
STANDIN_API int nvmlDeviceGetNvLinkState(struct standin_gpu *gpu, unsigned link, unsigned *active)
{
    *active = link < (unsigned)gpu->nvlinks;
    return gpu->nvlinks && link <= (unsigned)gpu->nvlinks ? 0 : 3;
}

STANDIN_API int nvmlDeviceGetTopologyCommonAncestor(struct standin_gpu *left, struct standin_gpu *right, unsigned *level);
STANDIN_API int nvmlDeviceGetTopologyCommonAncestor(struct standin_gpu *left, struct standin_gpu *right, unsigned *level)
{
    *level = left->board == right->board ? 10 : 50;
    return left->board ? 0 : 3;
}

STANDIN_API int nvmlDeviceGetP2PStatus(struct standin_gpu *left, struct standin_gpu *right, unsigned capability,
                                       unsigned *status);
STANDIN_API int nvmlDeviceGetP2PStatus(struct standin_gpu *left, struct standin_gpu *right, unsigned capability,
                                       unsigned *status)
{
    *status = left->board == right->board ? 0 : 1;
    return left->board && capability == 0 ? 0 : 3;
}
#endif
