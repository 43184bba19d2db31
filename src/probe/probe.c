#include "probe/probe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_FILE = 4 * 1024 * 1024, MOST_LINKS = 40 };

/* Replaces the link at the end of `done` by what it points to, put in front of `*rest`. */
static void follow_link(struct arena *arena, const char *root, const char *target, struct text *done, char **rest)
{
    *rest = arena_printf(arena, "%s/%s", target, *rest);
    size_t keep = target[0] == '/' ? strlen(root) : (size_t)(strrchr(done->s, '/') - done->s);
    done->n = keep;
    done->s[keep] = '\0';
}

static char *read_link(struct arena *arena, const char *path)
{
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    return length > 0 ? arena_memdup(arena, target, (size_t)length) : NULL;
}

/* Walks `path` below `root`, so that neither ".." nor an absolute link leaves it. */
static const char *resolve(struct arena *arena, const char *root, const char *path)
{
    struct text done = {.arena = arena};
    char *rest = arena_strdup(arena, path);
    unsigned links = 0;
    text_add(&done, "%s", root);
    while (*rest) {
        size_t length = strcspn(rest, "/");
        const char *part = arena_memdup(arena, rest, length);
        rest += length + (rest[length] == '/');
        if (length == 0 || strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") == 0) {
            if (done.n > strlen(root))
                done.n = (size_t)(strrchr(done.s, '/') - done.s);
            done.s[done.n] = '\0';
            continue;
        }
        text_add(&done, "/%s", part);
        const char *target = links < MOST_LINKS ? read_link(arena, done.s) : NULL;
        if (target) {
            links++;
            follow_link(arena, root, target, &done, &rest);
        }
    }
    return done.s;
}

const char *probe_path(struct probe *probe, const char *path)
{
    return probe->root[0] ? resolve(probe->arena, probe->root, path) : path;
}

const char *probe_real(struct probe *probe, const char *path)
{
    const char *here = probe_path(probe, path);
    if (!probe->root[0])
        return path_real(probe->arena, here);
    if (!file_exists(here))
        return NULL;
    const char *below = here + strlen(probe->root);
    return *below ? below : "/";
}

bool probe_exists(struct probe *probe, const char *path)
{
    return file_exists(probe_path(probe, path));
}

const char *probe_line(struct probe *probe, const char *path)
{
    return file_first_line(probe->arena, probe_path(probe, path));
}

bool probe_number(struct probe *probe, const char *path, long long *number)
{
    const char *line = probe_line(probe, path);
    return line && parse_decimal(str_of(line), number);
}

bool probe_file(struct probe *probe, const char *path, struct str *content)
{
    struct err err;
    return file_read(probe->arena, probe_path(probe, path), LARGEST_FILE, "file", content, &err);
}

struct strv probe_list(struct probe *probe, const char *path)
{
    struct strv names = {0};
    if (!dir_list(probe->arena, probe_path(probe, path), &names))
        names.n = 0;
    return names;
}

const char *probe_env(struct probe *probe, const char *name)
{
    const char *value = probe->is_real ? getenv(name) : NULL;
    return value && value[0] ? value : NULL;
}

void probe_warn(struct probe *probe, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(probe->arena, format, args);
    va_end(args);
    strv_add(probe->arena, &probe->machine->warnings, text_printable(probe->arena, str_of(text)));
}

bool next_word(struct str *rest, struct str *word)
{
    *rest = str_trim(*rest);
    size_t length = 0;
    while (length < rest->n && !strchr(" \t\r\n\f\v", rest->s[length]))
        length++;
    *word = str_slice(*rest, 0, length);
    *rest = str_slice(*rest, length, rest->n);
    return length > 0;
}

bool parse_decimal(struct str text, long long *number)
{
    *number = 0;
    if (text.n == 0 || text.n > 18)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] < '0' || text.s[i] > '9')
            return false;
        *number = *number * 10 + (text.s[i] - '0');
    }
    return true;
}

void probe_machine(struct arena *arena, const struct probe_options *options, struct machine *machine)
{
    const char *root = options->root && options->root[0] ? path_absolute(arena, options->root) : "";
    struct probe probe = {
        .arena = arena,
        .root = strcmp(root, "/") == 0 ? "" : root,
        .options = options,
        .machine = machine,
    };
    probe.is_real = probe.root[0] == '\0';
    *machine = (struct machine){
        .root = probe.root,
        .source = probe.is_real ? "this machine" : arena_printf(arena, "the machine below %s", probe.root),
        .driver.cuda = RELEASE_NONE,
    };
    probe_host(&probe);
    probe_cpu(&probe);
    probe_bus(&probe);
    probe_driver(&probe);
    probe_network(&probe);
    probe_toolkits(&probe);
}
