/* The emulation against the real loader on this machine's own libraries: each is preloaded into a program that only
 * lists what it would load, and each of its DT_NEEDED must be found in the same file. CONDAGPU_SYSTEM_OBJECTS (200)
 * says how many are asked, CONDAGPU_SYSTEM_DIRS (a list with colons) where; CONDAGPU_SYSTEM_PROGRAM names another
 * program. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/image.h"
#include "loader/loader.h"
#include "loader/system.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

extern char **environ;

static struct arena *arena;

struct score {
    size_t objects, same, missing, different;
};

/* What the real loader says for one name; NULL when it says nothing, "not found" as it says. */
static const char *listed(const char *trace, const char *name)
{
    const char *line = strstr(trace, arena_printf(arena, "\t%s => ", name));
    if (!line)
        return NULL;
    const char *path = strstr(line, " => ") + 4;
    char *copy = arena_memdup(arena, path, strcspn(path, "\n"));
    char *address = strstr(copy, " (0x");
    if (address)
        *address = '\0';
    return copy;
}

static void compare(struct loader *loader, const char *object, const char *name, const char *real, struct score *score)
{
    struct resolution resolution;
    bool asked = loader_resolve(loader, object, name, &resolution);
    if (asked && !resolution.path && strcmp(real, "not found") == 0)
        score->missing++;
    else if (asked && cstr_eq(resolution.path, real))
        score->same++;
    else if (score->different++ < 10)
        printf("# %s needs %s: the loader says %s, the emulation %s\n", object, name, real,
               asked && resolution.path ? resolution.path : "nothing");
}

static void ask(struct loader *loader, const char *program, const char *object, struct score *score)
{
    struct elf elf;
    struct proc proc;
    if (!elf_read(arena, object, &elf) || elf.is_fixed || (elf.flags_1 & DF_1_PIE) || strpbrk(object, " :"))
        return;
    const char *const *env = env_with(arena, (const char *const *)environ, "LD_PRELOAD", object);
    env = env_with(arena, env, "LD_TRACE_LOADED_OBJECTS", "1");
    proc_run(arena, (const char *const[]){program, NULL}, env, NULL, 20000, 1 << 20, &proc);
    if (proc.status != 0 || strstr(proc.err.s, "cannot be preloaded"))
        return;
    score->objects++;
    for (size_t i = 0; i < elf.needed.n; i++) {
        const char *real = listed(proc.out.s, elf.needed.v[i]);
        if (real)
            compare(loader, object, elf.needed.v[i], real, score);
    }
}

static unsigned long number(const char *variable, unsigned long otherwise)
{
    const char *value = getenv(variable);
    return value && value[0] ? strtoul(value, NULL, 10) : otherwise;
}

/* Spread over the directory, so that a few of many are not all of one kind. */
static void ask_dir(struct loader *loader, const char *program, const char *dir, size_t most, struct score *score)
{
    struct strv names = {0};
    if (!dir_list(arena, dir, &names))
        return;
    size_t step = names.n / most + 1;
    for (size_t i = 0; i < names.n; i += step) {
        const char *path = path_join(arena, dir, names.v[i]);
        if (strstr(names.v[i], ".so") && file_is_regular(path))
            ask(loader, program, path, score);
    }
}

int main(void)
{
    const char *build = getenv("top_builddir"), *chosen = getenv("CONDAGPU_SYSTEM_DIRS");
    const char *program = getenv("CONDAGPU_SYSTEM_PROGRAM");
    struct score score = {0};
    struct system system;
    struct str rest, dir;
    arena = arena_new();
    if (!program)
        program = path_join(arena, build ? build : ".", "tests/loader/program");
    program = path_real(arena, program);
    struct loader_options options = {
        .executable = program, .ld_library_path = getenv("LD_LIBRARY_PATH"), .ld_preload = getenv("LD_PRELOAD")};
    struct loader *loader = loader_new(arena, &options);
    struct text dirs = {.arena = arena};
    system_read(arena, NULL, image_host_machine(), "", &system);
    for (size_t i = 0; i < system.dirs.n; i++)
        text_add(&dirs, "%s%s", i ? ":" : "", system.dirs.v[i]);
    rest = chosen ? str_of(chosen) : text_str(&dirs);
    while (str_cut(&rest, ':', &dir))
        ask_dir(loader, program, str_dup(arena, dir), number("CONDAGPU_SYSTEM_OBJECTS", 200), &score);
    if (score.objects == 0)
        puts("1..0 # SKIP no library can be preloaded here");
    else
        printf("%sok 1 - %zu objects: %zu names the same, %zu missing in both, %zu different\n1..1\n",
               score.different ? "not " : "", score.objects, score.same, score.missing, score.different);
    arena_free(arena);
    return score.different != 0;
}
