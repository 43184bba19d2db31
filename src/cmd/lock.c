#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/lock.h"
#include "prefix/state.h"
#include "util/file.h"
#include "util/path.h"

/* Whether the path still leads to the file that was opened: `remove` takes it away together with its own lock. */
static bool is_same_file(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev
        && opened.st_ino == named.st_ino;
}

bool lock_take(struct run *run, const char *prefix, struct lock *lock)
{
    enum { MOST_TRIES = 100 };
    const char *path = path_join(run->arena, prefix, LOCK_FILE);
    for (int i = 0; i < MOST_TRIES; i++) {
        if (!dir_make(path_join(run->arena, prefix, STATE_DIR), &run->err))
            return false;
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (lock->fd < 0 && errno == ENOENT)
            continue; /* the directory went away with a `remove` */
        if (lock->fd < 0)
            return err_system(&run->err, ERR_OUTPUT, "cannot lock", path, errno);
        bool is_locked = flock(lock->fd, LOCK_EX | LOCK_NB) == 0, is_held = !is_locked && errno == EWOULDBLOCK;
        if (is_locked ? is_same_file(lock->fd, path) : !is_held)
            return true; /* a file system without locks must not keep anybody from working */
        lock_release(lock);
        if (is_held)
            break;
    }
    err_set(&run->err, ERR_OUTPUT, "cannot lock", path, 0, 0, "another condagpu is changing this environment");
    return err_mend(&run->err, "wait until it has ended, then try again");
}

void lock_release(struct lock *lock)
{
    close(lock->fd);
}

bool history_add(struct run *run, const char *prefix, const char *command, const char *what)
{
    char stamp[32];
    struct tm utc;
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const char *line = arena_printf(run->arena, "%s " PACKAGE_STRING " %s: %s\n", stamp, command, what);
    return file_append(path_join(run->arena, prefix, HISTORY_FILE), str_of(line), 0644, &run->err);
}
