/* Files and directories. */
#ifndef CONDAGPU_UTIL_FILE_H
#define CONDAGPU_UTIL_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"
#include "util/vec.h"

void fd_cleanup(int *fd);
void stream_cleanup(FILE **stream);
void dir_cleanup(DIR **dir);
#define _cleanup_fd_ __attribute__((cleanup(fd_cleanup)))
#define _cleanup_stream_ __attribute__((cleanup(stream_cleanup)))
#define _cleanup_dir_ __attribute__((cleanup(dir_cleanup)))

/* Opens a regular file for reading. A FIFO, device or directory is refused with errno EINVAL or EISDIR instead of
 * blocking. The descriptor, or -1 with errno. */
int file_open_regular(const char *path);

/* Reads a whole regular file ("-" is standard input) of at most `limit` bytes into the arena, with a NUL behind it
 * that is not counted. `what` names it in the error. ERR_INPUT. */
bool file_read(struct arena *arena, const char *path, size_t limit, const char *what, struct str *content,
               struct err *err);

/* The first line of a small file (up to 4 KB), trimmed; NULL if it cannot be read. For /proc and /sys. */
char *file_first_line(struct arena *arena, const char *path);

/* Writes through a temporary file in the same directory, fsync and rename, so that `path` is either as before or whole;
 * a symlink at `path` is replaced. ERR_OUTPUT. */
bool file_write_atomic(const char *path, struct str content, mode_t mode, struct err *err);

/* Appends one write() of whole lines. ERR_OUTPUT. */
bool file_append(const char *path, struct str content, mode_t mode, struct err *err);

bool file_exists(const char *path);  /* stat succeeds */
bool file_is_dir(const char *path);
bool file_is_regular(const char *path);
bool file_is_executable(const char *path); /* a regular file with an x bit that this user may run */

/* The names in a directory, sorted by bytes, without . and ..; false with errno when it cannot be read. */
bool dir_list(struct arena *arena, const char *path, struct strv *names);

/* mkdir -p with mode 0777 less umask. ERR_OUTPUT. */
bool dir_make(const char *path, struct err *err);

/* Removes a directory with all that is in it, as far as that can be done; links are not followed. */
void dir_remove(const char *path);

/* Lower-case hexadecimal SHA-256 of bytes, and of a file (NULL with errno when it cannot be read). */
char *sha256_hex(struct arena *arena, struct str bytes);
char *sha256_file(struct arena *arena, const char *path);

#endif
