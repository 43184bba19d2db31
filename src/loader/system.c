#include "loader/system.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/image.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/release.h"
#include "util/str.h"

enum { DEADLINE_MS = 5000, MOST_OUTPUT = 256 * 1024 };

/* What is known of each machine without asking (glibc's sysdeps, Debian's multiarch, the Fedora family's lib64). */
static const struct machine_row {
    uint16_t machine;
    const char *interpreter, *triplet, *lib, *platform;
    const char *hwcap_names[32]; /* by bit, as in dl-procinfo.c up to glibc 2.36 */
} machines[] = {
    {EM_X86_64, "/lib64/ld-linux-x86-64.so.2", "x86_64-linux-gnu", "lib64", "x86_64", {"sse2", "x86_64", "avx512_1"}},
    {EM_AARCH64, "/lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu", "lib64", "aarch64", {[8] = "atomics"}},
};

static const struct machine_row *machine_row(uint16_t machine)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].machine == machine)
            return &machines[i];
    return NULL;
}

/* The answers that matter. */
struct answers {
    struct strv dirs;
    const char *lib, *platform, *hwcaps, *version;
    unsigned long hwcaps_active, hwcap, hwcap_important;
};

/* A value is a number or a quoted string; nothing that matters here holds an escape. */
static void take_answer(struct arena *arena, struct answers *answers, struct str key, struct str value)
{
    const struct {
        const char *key;
        const char **text;
        unsigned long *number;
    } rows[] = {
        {"dl_dst_lib", &answers->lib, NULL},
        {"dl_platform", &answers->platform, NULL},
        {"dl_hwcaps_subdirs", &answers->hwcaps, NULL},
        {"version.version", &answers->version, NULL},
        {"dl_hwcaps_subdirs_active", NULL, &answers->hwcaps_active},
        {"dl_hwcap", NULL, &answers->hwcap},
        {"dl_hwcap_important", NULL, &answers->hwcap_important},
    };
    bool quoted = value.n >= 2 && value.s[0] == '"' && value.s[value.n - 1] == '"';
    char *text = str_dup(arena, quoted ? str_slice(value, 1, value.n - 1) : value);
    if (str_starts(key, "path.system_dirs[") && quoted)
        strv_add(arena, &answers->dirs, text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!str_eq_c(key, rows[i].key))
            continue;
        if (rows[i].text && quoted)
            *rows[i].text = text;
        else if (rows[i].number)
            *rows[i].number = strtoul(text, NULL, 0);
    }
}

static bool ask(struct arena *arena, const char *interpreter, struct answers *answers)
{
    const char *const argv[] = {interpreter, "--list-diagnostics", NULL};
    const char *const env[] = {"LC_ALL=C", NULL};
    struct proc proc;
    proc_run(arena, argv, env, "/", DEADLINE_MS, MOST_OUTPUT, &proc);
    struct str rest = proc.out, line;
    if (!proc.started || proc.status != 0)
        return false;
    while (str_cut(&rest, '\n', &line)) {
        size_t at = str_find(line, '=');
        if (at < line.n)
            take_answer(arena, answers, str_slice(line, 0, at), str_slice(line, at + 1, line.n));
    }
    return answers->dirs.n > 0;
}

static void add_hwcaps(struct arena *arena, struct system *system, const struct answers *answers)
{
    struct str rest = str_of(answers->hwcaps), name;
    for (unsigned i = 0; answers->hwcaps && i < 32 && str_cut(&rest, ':', &name); i++) {
        if (name.n == 0 || !(answers->hwcaps_active >> i & 1))
            continue;
        const char *active = str_dup(arena, name);
        strv_add(arena, &system->hwcaps, active);
        strv_add(arena, &system->subdirs, arena_printf(arena, "glibc-hwcaps/%s/", active));
    }
}

/* Up to 2.36 every combination of "tls", the platform and the important features was tried, the longest first
 * (_dl_important_hwcaps in glibc's elf/dl-hwcaps.c). */
static void add_legacy(struct arena *arena, struct system *system, const struct machine_row *row,
                       const struct answers *answers)
{
    const char *parts[8];
    size_t n = 0;
    parts[n++] = "tls";
    if (answers->platform)
        parts[n++] = answers->platform;
    for (int bit = 31; bit >= 0 && n < sizeof parts / sizeof *parts; bit--)
        if (row->hwcap_names[bit] && (answers->hwcap & answers->hwcap_important) >> bit & 1)
            parts[n++] = row->hwcap_names[bit];
    for (unsigned set = (1u << n) - 1; set > 0; set--) {
        char *subdir = arena_strdup(arena, "");
        for (size_t i = 0; i < n; i++)
            if (set >> (n - 1 - i) & 1)
                subdir = arena_printf(arena, "%s%s/", subdir, parts[i]);
        if (strv_find(&system->subdirs, subdir) == system->subdirs.n)
            strv_add(arena, &system->subdirs, subdir);
    }
}

static bool has_legacy(const struct answers *answers)
{
    struct release version;
    return answers->version && release_parse(str_of(answers->version), &version)
           && release_cmp(version, (struct release){2, 37, -1}) < 0;
}

static void use_answers(struct arena *arena, struct system *system, const struct machine_row *row,
                        const struct answers *answers)
{
    system->asked = true;
    system->dirs = answers->dirs;
    system->lib = answers->lib;
    system->platform = answers->platform;
    add_hwcaps(arena, system, answers);
    if (row && has_legacy(answers))
        add_legacy(arena, system, row, answers);
}

#if defined __x86_64__
/* The levels of the x86-64 psABI as far as the compiler's own test knows the features. */
static void native_answers(struct answers *answers)
{
    bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
              && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
              && __builtin_cpu_supports("avx512vl");
    answers->hwcaps = "x86-64-v4:x86-64-v3:x86-64-v2";
    answers->hwcaps_active = (v4 ? 1u : 0) | (v3 ? 2u : 0) | (v2 ? 4u : 0);
    answers->platform = v3 ? "haswell" : "x86_64";
    answers->hwcap = 2;
    answers->hwcap_important = 6;
}
#else
static void native_answers(struct answers *answers)
{
    (void)answers;
}
#endif

/* A loader before 2.34 does not know the option; then both kinds of subdirectories are looked at where they exist. */
static void use_built_in(struct arena *arena, struct system *system, const struct machine_row *row, const char *root)
{
    struct answers answers = {.platform = row->platform};
    const char *multiarch = arena_printf(arena, "/usr/lib/%s", row->triplet);
    bool is_debian = file_is_dir(path_join(arena, root, multiarch));
    const char *const debian[] = {arena_printf(arena, "/lib/%s/", row->triplet), arena_printf(arena, "%s/", multiarch),
                                  "/lib/", "/usr/lib/", NULL};
    const char *const fedora[] = {"/lib64/", "/usr/lib64/", NULL};
    for (const char *const *dir = is_debian ? debian : fedora; *dir; dir++)
        strv_add(arena, &system->dirs, *dir);
    system->lib = is_debian ? arena_printf(arena, "lib/%s", row->triplet) : row->lib;
    if (row->machine == image_host_machine())
        native_answers(&answers);
    system->platform = answers.platform;
    add_hwcaps(arena, system, &answers);
    add_legacy(arena, system, row, &answers);
}

static void add_tops(struct arena *arena, struct system *system)
{
    for (size_t i = 0; i < system->subdirs.n; i++) {
        struct str subdir = str_of(system->subdirs.v[i]);
        const char *top = str_dup(arena, str_slice(subdir, 0, str_find(subdir, '/') + 1));
        if (strv_find(&system->tops, top) == system->tops.n)
            strv_add(arena, &system->tops, top);
    }
}

/* Only what is named as a loader is run: the name comes from a file in the environment. */
static bool may_be_run(const char *interpreter)
{
    const char *name = path_basename(interpreter);
    return interpreter[0] == '/' && (strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld64.so", 7) == 0)
           && file_is_executable(interpreter);
}

void system_read(struct arena *arena, const char *interpreter, uint16_t machine, const char *root,
                 struct system *system)
{
    const struct machine_row *row = machine_row(machine);
    struct answers answers = {0};
    *system = (struct system){.interpreter = interpreter ? interpreter : row ? row->interpreter : NULL};
    if (!row || !system->interpreter) {
        system->unsupported = "the loader of this machine is not known";
        return;
    }
    if (strncmp(path_basename(system->interpreter), "ld-musl", 7) == 0) {
        system->unsupported = arena_printf(arena, "its loader is musl's (%s), whose rules are not glibc's: unsupported",
                                           system->interpreter);
        return;
    }
    if (!root[0] && machine == image_host_machine() && may_be_run(system->interpreter)
        && ask(arena, system->interpreter, &answers))
        use_answers(arena, system, row, &answers);
    else
        use_built_in(arena, system, row, root);
    add_tops(arena, system);
}
