/* A stand-in for libcuda.so.1. As the real one, it shows no device where CUDA_VISIBLE_DEVICES hides them. */
#include "gpus.h"

STANDIN_API int cuInit(unsigned flags);
STANDIN_API int cuInit(unsigned flags)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    standin_start();
    if (flags != 0)
        return 1;
    return visible && !visible[0] ? 100 : standin_get()->cuda_init;
}

STANDIN_API int cuDriverGetVersion(int *version);
STANDIN_API int cuDriverGetVersion(int *version)
{
    *version = standin_get()->cuda;
    return 0;
}

STANDIN_API int cuDeviceGetCount(int *count);
STANDIN_API int cuDeviceGetCount(int *count)
{
    *count = (int)standin_get()->count;
    return 0;
}

STANDIN_API int cuDeviceGet(int *device, int index);
STANDIN_API int cuDeviceGet(int *device, int index)
{
    *device = index;
    return 0;
}

STANDIN_API int cuDeviceGetAttribute(int *value, int attribute, int device);
STANDIN_API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const struct standin_gpu *gpu = &standin_get()->gpus[device];
    *value = attribute == 75 ? gpu->major : gpu->minor;
    return attribute == 75 || attribute == 76 ? 0 : 1;
}

STANDIN_API int cuDeviceGetUuid_v2(unsigned char *bytes, int device);
STANDIN_API int cuDeviceGetUuid_v2(unsigned char *bytes, int device)
{
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(i * 16 + device);
    return 0;
}

STANDIN_API int cuDeviceGetName(char *buffer, int size, int device);
STANDIN_API int cuDeviceGetName(char *buffer, int size, int device)
{
    snprintf(buffer, (size_t)size, "%s", standin_get()->gpus[device].name);
    return 0;
}

STANDIN_API int cuDeviceTotalMem_v2(size_t *bytes, int device);
STANDIN_API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)standin_get()->gpus[device].total;
    return 0;
}

STANDIN_API int cuDeviceGetPCIBusId(char *buffer, int size, int device);
STANDIN_API int cuDeviceGetPCIBusId(char *buffer, int size, int device)
{
    snprintf(buffer, (size_t)size, "%s", standin_get()->gpus[device].pci);
    return 0;
}
