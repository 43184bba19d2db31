#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/emulate.h"
#include "loader/image.h"
#include "loader/scan.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum {
    DEEPEST = 128,            /* directories inside each other */
    SMALLEST_GPU = 64 * 1024, /* bytes of a file that can hold code for a GPU and a runtime */
};

/* A file that has something to do with libcudart beyond what its DT_NEEDED says. */
struct opener {
    const char *path;
    struct strv names; /* "libcudart.so.12", … among its constants */
};

/* Consumers in the making. There may be thousands, and a growing array leaves its old selves in the arena. */
struct block {
    struct block *next;
    size_t n;
    struct consumer v[128];
};

struct walk {
    struct loader *loader;
    struct arena *temporary; /* of the blocks */
    struct block *blocks;    /* the last first */
    struct consumers *consumers;
    const char *prefix;
    const struct strv *names; /* the libraries that are asked about; NULL: libcudart */
    struct {
        VEC(struct place *);
    } files; /* all ELF files for this machine */
    struct {
        VEC(struct opener);
    } openers;
};

/* Parts of the tree that are not this environment: a root's package cache and its other environments. */
static bool is_left_out(const struct walk *walk, const char *dir, const char *name)
{
    static const char *const names[] = {"pkgs", "envs", "conda-meta"};
    for (size_t i = 0; strcmp(dir, walk->prefix) == 0 && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool holds_programs(const char *dir)
{
    return strcmp(path_basename(dir), "bin") == 0 || strstr(dir, "/libexec");
}

static void problem(struct walk *walk, const char *path, const char *text)
{
    struct arena *arena = walk->loader->arena;
    strv_add(arena, &walk->consumers->problems,
             arena_printf(arena, "%s: %s", text_printable(arena, str_of(path)), text));
}

static bool is_runtime_name(const char *name)
{
    return strncmp(name, "libcudart.so", 12) == 0 || (strncmp(name, "libcudart-", 10) == 0 && strstr(name, ".so"));
}

static bool needs_runtime(const struct elf *elf)
{
    for (size_t i = 0; i < elf->needed.n; i++)
        if (is_runtime_name(path_basename(elf->needed.v[i])))
            return true;
    return false;
}

/* Only what may be about GPUs is searched through: by its place, by what it needs, or by the code in it. */
static bool is_suspect(struct arena *arena, const struct walk *walk, const struct elf *elf, const struct image *image)
{
    static const char *const words[] = {"cuda", "cudnn", "cublas", "nccl",    "nvidia", "torch", "tensorflow",  "xla",
                                        "jax",  "cupy",  "gpu",    "nvinfer", "triton", "numba", "onnxruntime", NULL};
    const char *relative = path_relative(walk->prefix, elf->path);
    const char *lower = str_lower(arena, str_of(relative ? relative : elf->path));
    for (size_t i = 0; words[i]; i++)
        if (strstr(lower, words[i]))
            return true;
    for (size_t i = 0; i < elf->needed.n; i++)
        if (strncmp(elf->needed.v[i], "libcu", 5) == 0 || strncmp(elf->needed.v[i], "libnv", 5) == 0)
            return true;
    return elf->size >= SMALLEST_GPU && scan_has_gpu_code(arena, image);
}

static struct consumer *new_consumer(struct walk *walk)
{
    struct block *block = walk->blocks;
    if (!block || block->n == sizeof block->v / sizeof *block->v) {
        block = arena_alloc(walk->temporary, sizeof *block);
        block->next = walk->blocks;
        walk->blocks = block;
    }
    walk->consumers->n++;
    return &block->v[block->n++];
}

/* From the blocks into one array. */
static void gather_consumers(struct walk *walk)
{
    struct consumers *consumers = walk->consumers;
    size_t at = consumers->n;
    consumers->v = arena_alloc(walk->loader->arena, at * sizeof *consumers->v);
    consumers->cap = at;
    for (const struct block *block = walk->blocks; block; block = block->next) {
        at -= block->n;
        memcpy(consumers->v + at, block->v, block->n * sizeof *block->v);
    }
}

static void add_static(struct walk *walk, const char *path, struct release release, const char *how)
{
    *new_consumer(walk) =
        (struct consumer){.kind = CONSUMER_STATIC, .path = path, .release = release, .release_how = how};
}

/* What the contents of a suspect say. */
static void search_contents(struct arena *scratch, struct walk *walk, int fd, const struct elf *elf)
{
    struct arena *arena = walk->loader->arena;
    struct image image;
    struct strv names = {0};
    const char *how;
    if (!image_load(scratch, fd, walk->loader->machine, &image) || !is_suspect(scratch, walk, elf, &image))
        return;
    if (cudart_has_messages(scratch, &image)) {
        struct release release = cudart_static_release(scratch, &image, &how);
        add_static(walk, arena_strdup(arena, elf->path), release, arena_strdup(arena, how));
    }
    scan_cudart_names(scratch, &image, &names);
    if (names.n == 0)
        return;
    struct opener *opener = vec_add(arena, &walk->openers);
    opener->path = arena_strdup(arena, elf->path);
    for (size_t i = 0; i < names.n; i++)
        strv_add(arena, &opener->names, arena_strdup(arena, names.v[i]));
}

static void take_elf(struct arena *scratch, struct walk *walk, int fd, struct dir *dir, const struct elf *elf)
{
    struct arena *arena = walk->loader->arena;
    const char *name = path_basename(elf->path);
    struct stat status;
    bool is_secure = elf->is_executable && fstat(fd, &status) == 0 && emulate_is_secure(elf->path, status.st_mode);
    struct place *place = emulate_add(walk->loader, dir, name, elf, is_secure);
    walk->consumers->elf_read++;
    if (elf->is_filter)
        problem(walk, elf->path, "it has a DT_FILTER or DT_AUXILIARY, which is not followed");
    if (is_runtime_name(name)) {
        strv_add(arena, &walk->consumers->cudarts, arena_strdup(arena, elf->path));
        return;
    }
    if (elf->is_dynamic)
        *vec_add(arena, &walk->files) = place;
    if (!walk->names && !needs_runtime(elf))
        search_contents(scratch, walk, fd, elf);
}

/* The directory of a file, for the loader's tables. */
static struct dir *dir_of(struct walk *walk, const char *path)
{
    return emulate_dir(walk->loader, path, (size_t)(path_basename(path) - path));
}

static void read_file(struct walk *walk, int dir_fd, const char *dir, const char *name)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct elf elf;
    const char *path = path_join(scratch, dir, name);
    _cleanup_fd_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0) {
        problem(walk, path, strerror(errno));
        return;
    }
    bool readable = elf_read_fd(scratch, fd, path, walk->loader->machine, &elf);
    walk->consumers->elf_seen += elf.is_elf;
    if (readable)
        take_elf(scratch, walk, fd, dir_of(walk, path), &elf);
    else if (elf.is_elf && !elf.is_foreign)
        problem(walk, path, elf.problem);
}

/* One directory of the walk; the ones inside are put on the list. */
struct pending {
    VEC(const char *);
};

static bool is_kind(int dir_fd, const struct dirent *entry, unsigned char type, mode_t mode)
{
    struct stat status;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == type;
    return fstatat(dir_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && (status.st_mode & S_IFMT) == mode;
}

static size_t depth_of(const char *path)
{
    size_t depth = 0;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

static void walk_dir(struct walk *walk, const char *path, struct pending *pending, struct arena *scratch)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    _cleanup_dir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    bool programs = holds_programs(path);
    const struct dirent *entry;
    if (!dir) {
        problem(walk, path, strerror(errno));
        return;
    }
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (is_kind(fd, entry, DT_DIR, S_IFDIR)) {
            if (!is_left_out(walk, path, name))
                *vec_add(scratch, pending) = path_join(scratch, path, name);
            continue;
        }
        walk->consumers->files_seen++;
        if ((programs || loader_is_library_name(name)) && is_kind(fd, entry, DT_REG, S_IFREG))
            read_file(walk, fd, path, name);
    }
}

/* Symlinks are not followed: what they lead to is met by itself. */
static void walk_prefix(struct walk *walk)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct pending pending = {0};
    size_t base = depth_of(walk->prefix);
    *vec_add(scratch, &pending) = walk->prefix;
    while (pending.n) {
        const char *path = pending.v[--pending.n];
        if (depth_of(path) - base > DEEPEST)
            problem(walk, path, "more than 128 directories inside each other: not looked into");
        else
            walk_dir(walk, path, &pending, scratch);
    }
}

static void release_of_winner(struct walk *walk, struct consumer *consumer)
{
    const char *path = consumer->resolution.path;
    int errnum;
    struct place *place = path ? emulate_locate(walk->loader, path, &errnum) : NULL;
    consumer->release = RELEASE_NONE;
    consumer->release_how = consumer->resolution.detail;
    if (!place)
        return;
    struct winner *winner = emulate_winner(walk->loader, place);
    if (!winner->release_how) {
        _cleanup_arena_ struct arena *scratch = arena_new();
        const char *how;
        winner->release = cudart_decode(scratch, path, &how);
        winner->release_how = arena_strdup(walk->loader->arena, how);
    }
    consumer->release = winner->release;
    consumer->release_how = winner->release_how;
}

static void add_consumer(struct walk *walk, enum consumer_kind kind, const char *path,
                         const struct resolution *resolution)
{
    struct consumer *consumer = new_consumer(walk);
    *consumer = (struct consumer){.kind = kind, .path = path, .needed = resolution->needed, .resolution = *resolution};
    consumer->release = RELEASE_NONE;
    if (!walk->names)
        release_of_winner(walk, consumer);
}

/* The requests for a runtime in one load, each name once. */
struct collect {
    struct watch watch;
    struct arena *scratch;
    const struct walk *walk;
    struct process *process;
    struct {
        VEC(struct resolution);
    } requests;
};

static bool is_asked_about(const struct walk *walk, const char *name)
{
    return walk->names ? strv_find(walk->names, name) < walk->names->n : is_runtime_name(name);
}

static void collect_request(struct watch *watch, struct map *asker, struct name *name, const struct hit *hit,
                            const struct search_steps *steps)
{
    struct collect *collect = (struct collect *)(void *)watch;
    (void)steps;
    if (!is_asked_about(collect->walk, name->base))
        return;
    for (size_t i = 0; i < collect->requests.n; i++)
        if (strcmp(collect->requests.v[i].needed, name->s) == 0)
            return;
    emulate_describe(collect->process, asker, name, hit, false, vec_add(collect->scratch, &collect->requests));
}

static void load_file(struct walk *walk, struct process *process, struct place *place)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    const char *start = walk->names ? "" : "libcudart";
    struct collect collect = {
        .watch = {.start = start, .length = strlen(start), .asked = collect_request},
        .scratch = scratch,
        .walk = walk,
        .process = process,
    };
    struct map *map;
    process->watch = &collect.watch;
    loader_enter(walk->loader, place, NULL, process, &map);
    if (collect.requests.n == 0)
        return;
    const char *path = emulate_text(walk->loader, emulate_place_path(scratch, place));
    for (size_t i = 0; i < collect.requests.n; i++) {
        struct resolution *request = &collect.requests.v[i];
        bool is_bundled = !walk->names && path_basename(request->needed)[9] == '-'; /* libcudart- */
        request->blocked = emulate_blocked(&collect.watch, request);
        add_consumer(walk, is_bundled ? CONSUMER_BUNDLED : CONSUMER_NEEDED, path, request);
    }
}

/* A file that holds several names tries them in turn: those that are found count, else the last one. */
static void open_names(struct walk *walk, const struct opener *opener)
{
    bool found = false;
    for (size_t i = 0; i < opener->names.n; i++) {
        struct resolution resolution;
        loader_dlopen(walk->loader, opener->path, opener->names.v[i], &resolution);
        resolution.steps = (struct search_steps){0};
        resolution.chain = (struct strv){0};
        if (!resolution.path && (found || i + 1 < opener->names.n))
            continue;
        found = true;
        add_consumer(walk, CONSUMER_DLOPEN, opener->path, &resolution);
    }
}

static int compare_consumers(const void *left, const void *right)
{
    const struct consumer *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    if (order == 0)
        order = (int)a->kind - (int)b->kind;
    return order ? order : strcmp(a->needed ? a->needed : "", b->needed ? b->needed : "");
}

static void load_files(struct walk *walk)
{
    struct process process = {0};
    struct consumers *consumers = walk->consumers;
    for (size_t i = 0; i < walk->files.n; i++)
        load_file(walk, &process, walk->files.v[i]);
    for (size_t i = 0; i < walk->openers.n; i++)
        open_names(walk, &walk->openers.v[i]);
    gather_consumers(walk);
    if (consumers->n)
        qsort(consumers->v, consumers->n, sizeof *consumers->v, compare_consumers);
    strv_sort(&consumers->cudarts);
    strv_sort(&consumers->problems);
}

static bool begin(struct arena *arena, const char *prefix, const struct loader_options *options,
                  struct consumers *consumers, struct arena *temporary, struct walk *walk, struct err *err)
{
    *consumers = (struct consumers){0};
    if (!file_is_dir(prefix))
        return err_set(err, ERR_INPUT, "environment", prefix, 0, 0, "not a directory that can be read");
    *walk = (struct walk){.loader = loader_new(arena, options),
                          .temporary = temporary,
                          .consumers = consumers,
                          .prefix = path_absolute(arena, prefix)};
    if (loader_unsupported(walk->loader))
        problem(walk, options->executable ? options->executable : prefix, loader_unsupported(walk->loader));
    return true;
}

bool loader_consumers(struct arena *arena, const char *prefix, const struct loader_options *options,
                      struct consumers *consumers, struct err *err)
{
    _cleanup_arena_ struct arena *temporary = arena_new();
    struct walk walk;
    if (!begin(arena, prefix, options, consumers, temporary, &walk, err))
        return false;
    walk_prefix(&walk);
    load_files(&walk);
    return true;
}

bool loader_askers(struct arena *arena, const char *prefix, const struct loader_options *options,
                   const struct strv *names, struct consumers *askers, struct err *err)
{
    _cleanup_arena_ struct arena *temporary = arena_new();
    struct walk walk;
    if (!begin(arena, prefix, options, askers, temporary, &walk, err))
        return false;
    walk.names = names;
    walk_prefix(&walk);
    load_files(&walk);
    return true;
}

bool loader_consumers_of(struct arena *arena, const char *prefix, const char *file,
                         const struct loader_options *options, struct consumers *consumers, struct err *err)
{
    _cleanup_arena_ struct arena *temporary = arena_new();
    struct walk walk;
    struct elf elf;
    if (!begin(arena, prefix, options, consumers, temporary, &walk, err))
        return false;
    _cleanup_fd_ int fd = image_open(AT_FDCWD, file, true);
    if (fd < 0)
        return err_system(err, ERR_INPUT, "consumer", file, errno == EINVAL ? ENOENT : errno);
    const char *path = arena_strdup(arena, file);
    if (!elf_read_fd(arena, fd, path, walk.loader->machine, &elf))
        return err_set(err, ERR_INPUT, "consumer", file, 0, 0, "%s", elf.problem);
    take_elf(arena, &walk, fd, dir_of(&walk, path), &elf);
    load_files(&walk);
    return true;
}

const char *consumer_kind_text(enum consumer_kind kind)
{
    static const char *const texts[] = {
        [CONSUMER_NEEDED] = "needed",
        [CONSUMER_DLOPEN] = "dlopen",
        [CONSUMER_STATIC] = "static",
        [CONSUMER_BUNDLED] = "bundled",
    };
    return texts[kind];
}

/* libcudart.so.12.4.127 names its build; libcudart.so.12 and libcudart.so.11.0 are sonames and tell no minor. */
static struct release name_release(const char *name)
{
    const char *version = strstr(name, ".so.");
    struct release release = RELEASE_NONE;
    if (!version || !release_parse(str_of(version + 4), &release))
        return RELEASE_NONE;
    if (release.patch < 0 && release.major >= 11)
        release.minor = -1;
    return release;
}

static bool has_path(const struct cudart_files *files, const char *path)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->v[i].path, path) == 0)
            return true;
    return false;
}

static int compare_files(const void *left, const void *right)
{
    return strcmp(((const struct cudart_file *)left)->path, ((const struct cudart_file *)right)->path);
}

void loader_cudarts(struct arena *arena, const struct strv *paths, struct cudart_files *files)
{
    for (size_t i = 0; i < paths->n; i++) {
        const char *real = path_real(arena, paths->v[i]);
        struct elf elf;
        if (!real || has_path(files, real) || !file_is_regular(real))
            continue;
        struct cudart_file *file = vec_add(arena, files);
        *file = (struct cudart_file){.path = real, .name_release = name_release(path_basename(real))};
        elf_read(arena, real, &elf);
        file->soname = elf.soname;
        file->build_id = elf.build_id;
        file->decoded = cudart_decode(arena, real, &file->how);
        file->sha256 = sha256_file(arena, real);
        file->bundled = strncmp(path_basename(real), "libcudart-", 10) == 0;
    }
    if (files->n)
        qsort(files->v, files->n, sizeof *files->v, compare_files);
}
