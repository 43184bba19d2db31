/* The emulation against the real loader: an environment of generated objects, each opened in a child of a program that
 * stands for the environment's python. CONDAGPU_TRUTH_OBJECTS (300) and CONDAGPU_TRUTH_SEED (1) choose another one. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "loader/image.h"
#include "loader/loader.h"
#include "makeelf.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"
#include "util/vec.h"

extern char **environ;

static struct arena *arena;
static uint64_t state;
static int tests, failures;

static unsigned roll(unsigned sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % sides;
}

static bool chance(unsigned percent)
{
    return roll(100) < percent;
}

static void ok(bool passed, const char *format, ...)
{
    va_list args;
    printf("%sok %d - ", passed ? "" : "not ", ++tests);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    failures += !passed;
}

/* The environment. */
struct world {
    const char *root, *prefix, *python;
    struct strv dirs;    /* where objects go */
    struct strv objects; /* to be opened */
    unsigned names;      /* so many libn*.so */
};

static const char *const inner_dirs[] = {
    "lib",
    "lib",
    "lib",
    "lib/python3.11/site-packages/a",
    "lib/python3.11/site-packages/a/lib",
    "lib/python3.11/site-packages/b",
    "lib/python3.11/site-packages/b.libs",
    "lib/python3.11/site-packages/nvidia/cuda_runtime/lib",
    "targets/x86_64-linux/lib",
    "lib/deep/er",
};
static const char *const outer_dirs[] = {"ext0", "ext1", "cwd", "cwd/lib"};
static const char *const runtimes[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13",
                                       "libcudart-8774224f.so.12"};

static const char *const path_lists[] = {
    "$ORIGIN",
    "$ORIGIN/..",
    "${ORIGIN}/../lib",
    "$ORIGIN/../../..",
    "$ORIGIN/../../../..:$ORIGIN",
    "$ORIGIN/../nvidia/cuda_runtime/lib",
    "$ORIGIN/../../nvidia/cuda_runtime/lib:/nonexistent/dir",
    "/nonexistent:$ORIGIN/../../../../targets/x86_64-linux/lib/",
    "@/ext0",
    "@/ext1//:@/ext0/",
    "@/ext1:@/ext1:",
    ":@/env/lib",
    "",
    ":",
    "lib",
    "$ORIGINAL/lib:$ORIGIN/../a",
    "${ORIGIN/lib:$ORIGIN",
    "$LIB:/usr/$LIB",
    "@/env/$PLATFORM:@/env/lib",
    "@/file:@/env/lib",
    "@/locked:@/env/lib",
    "@/ext0;@/ext1:@/env/targets/x86_64-linux/lib",
};
enum { LISTS = sizeof path_lists / sizeof *path_lists };

/* "@" stands for the root directory. */
static const char *rooted(const struct world *world, const char *text)
{
    struct text out = {.arena = arena};
    text_bytes(&out, "", 0);
    for (; *text; text++)
        if (*text == '@')
            text_bytes(&out, world->root, strlen(world->root));
        else
            text_bytes(&out, text, 1);
    return out.s;
}

static const char *random_name(const struct world *world)
{
    return arena_printf(arena, "libn%u.so", roll(world->names));
}

static const char *random_runtime(void)
{
    return runtimes[roll(4)];
}

static void random_paths(const struct world *world, struct make *make)
{
    unsigned kind = roll(10);
    if (kind < 4 || kind == 9)
        make->rpath = rooted(world, path_lists[roll(LISTS)]);
    if (kind >= 7)
        make->runpath = rooted(world, path_lists[roll(LISTS)]);
}

static const char *random_needed(const struct world *world)
{
    switch (roll(60)) {
    case 0:
        return arena_printf(arena, "$ORIGIN/%s", random_name(world));
    case 1:
        return arena_printf(arena, "%s/env/lib/%s", world->root, random_name(world));
    case 2:
        return arena_printf(arena, "./%s", random_name(world));
    default:
        return random_name(world);
    }
}

static void random_object(const struct world *world, struct make *make, const char *soname)
{
    unsigned count = roll(3), at = 0;
    *make = (struct make){.soname = soname};
    random_paths(world, make);
    if (chance(30))
        make->needed[at++] = random_runtime();
    for (unsigned i = 0; i < count; i++)
        make->needed[at++] = random_needed(world);
    if (chance(15))
        make->needed[at++] = random_runtime();
    if (chance(6))
        make->flags_1 = DF_1_NODEFLIB;
}

static void make_runtime(const char *path, const char *soname, int version)
{
    const struct make make = {.soname = soname, .version = version};
    make_file(path, &make);
}

/* What the loader passes over, stops at, or leaves a list for. */
static void spoil(const char *path)
{
    const struct make foreign = {.machine = MAKE_MACHINE == EM_AARCH64 ? EM_X86_64 : EM_AARCH64};
    const struct make small = {.class_32 = true};
    unlink(path);
    switch (roll(7)) {
    case 0:
        make_file(path, &foreign);
        break;
    case 1:
        make_file(path, &small);
        break;
    case 2:
        write_bytes(path, "INPUT ( libelse.so )\n", 21);
        break;
    case 3:
        write_bytes(path, "\177ELF", 4);
        break;
    case 4:
        if (mkdir(path, 0755) != 0)
            exit(99);
        break;
    case 5:
        if (symlink(path_basename(path), path) != 0) /* a loop */
            exit(99);
        break;
    default:
        if (symlink("/nonexistent/file", path) != 0)
            exit(99);
    }
}

static void link_name(const struct world *world, const char *path)
{
    const char *target = arena_printf(arena, "%s/%s", world->dirs.v[roll((unsigned)world->dirs.n)], random_name(world));
    unlink(path);
    if (symlink(target, path) != 0)
        exit(99);
}

static void make_library(struct world *world, const char *dir, const char *name)
{
    struct make make;
    const char *path = path_join(arena, dir, name);
    unsigned kind = roll(100);
    struct stat status;
    if (lstat(path, &status) == 0)
        return;
    if (kind < 4)
        spoil(path);
    else if (kind < 12)
        link_name(world, path);
    else {
        random_object(world, &make, kind < 70 ? name : kind < 80 ? random_name(world) : NULL);
        make_file(path, &make);
        if (path_below(world->prefix, path))
            strv_add(arena, &world->objects, path);
    }
}

static void make_extension(struct world *world, unsigned number)
{
    struct make make;
    const char *dir = world->dirs.v[roll(sizeof inner_dirs / sizeof *inner_dirs)];
    const char *path = arena_printf(arena, "%s/_m%u.cpython-311-x86_64-linux-gnu.so", dir, number);
    random_object(world, &make, NULL);
    make_file(path, &make);
    strv_add(arena, &world->objects, path);
}

static void make_dir(const char *path)
{
    struct err err;
    if (!dir_make(path, &err))
        exit(99);
}

static void make_runtimes(const struct world *world)
{
    static const int versions[] = {11080, 12040, 13000, 12040};
    for (size_t i = 0; i < world->dirs.n; i++)
        for (unsigned j = 0; j < 4; j++)
            if (chance(i == 0 ? 85 : 30))
                make_runtime(path_join(arena, world->dirs.v[i], runtimes[j]), runtimes[j],
                             versions[j] + 10 * (int)roll(3));
    const char *const below[] = {"env/lib/glibc-hwcaps/x86-64-v2", "ext0/glibc-hwcaps/x86-64-v3", "ext1/tls",
                                 "ext0/tls/x86_64"};
    for (size_t i = 0; i < 4; i++) {
        const char *dir = path_join(arena, world->root, below[i]);
        make_dir(dir);
        if (chance(50))
            make_runtime(path_join(arena, dir, runtimes[1 + roll(2)]), runtimes[1 + roll(2)], 12080);
    }
}

/* Objects that answer to names of others, and bring a library of their own. */
static void make_preloads(const struct world *world)
{
    make_dir(path_join(arena, world->root, "preload"));
    make_file(path_join(arena, world->root, "preload/libfirst.so"),
              &(struct make){.soname = "libn1.so", .needed = {"libsecond.so"}, .runpath = "$ORIGIN"});
    make_file(path_join(arena, world->root, "preload/libsecond.so"),
              &(struct make){.soname = "libn2.so", .needed = {"libn1.so"}});
    make_runtime(path_join(arena, world->root, "preload/libcudart.so"), "libcudart.so.12", 12010);
}

static void copy_program(const char *from, const char *to)
{
    struct str content;
    struct err err;
    if (!file_read(arena, from, 64 << 20, "program", &content, &err)) {
        printf("Bail out! %s: %s\n", err.file, err.why);
        exit(99);
    }
    write_bytes(to, content.s, content.n);
}

static void build_world(struct world *world, unsigned objects)
{
    world->prefix = path_join(arena, world->root, "env");
    world->python = path_join(arena, world->prefix, "bin/python3.11");
    world->names = objects / 6 + 4;
    make_dir(path_join(arena, world->prefix, "bin"));
    for (size_t i = 0; i < sizeof inner_dirs / sizeof *inner_dirs; i++)
        strv_add(arena, &world->dirs, path_join(arena, world->prefix, inner_dirs[i]));
    for (size_t i = 0; i < sizeof outer_dirs / sizeof *outer_dirs; i++)
        strv_add(arena, &world->dirs, path_join(arena, world->root, outer_dirs[i]));
    for (size_t i = 0; i < world->dirs.n; i++)
        make_dir(world->dirs.v[i]);
    write_bytes(path_join(arena, world->root, "file"), "x", 1);
    make_dir(path_join(arena, world->root, "locked"));
    make_runtimes(world);
    make_preloads(world);
    for (unsigned i = 0; i < world->names; i++)
        if (chance(97))
            make_library(world, world->dirs.v[0], arena_printf(arena, "libn%u.so", i));
    for (unsigned i = 0; world->objects.n < objects; i++)
        if (chance(60))
            make_extension(world, i);
        else
            make_library(world, world->dirs.v[roll((unsigned)world->dirs.n)], random_name(world));
    if (chmod(path_join(arena, world->root, "locked"), 0) != 0)
        exit(99);
}

/* The program with another tag for its search path. */
static void set_program(const struct world *world, const char *program, Elf64_Sxword tag)
{
    struct image image;
    size_t count;
    uint64_t offset, left;
    bool done = false;
    copy_program(program, world->python);
    int fd = open(world->python, O_RDWR | O_CLOEXEC);
    if (fd < 0 || !image_load(arena, fd, image_host_machine(), &image))
        exit(99);
    const Elf64_Dyn *entries = image_dynamic(arena, &image, &count);
    for (size_t i = 0; i < image.segment_count; i++) {
        if (image.segments[i].p_type != PT_DYNAMIC || !image_offset(&image, image.segments[i].p_vaddr, &offset, &left))
            continue;
        for (size_t j = 0; entries && j < count; j++)
            if (entries[j].d_tag == DT_RPATH) {
                done = true;
                if (pwrite(fd, &tag, sizeof tag, (off_t)(offset + j * sizeof *entries)) != (ssize_t)sizeof tag)
                    exit(99);
            }
    }
    close(fd);
    if (!done) {
        printf("Bail out! %s has no DT_RPATH\n", program);
        exit(99);
    }
}

/* The real loader's answers, in the order of world->objects. */
static void ask(const struct world *world, const char *library_path, const char *preload, struct strv *answers)
{
    struct text list = {.arena = arena};
    struct proc proc;
    struct err err;
    const char *const *env = (const char *const *)environ;
    const char *input = path_join(arena, world->root, "objects");
    for (size_t i = 0; i < world->objects.n; i++)
        text_add(&list, "%s\n", world->objects.v[i]);
    if (!file_write_atomic(input, text_str(&list), 0644, &err))
        exit(99);
    env = env_with(arena, env, "LD_LIBRARY_PATH", library_path);
    env = env_with(arena, env, "LD_PRELOAD", preload);
    env = env_with(arena, env, "CONDAGPU_PROGRAM", world->python);
    env = env_with(arena, env, "CONDAGPU_OBJECTS", input);
    /* The shell must not see the libraries that are meant for the program. */
    env = env_with(arena, env, "PROGRAM_PATH", library_path);
    env = env_with(arena, env, "PROGRAM_PRELOAD", preload);
    env = env_with(arena, env_with(arena, env, "LD_LIBRARY_PATH", NULL), "LD_PRELOAD", NULL);
    const char *const argv[] = {"/bin/sh", "-c",
                                "exec env ${PROGRAM_PATH+LD_LIBRARY_PATH=\"$PROGRAM_PATH\"} "
                                "${PROGRAM_PRELOAD:+LD_PRELOAD=\"$PROGRAM_PRELOAD\"} \"$CONDAGPU_PROGRAM\" "
                                "<\"$CONDAGPU_OBJECTS\"",
                                NULL};
    proc_run(arena, argv, env, NULL, 600000, 256 << 20, &proc);
    struct str rest = proc.out, line;
    while (str_cut(&rest, '\n', &line))
        if (line.n)
            strv_add(arena, answers, str_dup(arena, line));
    if (proc.status != 0 || answers->n != world->objects.n) {
        printf("Bail out! the program answered %zu times for %zu objects (status %d): %s\n", answers->n,
               world->objects.n, proc.status, proc.err.s);
        exit(99);
    }
}

struct score {
    size_t same, failing, none, different;
};

/* `real` is FILE<tab>BEFORE or !WHY, as program.c says. */
static void compare(const char *object, const char *real, bool asked, const struct resolution *resolution,
                    struct score *score)
{
    bool fails = asked && (!resolution->path || resolution->blocked);
    struct str rest = str_of(real), loaded, before = STR("-");
    str_cut(&rest, '\t', &loaded);
    str_cut(&rest, '\t', &before);
    const struct str *same = asked && resolution->via == VIA_PRELOAD ? &before : &loaded;
    if (real[0] == '!' && (fails || !asked)) {
        score->failing += fails;
        return;
    }
    if (!asked && str_eq_c(loaded, "-")) {
        score->none++;
        return;
    }
    if (asked && !fails && str_eq_c(*same, resolution->path)) {
        score->same++;
        return;
    }
    if (score->different++ < 5)
        printf("# %s: the loader says %s, the emulation %s (%s; blocked: %s)\n", object, real,
               asked && resolution->path ? resolution->path : "-", asked ? resolution->detail : "nothing asks",
               asked && resolution->blocked ? resolution->blocked : "no");
}

/* What the walk says of an object must hold what a single question says. */
static bool walk_agrees(const struct consumers *consumers, const char *object, bool asked,
                        const struct resolution *resolution)
{
    bool met = false;
    for (size_t i = 0; i < consumers->n; i++) {
        const struct consumer *consumer = &consumers->v[i];
        if (strcmp(consumer->path, object) != 0)
            continue;
        met = true;
        if (asked && cstr_eq(consumer->needed, resolution->needed))
            return cstr_eq(consumer->resolution.path, resolution->path);
    }
    return !asked && !met;
}

static void run_case(const struct world *world, const char *title, const char *library_path, const char *preload)
{
    struct strv answers = {0};
    struct score score = {0};
    struct consumers consumers;
    struct err err;
    struct loader_options options = {
        .executable = world->python, .ld_library_path = library_path, .ld_preload = preload, .root = ""};
    size_t walk_differs = 0;
    ask(world, library_path, preload, &answers);
    struct loader *loader = loader_new(arena, &options);
    if (!loader_consumers(arena, world->prefix, &options, &consumers, &err))
        exit(99);
    for (size_t i = 0; i < world->objects.n; i++) {
        struct resolution resolution;
        const char *object = world->objects.v[i], *real = strchr(answers.v[i], '\t') + 1;
        bool asked = loader_resolve(loader, object, "libcudart", &resolution);
        compare(object, real, asked, &resolution, &score);
        walk_differs += !walk_agrees(&consumers, object, asked, &resolution);
    }
    ok(score.different == 0 && score.same > 0, "%s: %zu the same, %zu cannot be loaded, %zu without, %zu different",
       title, score.same, score.failing, score.none, score.different);
    ok(walk_differs == 0, "%s: the walk says the same (%zu consumers)", title, consumers.n);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)walk;
    return type == FTW_DP || type == FTW_DNR ? rmdir(path) : unlink(path);
}

static const char *scratch_root;

static void clean_up(void)
{
    if (!scratch_root || chdir("/") != 0)
        return;
    chmod(path_join(arena, scratch_root, "locked"), 0700);
    nftw(scratch_root, remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

static void run_cases(struct world *world, const char *program)
{
    static const struct {
        Elf64_Sxword tag;
        const char *title;
    } programs[] = {{DT_RPATH, "DT_RPATH"}, {DT_RUNPATH, "DT_RUNPATH"}, {DT_DEBUG, "no path"}};
    static const char *const lists[] = {
        NULL,
        "@/ext0",
        "@/ext1:@/ext0",
        "@/ext0;@/ext1;",
        "$ORIGIN/../targets/x86_64-linux/lib:/nonexistent",
        ":@/ext1",
        "@/file:@/env/lib/python3.11/site-packages/nvidia/cuda_runtime/lib",
        "lib",
    };
    for (size_t i = 0; i < 3; i++) {
        set_program(world, program, programs[i].tag);
        for (size_t j = 0; j < sizeof lists / sizeof *lists; j++) {
            const char *list = lists[j] ? rooted(world, lists[j]) : NULL;
            run_case(world,
                     arena_printf(arena, "%s, LD_LIBRARY_PATH %s", programs[i].title, lists[j] ? lists[j] : "unset"),
                     list, NULL);
        }
        run_case(world, arena_printf(arena, "%s, LD_PRELOAD", programs[i].title), NULL,
                 rooted(world, "@/preload/libfirst.so @/preload/missing.so:@/preload/libcudart.so"));
    }
}

static unsigned number(const char *variable, unsigned otherwise)
{
    const char *value = getenv(variable);
    return value && value[0] ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

int main(void)
{
    const char *build = getenv("top_builddir"), *temporary = getenv("TMPDIR");
    struct world world = {0};
    char *root;
    arena = arena_new();
    if (sizeof(void *) != 8 || image_host_machine() != MAKE_MACHINE) {
        puts("1..0 # SKIP objects are generated for x86-64 and aarch64 only");
        return 0;
    }
    root = arena_printf(arena, "%s/condagpu-truth-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(root)) {
        perror(root);
        return 99;
    }
    state = number("CONDAGPU_TRUTH_SEED", 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    world.root = scratch_root = path_real(arena, root);
    atexit(clean_up);
    build_world(&world, number("CONDAGPU_TRUTH_OBJECTS", 300));
    if (chdir(path_join(arena, world.root, "cwd")) != 0)
        return 99;
    run_cases(&world, path_join(arena, build ? build : ".", "tests/loader/program"));
    printf("1..%d\n", tests);
    clean_up();
    scratch_root = NULL;
    arena_free(arena);
    return failures != 0;
}
