#include "util/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

extern char **environ;

enum {
    GRACE_MS = 200, /* how long a killed child may take to end before it counts as stuck in the kernel */
    TICK_MS = 50,   /* how often a silent child is looked after */
};

struct stream {
    int fd;
    struct text text;
};

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool drain(struct stream *stream, size_t limit, bool *truncated)
{
    char buffer[16 * 1024];
    ssize_t got = read(stream->fd, buffer, sizeof buffer);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (got == 0)
        return false;
    size_t room = limit - stream->text.n;
    if ((size_t)got > room)
        *truncated = true;
    text_bytes(&stream->text, buffer, (size_t)got < room ? (size_t)got : room);
    return true;
}

/* A child under supervision. */
struct child {
    pid_t pid;
    int status;
    bool ended;
};

static void look_after(struct child *child)
{
    if (child->ended)
        return;
    pid_t ended = waitpid(child->pid, &child->status, WNOHANG);
    child->ended = ended == child->pid || (ended < 0 && errno == ECHILD);
}

/* Whether anything came. */
static bool collect_once(struct stream streams[2], int wait_ms, size_t limit, struct proc *result)
{
    struct pollfd polls[2] = {{streams[0].fd, POLLIN, 0}, {streams[1].fd, POLLIN, 0}};
    if (poll(polls, 2, wait_ms) <= 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (streams[i].fd >= 0 && polls[i].revents && !drain(&streams[i], limit, &result->truncated)) {
            close(streams[i].fd);
            streams[i].fd = -1;
        }
    }
    return true;
}

/* Collects the child's output until both ends are closed, the deadline passes, or the child has ended and nothing more
 * comes: a process that it left in the background may hold the pipe for ever. */
static void collect(struct stream streams[2], struct child *child, long long deadline, size_t limit,
                    struct proc *result)
{
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        long long left = deadline - now_ms();
        if (left <= 0) {
            result->timed_out = true;
            return;
        }
        bool came = collect_once(streams, left < TICK_MS ? (int)left : TICK_MS, limit, result);
        look_after(child);
        if (child->ended && !came)
            return;
    }
}

static void reap(struct child *child, long long until)
{
    for (;;) {
        look_after(child);
        if (child->ended || now_ms() >= until)
            return;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

/* Waits for the child, kills its group at the deadline (and what it left behind in any case), and never blocks on one
 * that does not die. */
static void finish(struct child *child, long long deadline, struct proc *result)
{
    if (!result->timed_out)
        reap(child, deadline);
    result->timed_out |= !child->ended;
    kill(-child->pid, SIGKILL);
    if (!child->ended)
        kill(child->pid, SIGKILL);
    reap(child, now_ms() + GRACE_MS);
    result->stuck = !child->ended;
    result->status = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 128 + WTERMSIG(child->status);
}

static void supervise(pid_t pid, int out, int err, unsigned deadline_ms, size_t limit, struct arena *arena,
                      struct proc *result)
{
    struct stream streams[2] = {{out, {.arena = arena}}, {err, {.arena = arena}}};
    struct child child = {.pid = pid};
    long long deadline = now_ms() + deadline_ms;
    text_bytes(&streams[0].text, "", 0);
    text_bytes(&streams[1].text, "", 0);
    collect(streams, &child, deadline, limit, result);
    finish(&child, deadline, result);
    fd_cleanup(&streams[0].fd);
    fd_cleanup(&streams[1].fd);
    result->out = text_str(&streams[0].text);
    result->err = text_str(&streams[1].text);
}

struct launch {
    const char *const *argv, *const *envp;
    const char *cwd;
    int out, err, report;
};

/* The child's side: only async-signal-safe calls between fork and exec. */
static _Noreturn void launch_child(const struct launch *launch)
{
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(launch->out, 1) >= 0 && dup2(launch->err, 2) >= 0
        && (!launch->cwd || chdir(launch->cwd) == 0))
        execve(launch->argv[0], (char *const *)launch->argv,
               launch->envp ? (char *const *)launch->envp : environ);
    int reason = errno;
    if (write(launch->report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* Two pipes or three, all close-on-exec; false with errno and nothing left open. */
static bool open_pipes(int pipes[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) == 0)
            continue;
        int reason = errno;
        while (i-- > 0) {
            close(pipes[i][0]);
            close(pipes[i][1]);
        }
        errno = reason;
        return false;
    }
    return true;
}

void proc_run(struct arena *arena, const char *const *argv, const char *const *envp, const char *cwd,
              unsigned deadline_ms, size_t limit, struct proc *result)
{
    *result = (struct proc){.out = STR(""), .err = STR("")};
    const char *program = strchr(argv[0], '/') ? argv[0] : proc_find(arena, argv[0], NULL);
    int pipes[3][2];
    if (!program) {
        result->errnum = ENOENT;
        return;
    }
    if (!open_pipes(pipes, 3)) {
        result->errnum = errno;
        return;
    }
    struct strv copy = {0};
    strv_add(arena, &copy, program);
    for (size_t i = 1; argv[i]; i++)
        strv_add(arena, &copy, argv[i]);
    strv_add(arena, &copy, NULL);
    pid_t child = fork();
    if (child == 0)
        launch_child(&(struct launch){copy.v, envp, cwd, pipes[0][1], pipes[1][1], pipes[2][1]});
    int fork_error = errno;
    for (int i = 0; i < 3; i++)
        close(pipes[i][1]);
    if (child < 0) {
        result->errnum = fork_error;
        for (int i = 0; i < 3; i++)
            close(pipes[i][0]);
        return;
    }
    setpgid(child, child); /* both sides do it: whoever comes first */
    int reason = 0;
    result->started = read(pipes[2][0], &reason, sizeof reason) != (ssize_t)sizeof reason;
    result->errnum = reason;
    close(pipes[2][0]);
    supervise(child, pipes[0][0], pipes[1][0], deadline_ms, limit, arena, result);
}

void proc_call(struct arena *arena, int (*function)(void *argument, int fd), void *argument, unsigned deadline_ms,
               size_t limit, struct proc *result)
{
    *result = (struct proc){.out = STR(""), .err = STR("")};
    int pipes[2][2];
    if (!open_pipes(pipes, 2)) {
        result->errnum = errno;
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        dup2(pipes[1][1], STDERR_FILENO);
        close(pipes[0][0]);
        close(pipes[1][0]);
        _exit(function(argument, pipes[0][1]));
    }
    int fork_error = errno;
    close(pipes[0][1]);
    close(pipes[1][1]);
    result->started = child > 0;
    if (child < 0) {
        result->errnum = fork_error;
        close(pipes[0][0]);
        close(pipes[1][0]);
        return;
    }
    setpgid(child, child);
    supervise(child, pipes[0][0], pipes[1][0], deadline_ms, limit, arena, result);
}

char *proc_find(struct arena *arena, const char *name, const char *path_list)
{
    struct str rest = str_of(path_list ? path_list : getenv("PATH")), dir;
    while (str_cut(&rest, ':', &dir)) {
        if (dir.n == 0)
            continue; /* never the working directory */
        char *candidate = path_join(arena, str_dup(arena, dir), name);
        if (file_is_executable(candidate))
            return candidate;
    }
    return NULL;
}
