#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/path.h"
#include "util/text.h"

void fd_cleanup(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

void stream_cleanup(FILE **stream)
{
    if (*stream)
        fclose(*stream);
}

void dir_cleanup(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

int file_open_regular(const char *path)
{
    /* O_NONBLOCK keeps open() of a FIFO from waiting for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    int reason = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    close(fd);
    errno = reason;
    return -1;
}

/* Reads to the end or to one byte more than `limit`. */
static bool read_all(int fd, size_t limit, struct text *text)
{
    char buffer[64 * 1024];
    while (text->n <= limit) {
        size_t room = limit + 1 - text->n;
        ssize_t got = read(fd, buffer, room < sizeof buffer ? room : sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        text_bytes(text, buffer, (size_t)got);
    }
    return true;
}

bool file_read(struct arena *arena, const char *path, size_t limit, const char *what, struct str *content,
               struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    _cleanup_fd_ int fd = is_stdin ? dup(STDIN_FILENO) : file_open_regular(path);
    if (fd < 0 && errno == EINVAL)
        return err_set(err, ERR_INPUT, what, path, 0, 0, "not a regular file");
    if (fd < 0)
        return err_system(err, ERR_INPUT, what, path, errno);
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    if (!read_all(fd, limit, &text))
        return err_system(err, ERR_INPUT, what, path, errno);
    if (text.n > limit)
        return err_set(err, ERR_INPUT, what, path, 0, 0, "larger than the limit of %zu bytes", limit);
    *content = text_str(&text);
    return true;
}

char *file_first_line(struct arena *arena, const char *path)
{
    _cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char buffer[4096];
    ssize_t got = fd < 0 ? -1 : read(fd, buffer, sizeof buffer);
    if (got < 0)
        return NULL;
    struct str rest = {buffer, (size_t)got}, line = {0};
    str_cut(&rest, '\n', &line);
    return str_dup(arena, str_trim(line));
}

static bool write_all(int fd, struct str content)
{
    while (content.n) {
        ssize_t put = write(fd, content.s, content.n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        content = str_slice(content, (size_t)put, content.n);
    }
    return true;
}

bool file_write_atomic(const char *path, struct str content, mode_t mode, struct err *err)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *dir = path_dirname(arena, path);
    char *temporary = arena_printf(arena, "%s/.%s.XXXXXX", dir, path_basename(path));
    _cleanup_fd_ int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return err_system(err, ERR_OUTPUT, "cannot write", path, errno);
    /* The rename is durable once the directory is synced; a file system that cannot sync a directory is no failure. */
    _cleanup_fd_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (write_all(fd, content) && fchmod(fd, mode) == 0 && fsync(fd) == 0 && rename(temporary, path) == 0) {
        if (dir_fd >= 0)
            (void)fsync(dir_fd);
        return true;
    }
    int reason = errno;
    unlink(temporary);
    return err_system(err, ERR_OUTPUT, "cannot write", path, reason);
}

bool file_append(const char *path, struct str content, mode_t mode, struct err *err)
{
    _cleanup_fd_ int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0 || !write_all(fd, content) || fsync(fd) != 0)
        return err_system(err, ERR_OUTPUT, "cannot write", path, errno);
    return true;
}

static bool stat_mode(const char *path, mode_t *mode)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    *mode = status.st_mode;
    return true;
}

bool file_exists(const char *path)
{
    mode_t mode;
    return stat_mode(path, &mode);
}

bool file_is_dir(const char *path)
{
    mode_t mode;
    return stat_mode(path, &mode) && S_ISDIR(mode);
}

bool file_is_regular(const char *path)
{
    mode_t mode;
    return stat_mode(path, &mode) && S_ISREG(mode);
}

bool file_is_executable(const char *path)
{
    return file_is_regular(path) && access(path, X_OK) == 0;
}

bool dir_list(struct arena *arena, const char *path, struct strv *names)
{
    _cleanup_dir_ DIR *dir = opendir(path);
    if (!dir)
        return false;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry)
            break;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strv_add(arena, names, arena_strdup(arena, entry->d_name));
    }
    strv_sort(names);
    return errno == 0;
}

bool dir_make(const char *path, struct err *err)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    if (file_is_dir(path))
        return true;
    const char *parent = path_dirname(arena, path);
    if (strcmp(parent, path) != 0 && !dir_make(parent, err))
        return false;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && file_is_dir(path)))
        return true;
    return err_system(err, ERR_OUTPUT, "cannot make directory", path, errno);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    (void)!remove(path);
    return 0;
}

void dir_remove(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static char *hex_digest(struct arena *arena, struct sha256_ctx *context)
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    struct text text = {.arena = arena};
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(context, digest);
#else
    sha256_digest(context, sizeof digest, digest);
#endif
    for (size_t i = 0; i < sizeof digest; i++)
        text_add(&text, "%02x", digest[i]);
    return text.s;
}

char *sha256_hex(struct arena *arena, struct str bytes)
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes.n, (const uint8_t *)bytes.s);
    return hex_digest(arena, &context);
}

char *sha256_file(struct arena *arena, const char *path)
{
    struct sha256_ctx context;
    _cleanup_fd_ int fd = file_open_regular(path);
    if (fd < 0)
        return NULL;
    uint8_t buffer[64 * 1024];
    sha256_init(&context);
    for (;;) {
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return NULL;
        if (got == 0)
            return hex_digest(arena, &context);
        sha256_update(&context, (size_t)got, buffer);
    }
}
