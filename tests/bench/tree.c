/* usage: tree make DIR OBJECTS OTHERS: a prefix in which OBJECTS shared objects and OTHERS small files of other kinds lie
 * in directories of fifty; each fourth object needs libcudart by DT_RUNPATH, the others need each other.
 * usage: tree peek DIR: opens every file below DIR and reads its first bytes: the least that a search can cost. */
#include <ftw.h>
#include <sys/stat.h>

#include "../loader/makeelf.h"

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void make_directory(const char *root, const char *format, unsigned number, char *path, size_t size)
{
    snprintf(path, size, format, root, number);
    if (mkdir(path, 0755) != 0)
        die(path);
}

static void make_tree(const char *root, unsigned objects, unsigned others)
{
    enum { IN_A_DIRECTORY = 50 };
    char dir[4096] = "", path[4200];
    snprintf(path, sizeof path, "%s/lib/libcudart.so.12", root);
    make_file(path, &(struct make){.soname = "libcudart.so.12", .version = 12040});
    for (unsigned i = 0; i < objects; i++) {
        char soname[32], next[32];
        if (i % IN_A_DIRECTORY == 0)
            make_directory(root, "%s/lib/python3.12/site-packages/o%u", i / IN_A_DIRECTORY, dir, sizeof dir);
        snprintf(soname, sizeof soname, "libo%u.so", i);
        snprintf(next, sizeof next, "libo%u.so", i + 1);
        snprintf(path, sizeof path, "%s/%s", dir, soname);
        struct make make = {.soname = soname, .runpath = "$ORIGIN:$ORIGIN/../../.."};
        make.needed[0] = i % 4 == 0 ? "libcudart.so.12" : i + 1 < objects && (i + 1) % IN_A_DIRECTORY ? next : NULL;
        make_file(path, &make);
    }
    for (unsigned i = 0; i < others; i++) {
        if (i % IN_A_DIRECTORY == 0)
            make_directory(root, "%s/lib/python3.12/site-packages/p%u", i / IN_A_DIRECTORY, dir, sizeof dir);
        snprintf(path, sizeof path, "%s/m%u.%s", dir, i, i % 3 ? "py" : "pyc");
        FILE *file = fopen(path, "w");
        if (!file || fputs("import os\n\n\ndef main():\n    print(os.name)\n", file) < 0 || fclose(file) != 0)
            die(path);
    }
}

static int peek(const char *path, const struct stat *status, int kind)
{
    char bytes[64];
    int fd = kind == FTW_F && S_ISREG(status->st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, bytes, sizeof bytes);
    close(fd);
    return got < 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "make") == 0) {
        make_tree(argv[2], (unsigned)strtoul(argv[3], NULL, 10), (unsigned)strtoul(argv[4], NULL, 10));
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "peek") == 0)
        return ftw(argv[2], peek, 32);
    fprintf(stderr, "usage: tree make DIR OBJECTS OTHERS, or tree peek DIR\n");
    return 2;
}
