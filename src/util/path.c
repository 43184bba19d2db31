#include "util/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"

char *path_join(struct arena *arena, const char *left, const char *right)
{
    size_t length = strlen(left);
    while (length && left[length - 1] == '/')
        length--;
    while (*right == '/')
        right++;
    return arena_printf(arena, "%.*s/%s", (int)length, left, right);
}

char *path_dirname(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return arena_strdup(arena, ".");
    while (slash > path && slash[-1] == '/')
        slash--;
    return slash == path ? arena_strdup(arena, "/") : arena_memdup(arena, path, (size_t)(slash - path));
}

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_absolute(struct arena *arena, const char *path)
{
    struct text text = {.arena = arena};
    if (path[0] != '/') {
        char *cwd = getcwd(NULL, 0);
        text_add(&text, "%s", cwd && strcmp(cwd, "/") != 0 ? cwd : "");
        free(cwd);
    }
    struct str rest = str_of(path), part;
    while (str_cut(&rest, '/', &part))
        if (part.n && !str_eq_c(part, "."))
            text_add(&text, "/%.*s", (int)part.n, part.s);
    return text.n ? text.s : arena_strdup(arena, "/");
}

char *path_real(struct arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = arena_strdup(arena, real);
    free(real);
    return copy;
}

const char *path_relative(const char *dir, const char *path)
{
    size_t length = strlen(dir);
    while (length && dir[length - 1] == '/')
        length--;
    if (strncmp(dir, path, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return path + length;
    return path[length] == '/' ? path + length + 1 : NULL;
}

bool path_below(const char *dir, const char *path)
{
    return path_relative(dir, path) != NULL;
}
