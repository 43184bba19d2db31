/* The machine that the stand-ins for NVIDIA's libraries pretend to drive. It is read from the file that
 * CONDAGPU_STANDIN names, a "key value" a line:
 *   driver 550.90.07 · library 550.90.07 · cuda 12040 · nvml-init CODE · cuda-init CODE · hang PIDFILE · crash 1
 *   gpu NAME, then of this GPU: uuid TEXT · pci TEXT · cc MAJOR MINOR · memory TOTAL FREE · lost 1 · mig UUID
 *   · nvlinks COUNT · display 1 · board NUMBER (two GPUs of one board reach each other, others go through the system) */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STANDIN_API __attribute__((visibility("default")))

struct standin_gpu {
    char name[96], uuid[96], pci[32], mig[8][96];
    int major, minor, lost, nvlinks, display, board;
    unsigned migs;
    unsigned long long total, free;
};

struct standin {
    char driver[80], library[80], hang[4096];
    int cuda, nvml_init, cuda_init, crash;
    unsigned count;
    struct standin_gpu gpus[16];
};

/* \xNN in a name is a byte. */
static void standin_copy(char *to, size_t size, const char *from)
{
    size_t n = 0;
    while (*from && n + 1 < size) {
        if (from[0] == '\\' && from[1] == 'x' && from[2] && from[3]) {
            char digits[3] = {from[2], from[3], '\0'};
            to[n++] = (char)strtol(digits, NULL, 16);
            from += 4;
        } else
            to[n++] = *from++;
    }
    to[n] = '\0';
}

static void standin_gpu_line(struct standin_gpu *gpu, const char *key, const char *value)
{
    if (strcmp(key, "uuid") == 0)
        standin_copy(gpu->uuid, sizeof gpu->uuid, value);
    else if (strcmp(key, "pci") == 0)
        standin_copy(gpu->pci, sizeof gpu->pci, value);
    else if (strcmp(key, "cc") == 0)
        sscanf(value, "%d %d", &gpu->major, &gpu->minor);
    else if (strcmp(key, "memory") == 0)
        sscanf(value, "%llu %llu", &gpu->total, &gpu->free);
    else if (strcmp(key, "nvlinks") == 0)
        gpu->nvlinks = atoi(value);
    else if (strcmp(key, "display") == 0)
        gpu->display = atoi(value);
    else if (strcmp(key, "board") == 0)
        gpu->board = atoi(value);
    else if (strcmp(key, "lost") == 0)
        gpu->lost = atoi(value);
    else if (strcmp(key, "mig") == 0 && gpu->migs < 8)
        standin_copy(gpu->mig[gpu->migs++], sizeof gpu->mig[0], value);
}

static void standin_line(struct standin *standin, const char *key, const char *value)
{
    if (strcmp(key, "driver") == 0)
        standin_copy(standin->driver, sizeof standin->driver, value);
    else if (strcmp(key, "library") == 0)
        standin_copy(standin->library, sizeof standin->library, value);
    else if (strcmp(key, "hang") == 0)
        standin_copy(standin->hang, sizeof standin->hang, value);
    else if (strcmp(key, "cuda") == 0)
        standin->cuda = atoi(value);
    else if (strcmp(key, "nvml-init") == 0)
        standin->nvml_init = atoi(value);
    else if (strcmp(key, "cuda-init") == 0)
        standin->cuda_init = atoi(value);
    else if (strcmp(key, "crash") == 0)
        standin->crash = atoi(value);
    else if (strcmp(key, "gpu") == 0 && standin->count < 16)
        standin_copy(standin->gpus[standin->count++].name, sizeof standin->gpus[0].name, value);
    else if (standin->count)
        standin_gpu_line(&standin->gpus[standin->count - 1], key, value);
}

static struct standin *standin_get(void)
{
    static struct standin standin;
    static int is_read;
    char line[4096];
    const char *path = getenv("CONDAGPU_STANDIN");
    FILE *file = is_read || !path ? NULL : fopen(path, "r");
    is_read = 1;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, ' ');
        if (!value)
            continue;
        *value = '\0';
        standin_line(&standin, line, value + 1);
    }
    if (file)
        fclose(file);
    return &standin;
}

/* A wedged driver: it cannot be asked to stop, and it talks on both streams before that. */
static void standin_start(void)
{
    struct standin *standin = standin_get();
    printf("noise on standard output\n");
    fflush(stdout);
    fprintf(stderr, "noise on standard error\n");
    if (standin->crash) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
        raise(SIGSEGV);
    }
    if (!standin->hang[0])
        return;
    FILE *file = fopen(standin->hang, "w");
    if (file) {
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
    }
    for (int number = 1; number < 32; number++)
        signal(number, SIG_IGN);
    for (;;)
        pause();
}
