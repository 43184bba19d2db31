/* Stands for the environment's python: it has DT_RPATH $ORIGIN/../lib and opens what it is told. For each path on
 * standard input it opens that file in a child of its own and prints
 *
 *     PATH<tab>FILE<tab>BEFORE   the first libcudart that this loaded, and the first that was there before; "-" for
 * none PATH<tab>!WHY              the file cannot be opened, or the child died
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_runtime(const struct link_map *map, const struct link_map *end)
{
    for (; map != end; map = map->l_next) {
        const char *slash = strrchr(map->l_name, '/');
        if (strncmp(slash ? slash + 1 : map->l_name, "libcudart", 9) == 0)
            return map->l_name;
    }
    return "-";
}

static struct link_map *all_maps(void)
{
    struct link_map *map = NULL;
    if (dlinfo(dlopen(NULL, RTLD_LAZY), RTLD_DI_LINKMAP, &map) != 0)
        exit(99);
    return map;
}

static void open_one(const char *path, int fd)
{
    struct link_map *last = all_maps();
    while (last->l_next)
        last = last->l_next;
    if (dlopen(path, RTLD_LAZY | RTLD_LOCAL))
        dprintf(fd, "%s\t%s", find_runtime(last->l_next, NULL), find_runtime(all_maps(), last->l_next));
    else
        dprintf(fd, "!%s", dlerror());
}

static void in_child(const char *path)
{
    char answer[8192] = "!died";
    int pipes[2], status;
    size_t size = 0;
    ssize_t got;
    fflush(stdout);
    if (pipe(pipes) != 0)
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        open_one(path, pipes[1]);
        _exit(0);
    }
    close(pipes[1]);
    while (size < sizeof answer - 1 && (got = read(pipes[0], answer + size, sizeof answer - 1 - size)) > 0)
        size += (size_t)got;
    if (size)
        answer[size] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    printf("%s\t%s\n", path, answer);
}

int main(void)
{
    char line[8192];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        in_child(line);
    }
    return 0;
}
