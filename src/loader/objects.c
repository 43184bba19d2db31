#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "loader/emulate.h"
#include "loader/image.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

struct name *emulate_name(struct loader *loader, const char *text)
{
    struct intern_entry *entry = intern(&loader->names, text, strlen(text));
    struct name *name = entry->value;
    if (!name) {
        name = entry->value = arena_alloc(loader->arena, sizeof *name);
        name->s = entry->key;
        name->base = path_basename(name->s);
        name->has_slash = name->base != name->s;
        name->has_token = strchr(name->s, '$') != NULL;
    }
    return name;
}

const char *emulate_text(struct loader *loader, const char *text)
{
    return intern(&loader->texts, text, strlen(text))->key;
}

const char *emulate_origin(struct arena *arena, const struct loader *loader, const char *path)
{
    return path_dirname(arena, path[0] == '/' ? path : path_join(arena, loader->cwd, path));
}

/* $NAME or ${NAME} at `text`: its length if it is exactly `name`, by the longest identifier: $ORIGINAL is none. */
static size_t token_length(const char *text, const char *name)
{
    size_t length = strlen(name);
    bool braced = text[1] == '{';
    const char *start = text + 1 + braced;
    if (strncmp(start, name, length) != 0)
        return 0;
    char next = start[length];
    if (braced)
        return next == '}' ? length + 3 : 0;
    bool goes_on =
        (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '_';
    return goes_on ? 0 : length + 1;
}

/* In a program with raised rights $ORIGIN counts at the very start only, and before a slash or the end. */
static bool origin_is_allowed(const char *text, const char *at, size_t length, bool secure)
{
    return !secure || (at == text && (at[length] == '\0' || at[length] == '/'));
}

const char *emulate_expand(struct arena *arena, const struct loader *loader, const char *text, const char *origin,
                           bool secure)
{
    struct text expanded = {.arena = arena};
    if (!strchr(text, '$'))
        return text;
    for (const char *at = text; *at;) {
        size_t length = 0;
        const char *value = NULL;
        if (*at == '$') {
            if ((length = token_length(at, "ORIGIN")))
                value = origin_is_allowed(text, at, length, secure) ? origin : NULL;
            else if ((length = token_length(at, "PLATFORM")))
                value = loader->system.platform;
            else if ((length = token_length(at, "LIB")))
                value = loader->system.lib;
        }
        if (length && !value)
            return NULL;
        if (length)
            text_bytes(&expanded, value, strlen(value));
        else
            text_bytes(&expanded, at, 1);
        at += length ? length : 1;
    }
    return text_str(&expanded).s;
}

/* Which of the subdirectories that the loader knows are in a directory. Most have none, and "glibc-hwcaps" or "tls"
 * says so for all that are in it. */
static void find_subdirs(struct loader *loader, const char *path, struct strv *subdirs)
{
    const struct strv *all = &loader->system.subdirs, *tops = &loader->system.tops;
    for (size_t i = 0; i < tops->n; i++) {
        if (!file_is_dir(emulate_buffer(loader, path, tops->v[i], "")))
            continue;
        for (size_t j = 0; j < all->n; j++)
            if (strncmp(all->v[j], tops->v[i], strlen(tops->v[i])) == 0
                && file_is_dir(emulate_buffer(loader, path, all->v[j], "")))
                strv_add(loader->arena, subdirs, all->v[j]);
    }
}

/* Mounts are told apart because ".." is another directory in each. */
static struct node *find_node(struct loader *loader, const char *path)
{
    struct statx status;
    if (statx(AT_FDCWD, path[0] ? path : ".", 0, STATX_BASIC_STATS | STATX_MNT_ID, &status) != 0
        || !S_ISDIR(status.stx_mode))
        return NULL;
    const uint64_t key[] = {status.stx_mnt_id, (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor,
                            status.stx_ino};
    struct intern_entry *entry = intern(&loader->nodes, key, sizeof key);
    if (!entry->value) {
        struct node *node = entry->value = arena_alloc(loader->arena, sizeof *node);
        find_subdirs(loader, path, &node->subdirs);
    }
    return entry->value;
}

struct dir *emulate_dir(struct loader *loader, const char *path, size_t size)
{
    struct intern_entry *entry = intern(&loader->dirs, path, size);
    struct dir *dir = entry->value;
    if (!dir) {
        dir = entry->value = arena_alloc(loader->arena, sizeof *dir);
        dir->path = entry->key;
        dir->node = find_node(loader, dir->path);
    }
    return dir;
}

/* Where $ORIGIN led in a program with raised rights: below a system directory, without "..". */
static bool is_trusted(const struct loader *loader, const char *path)
{
    if (strstr(path, "/../") || str_ends(str_of(path), "/.."))
        return false;
    for (size_t i = 0; i < loader->system.dirs.n; i++)
        if (strncmp(path, loader->system.dirs.v[i], strlen(loader->system.dirs.v[i])) == 0)
            return true;
    return false;
}

/* One element: NULL when it is dropped. */
static struct dir *element_dir(struct arena *scratch, struct loader *loader, struct str element, const char *origin,
                               bool secure)
{
    if (element.n == 0)
        return emulate_dir(loader, "", 0);
    const char *text = str_dup(scratch, element);
    const char *path = emulate_expand(scratch, loader, text, origin, secure);
    size_t length = path ? strlen(path) : 0;
    if (length == 0)
        return NULL;
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *full = arena_alloc(scratch, length + 2);
    memcpy(full, path, length);
    if (full[length - 1] != '/')
        full[length++] = '/';
    if (secure && strchr(text, '$') && !is_trusted(loader, full))
        return NULL;
    return emulate_dir(loader, full, length);
}

static struct dirs *new_list(struct arena *arena, struct dir *const *dirs, size_t n)
{
    struct dirs *list = arena_alloc(arena, sizeof *list + n * sizeof *dirs);
    list->n = n;
    memcpy(list->v, dirs, n * sizeof *dirs);
    return list;
}

static struct dirs *intern_list(struct loader *loader, struct dir *const *dirs, size_t n)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    const struct node **key = arena_alloc(scratch, n * sizeof *key);
    for (size_t i = 0; i < n; i++)
        key[i] = dirs[i]->node;
    struct intern_entry *entry = intern(&loader->lists, key, n * sizeof *key);
    if (!entry->value)
        entry->value = new_list(loader->arena, dirs, n);
    return entry->value;
}

/* A list of `exact` names holds no name twice, another no directory. */
static bool holds(struct dir *const *dirs, size_t n, const struct dir *dir, bool exact)
{
    for (size_t i = 0; i < n; i++)
        if (exact ? dirs[i] == dir : dirs[i]->node == dir->node)
            return true;
    return false;
}

struct dirs *emulate_list(struct arena *arena, struct loader *loader, const char *list, const char *separators,
                          const char *origin, bool secure, bool exact)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct {
        VEC(struct dir *);
    } dirs = {0};
    if (!list || !list[0])
        return NULL;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, separators);
        struct dir *dir = element_dir(scratch, loader, (struct str){at, length}, origin, secure);
        if (dir && (exact || dir->node) && !holds(dirs.v, dirs.n, dir, exact))
            *vec_add(scratch, &dirs) = dir;
        at += length;
        if (!*at)
            break;
    }
    if (dirs.n == 0)
        return NULL;
    return exact ? new_list(arena, dirs.v, dirs.n) : intern_list(loader, dirs.v, dirs.n);
}

/* As the loader would refuse it as a library. */
static const char *refusal(const struct elf *elf)
{
    if (elf->problem)
        return elf->problem;
    if (!elf->is_dynamic)
        return "no dynamic section";
    if (elf->is_fixed)
        return "a program, which cannot be loaded as a library";
    if (elf->flags_1 & DF_1_PIE)
        return "a position-independent program, which cannot be loaded as a library";
    return NULL;
}

static const char *keep(struct loader *loader, const char *text)
{
    return text ? emulate_name(loader, text)->s : NULL;
}

static void fill_object(struct loader *loader, struct object *object, const struct elf *elf)
{
    object->flags_1 = elf->flags_1;
    object->rpath = elf->runpath ? NULL : keep(loader, elf->rpath); /* glibc forgets DT_RPATH beside DT_RUNPATH */
    object->runpath = keep(loader, elf->runpath);
    object->interpreter = keep(loader, elf->interpreter);
    object->problem = keep(loader, refusal(elf));
    object->is_foreign = elf->is_foreign;
    object->is_executable = elf->is_executable;
    object->is_dynamic = elf->is_dynamic;
    object->soname = elf->soname ? emulate_name(loader, elf->soname) : NULL;
    object->needed_count = (uint32_t)elf->needed.n;
    object->needed = arena_alloc(loader->arena, elf->needed.n * sizeof(struct name *));
    for (size_t i = 0; i < elf->needed.n; i++)
        object->needed[i] = emulate_name(loader, elf->needed.v[i]);
}

/* Its value is NULL for a file that was not seen before. */
static struct intern_entry *file_entry(struct loader *loader, uint64_t device, uint64_t inode)
{
    const uint64_t key[2] = {device, inode};
    return intern(&loader->objects, key, sizeof key);
}

static struct place *new_place(struct loader *loader, const struct dir *dir, const char *subdir, const char *name,
                               struct object *object)
{
    struct place *place = arena_alloc(loader->arena, sizeof *place);
    *place = (struct place){.object = object, .dir = dir, .subdir = subdir, .name = name};
    if (!object->rpath && !object->runpath)
        return place;
    _cleanup_arena_ struct arena *scratch = arena_new();
    const char *origin = emulate_origin(scratch, loader, emulate_place_path(scratch, place));
    place->rpath = emulate_list(scratch, loader, object->rpath, ":", origin, false, false);
    place->runpath = emulate_list(scratch, loader, object->runpath, ":", origin, false, false);
    return place;
}

struct place *emulate_add(struct loader *loader, struct dir *dir, const char *name, const struct elf *elf,
                          bool is_secure)
{
    struct intern_entry *entry = file_entry(loader, elf->device, elf->inode);
    if (!entry->value) {
        struct object *object = entry->value = arena_alloc(loader->arena, sizeof *object);
        fill_object(loader, object, elf);
        object->is_secure = is_secure;
    }
    return new_place(loader, dir, "", arena_strdup(loader->arena, name), entry->value);
}

struct winner *emulate_winner(struct loader *loader, const struct place *place)
{
    struct intern_entry *entry = intern(&loader->winners, &place, sizeof place);
    if (!entry->value)
        entry->value = arena_alloc(loader->arena, sizeof(struct winner));
    return entry->value;
}

const char *emulate_place_path(struct arena *arena, const struct place *place)
{
    struct text path = {.arena = arena};
    text_bytes(&path, place->dir->path, strlen(place->dir->path));
    text_bytes(&path, place->subdir, strlen(place->subdir));
    text_bytes(&path, place->name, strlen(place->name));
    return path.s;
}

bool emulate_is_secure(const char *path, unsigned mode)
{
    return (mode & (S_ISUID | S_ISGID)) || getxattr(path, "security.capability", NULL, 0) > 0;
}

static struct object *refused(struct loader *loader, const char *problem)
{
    struct object *object = arena_alloc(loader->arena, sizeof *object);
    object->problem = problem;
    return object;
}

static struct object *read_object(struct loader *loader, int fd, const char *path, unsigned mode)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct object *object = arena_alloc(loader->arena, sizeof *object);
    struct elf elf;
    elf_read_fd(scratch, fd, path, loader->machine, &elf);
    fill_object(loader, object, &elf);
    object->is_secure = object->is_executable && emulate_is_secure(path, mode);
    return object;
}

/* What is no regular file stops the loader too. */
static struct object *open_object(struct loader *loader, const char *path, int *errnum)
{
    struct stat status;
    *errnum = 0;
    if (stat(path, &status) != 0) {
        *errnum = errno;
        return NULL;
    }
    struct intern_entry *entry = file_entry(loader, status.st_dev, status.st_ino);
    if (entry->value)
        return entry->value;
    if (S_ISDIR(status.st_mode))
        return entry->value = refused(loader, "a directory");
    if (!S_ISREG(status.st_mode))
        return entry->value = refused(loader, "neither a file nor a directory: the loader waits for it or fails");
    _cleanup_fd_ int fd = image_open(AT_FDCWD, path, true);
    if (fd < 0) {
        *errnum = errno;
        return NULL;
    }
    return entry->value = read_object(loader, fd, path, status.st_mode);
}

/* What a place in a directory is found by. */
struct place_key {
    const struct node *node;
    const char *subdir;
    const struct name *name;
};

struct place *emulate_place(struct loader *loader, struct dir *dir, const char *subdir, struct name *name, int *errnum)
{
    const struct place_key key = {dir->node, subdir, name};
    struct intern_entry *known = intern_find(&loader->places, &key, sizeof key);
    *errnum = 0;
    if (known)
        return known->value;
    struct object *object = open_object(loader, emulate_buffer(loader, dir->path, subdir, name->s), errnum);
    if (!object)
        return NULL;
    struct place *place = new_place(loader, dir, subdir, name->s, object);
    return intern(&loader->places, &key, sizeof key)->value = place;
}

struct place *emulate_locate(struct loader *loader, const char *path, int *errnum)
{
    const char *name = path_basename(path);
    struct dir *dir = emulate_dir(loader, path, (size_t)(name - path));
    if (dir->node)
        return emulate_place(loader, dir, "", emulate_name(loader, name), errnum);
    struct stat status;
    *errnum = stat(path, &status) == 0 ? ENOTDIR : errno;
    return NULL;
}

const char *emulate_buffer(struct loader *loader, const char *first, const char *second, const char *third)
{
    struct text *buffer = &loader->buffer;
    buffer->n = 0;
    text_bytes(buffer, first, strlen(first));
    text_bytes(buffer, second, strlen(second));
    text_bytes(buffer, third, strlen(third));
    return buffer->s;
}
