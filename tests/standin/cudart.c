/* A small stand-in for libcudart, for tests without the real one: cudaRuntimeGetVersion answers VERSION through an inner
 * function, as NVIDIA's does. */
__attribute__((noinline)) static int inner(int *version)
{
    if (!version)
        return 1;
    *version = VERSION;
    return 0;
}

int cudaRuntimeGetVersion(int *version);

int cudaRuntimeGetVersion(int *version)
{
    int status = inner(version);
    __asm__ volatile("" : "+r"(status));
    return status;
}
