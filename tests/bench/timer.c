/* Measures a command against a reference command, alternating, so that a slow moment of the machine hits both.
 * usage: timer RUNS REFERENCE... -- COMMAND...
 * Prints, separated by tabs: median CPU (user and system) and wall time of the reference, the same of the command, in
 * milliseconds, the ratios of CPU and wall time, and the largest memory of the command in KiB. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RUNS = 1000 };

struct series {
    double cpu[MOST_RUNS], wall[MOST_RUNS]; /* milliseconds */
    long memory;                            /* KiB, the largest */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void start(char **argv)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(126);
    execvp(argv[0], argv);
    fprintf(stderr, "timer: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* wait4() counts the children that the command waited for as well. */
static bool run_once(char **argv, struct series *series, int at)
{
    struct rusage usage;
    int status;
    double begin = now();
    pid_t pid = fork();
    if (pid == 0)
        start(argv);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return false;
    series->wall[at] = now() - begin;
    series->cpu[at] = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
    if (usage.ru_maxrss > series->memory)
        series->memory = usage.ru_maxrss;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "timer: %s failed\n", argv[0]);
    return false;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_result(struct series *reference, struct series *command, int runs)
{
    double reference_cpu = median(reference->cpu, runs), reference_wall = median(reference->wall, runs);
    double cpu = median(command->cpu, runs), wall = median(command->wall, runs);
    printf("%.3f\t%.3f\t%.3f\t%.3f\t", reference_cpu, reference_wall, cpu, wall);
    printf("%.3f\t%.3f\t%ld\n", reference_cpu > 0 ? cpu / reference_cpu : 0, wall / reference_wall, command->memory);
}

int main(int argc, char **argv)
{
    static struct series reference, command;
    struct series unmeasured = {0};
    int runs = argc > 1 ? atoi(argv[1]) : 0, split = 2;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (runs < 1 || runs > MOST_RUNS || split < 3 || split + 1 >= argc) {
        fprintf(stderr, "usage: timer RUNS REFERENCE... -- COMMAND...\n");
        return 2;
    }
    argv[split] = NULL;
    /* The first of each only warms the caches. */
    if (!run_once(argv + 2, &unmeasured, 0) || !run_once(argv + split + 1, &unmeasured, 0))
        return 1;
    for (int i = 0; i < runs; i++)
        if (!run_once(argv + 2, &reference, i) || !run_once(argv + split + 1, &command, i))
            return 1;
    print_result(&reference, &command, runs);
    return 0;
}
