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
    }
    return name;
}

const char *emulate_origin(struct loader *loader, const char *path)
{
    const char *absolute = path[0] == '/' ? path : path_join(loader->arena, loader->cwd, path);
    return path_dirname(loader->arena, absolute);
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
    bool goes_on = (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9')
        || next == '_';
    return goes_on ? 0 : length + 1;
}

/* In a program with raised rights $ORIGIN counts at the very start only, and before a slash or the end. */
static bool origin_is_allowed(const char *text, const char *at, size_t length, bool secure)
{
    return !secure || (at == text && (at[length] == '\0' || at[length] == '/'));
}

const char *emulate_expand(struct loader *loader, const char *text, const char *origin, bool secure)
{
    struct text expanded = {.arena = loader->arena};
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

static struct dir *find_dir(struct loader *loader, const char *path, size_t size)
{
    struct intern_entry *entry = intern(&loader->dirs, path, size);
    struct dir *dir = entry->value;
    if (!dir) {
        dir = entry->value = arena_alloc(loader->arena, sizeof *dir);
        dir->path = entry->key;
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
static struct dir *element_dir(struct loader *loader, struct str element, const char *origin, bool secure)
{
    if (element.n == 0)
        return find_dir(loader, "", 0);
    const char *text = str_dup(loader->arena, element);
    const char *path = emulate_expand(loader, text, origin, secure);
    size_t length = path ? strlen(path) : 0;
    if (length == 0)
        return NULL;
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *full = arena_alloc(loader->arena, length + 2);
    memcpy(full, path, length);
    if (full[length - 1] != '/')
        full[length++] = '/';
    if (secure && strchr(text, '$') && !is_trusted(loader, full))
        return NULL;
    return find_dir(loader, full, length);
}

static struct dirs *intern_list(struct loader *loader, struct dir *const *dirs, size_t n)
{
    struct intern_entry *entry = intern(&loader->lists, dirs, n * sizeof *dirs);
    struct dirs *list = entry->value;
    if (!list) {
        list = entry->value = arena_alloc(loader->arena, sizeof *list + n * sizeof *dirs);
        list->n = n;
        memcpy(list->v, dirs, n * sizeof *dirs);
    }
    return list;
}

struct dirs *emulate_list(struct loader *loader, const char *list, const char *separators, const char *origin,
                          bool secure)
{
    struct { VEC(struct dir *); } dirs = {0};
    if (!list || !list[0])
        return NULL;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, separators), i = 0;
        struct dir *dir = element_dir(loader, (struct str){at, length}, origin, secure);
        while (dir && i < dirs.n && dirs.v[i] != dir)
            i++;
        if (dir && i == dirs.n)
            *vec_add(loader->arena, &dirs) = dir;
        at += length;
        if (!*at)
            break;
    }
    return dirs.n ? intern_list(loader, dirs.v, dirs.n) : NULL;
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

/* NULL entry value: a file that was not seen before. */
static struct intern_entry *file_entry(struct loader *loader, uint64_t device, uint64_t inode)
{
    const uint64_t key[2] = {device, inode};
    return intern(&loader->objects, key, sizeof key);
}

static struct located *located_entry(struct loader *loader, const char *path, bool *is_new)
{
    struct intern_entry *entry = intern(&loader->located, path, strlen(path));
    *is_new = !entry->value;
    if (*is_new) {
        struct located *located = entry->value = arena_alloc(loader->arena, sizeof *located);
        located->path = entry->key;
    }
    return entry->value;
}

static void set_object(struct loader *loader, struct located *located, struct object *object)
{
    located->object = object;
    if (!object->rpath && !object->runpath)
        return;
    const char *origin = emulate_origin(loader, located->path);
    located->rpath = emulate_list(loader, object->rpath, ":", origin, false);
    located->runpath = emulate_list(loader, object->runpath, ":", origin, false);
}

struct located *emulate_add(struct loader *loader, const char *path, const struct elf *elf, bool is_secure)
{
    bool is_new;
    struct located *located = located_entry(loader, path, &is_new);
    struct intern_entry *entry = file_entry(loader, elf->device, elf->inode);
    if (!entry->value) {
        struct object *object = entry->value = arena_alloc(loader->arena, sizeof *object);
        fill_object(loader, object, elf);
        object->is_secure = is_secure;
    }
    if (is_new)
        set_object(loader, located, entry->value);
    return located;
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

struct located *emulate_locate(struct loader *loader, const char *path, int *errnum)
{
    struct intern_entry *known = intern_find(&loader->located, path, strlen(path));
    bool is_new;
    *errnum = 0;
    if (known)
        return known->value;
    struct object *object = open_object(loader, path, errnum);
    if (!object)
        return NULL;
    struct located *located = located_entry(loader, path, &is_new);
    set_object(loader, located, object);
    return located;
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
