#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/vendor.h"

enum { CUDA_SUCCESS = 0, CUDA_NOT_FOUND = 500, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, TEXT_SIZE = 96 };

struct cuda {
    int fd;
    int (*init)(unsigned);
    int (*driver_version)(int *);
    int (*count)(int *);
    int (*get)(int *, int);
    int (*attribute)(int *, int, int);
    int (*uuid)(unsigned char *, int);
    int (*name)(char *, int, int);
    int (*memory)(size_t *, int);
    int (*pci)(char *, int, int);
};

#define FIELD(member) offsetof(struct cuda, member)

static const struct {
    size_t offset;
    const char *names[2];
} symbols[] = {
    {FIELD(init), {"cuInit", NULL}},
    {FIELD(driver_version), {"cuDriverGetVersion", NULL}},
    {FIELD(count), {"cuDeviceGetCount", NULL}},
    {FIELD(get), {"cuDeviceGet", NULL}},
    {FIELD(attribute), {"cuDeviceGetAttribute", NULL}},
    {FIELD(uuid), {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}},
    {FIELD(name), {"cuDeviceGetName", NULL}},
    {FIELD(memory), {"cuDeviceTotalMem_v2", NULL}},
    {FIELD(pci), {"cuDeviceGetPCIBusId", NULL}},
};

static void bind_symbols(void *library, struct cuda *cuda)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].names[0]);
        if (!address && symbols[i].names[1])
            address = dlsym(library, symbols[i].names[1]);
        memcpy((char *)cuda + symbols[i].offset, &address, sizeof address);
    }
}

static bool failed(const struct cuda *cuda, const char *function, int code)
{
    if (code != CUDA_SUCCESS)
        dprintf(cuda->fd, "error\t%s\t%d\n", function, code);
    return code != CUDA_SUCCESS;
}

/* The 16 bytes as the tools write them: GPU-8-4-4-4-12. */
static void say_uuid(const struct cuda *cuda, int device)
{
    unsigned char bytes[16] = {0};
    char text[64] = "GPU-";
    if (!cuda->uuid || cuda->uuid(bytes, device) != CUDA_SUCCESS)
        return;
    for (size_t i = 0, n = 4; i < sizeof bytes; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                              bytes[i]);
    vendor_say(cuda->fd, "uuid", text);
}

static void say_device(const struct cuda *cuda, int index, int device)
{
    char text[TEXT_SIZE] = "";
    int major, minor;
    size_t total;
    dprintf(cuda->fd, "gpu\t%d\n", index);
    if (cuda->name && cuda->name(text, sizeof text - 1, device) == CUDA_SUCCESS)
        vendor_say(cuda->fd, "name", text);
    say_uuid(cuda, device);
    if (cuda->pci && cuda->pci(text, sizeof text - 1, device) == CUDA_SUCCESS)
        vendor_say(cuda->fd, "pci", text);
    if (cuda->attribute && cuda->attribute(&major, CAPABILITY_MAJOR, device) == CUDA_SUCCESS
        && cuda->attribute(&minor, CAPABILITY_MINOR, device) == CUDA_SUCCESS)
        dprintf(cuda->fd, "cc\t%d\t%d\n", major, minor);
    if (cuda->memory && cuda->memory(&total, device) == CUDA_SUCCESS)
        dprintf(cuda->fd, "memory\t%zu\t0\n", total);
}

static void say_devices(const struct cuda *cuda)
{
    int count = 0;
    if (failed(cuda, "cuDeviceGetCount", cuda->count ? cuda->count(&count) : CUDA_NOT_FOUND))
        return;
    for (int i = 0; i < count && i < 1024; i++) {
        int device;
        if (!failed(cuda, "cuDeviceGet", cuda->get ? cuda->get(&device, i) : CUDA_NOT_FOUND))
            say_device(cuda, i, device);
    }
}

int cuda_answer(void *unused, int fd)
{
    struct cuda cuda = {0};
    int version = 0;
    (void)unused;
    /* The machine is asked, not what is left of it in this shell; and in the order of the bus, as NVML counts. */
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    void *library = vendor_open("libcuda.so.1", fd);
    if (!library)
        return 1;
    bind_symbols(library, &cuda);
    cuda.fd = fd;
    if (cuda.driver_version && cuda.driver_version(&version) == CUDA_SUCCESS)
        dprintf(fd, "cuda\t%d\n", version);
    if (!failed(&cuda, "cuInit", cuda.init ? cuda.init(0) : CUDA_NOT_FOUND))
        say_devices(&cuda);
    dprintf(fd, "end\n");
    return 0;
}
