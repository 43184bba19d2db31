#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/emulate.h"
#include "loader/image.h"
#include "loader/live.h"
#include "util/env.h"
#include "util/file.h"
#include "util/install.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

enum { DEADLINE_MS = 10000, MOST_OUTPUT = 256 * 1024, MOST_MODULE = 4 * 1024 * 1024 };

const char *live_unusable(struct arena *arena, const char *python)
{
    struct elf elf;
    struct stat status;
    const char *real = path_real(arena, python);
    if (!real)
        return arena_printf(arena, "%s: %s", python, strerror(errno));
    if (!elf_read(arena, real, &elf))
        return elf.is_elf ? arena_printf(arena, "%s: %s", real, elf.problem)
                          : arena_printf(arena, "%s is a script around the program, not the program", real);
    if (!elf.interpreter)
        return arena_printf(arena, "%s is linked statically", real);
    if (strncmp(path_basename(elf.interpreter), "ld-musl", 7) == 0)
        return arena_printf(arena, "%s is for musl, whose loader is not supported", real);
    if (!file_is_executable(elf.interpreter))
        return arena_printf(arena, "the loader of %s, %s, is not there", real, elf.interpreter);
    if (stat(real, &status) == 0 && emulate_is_secure(real, status.st_mode))
        return arena_printf(arena, "%s is setuid or has capabilities: its loader ignores LD_PRELOAD", real);
    return NULL;
}

/* Blanks and colons end a name in LD_PRELOAD, and nothing escapes them. */
static bool fits_preload(const char *path)
{
    return !strpbrk(path, " :\t\n");
}

/* Turns the entries that would search on the module's own behalf into ones that the loader does not know. */
static bool forget_paths(struct arena *arena, int fd)
{
    struct image image;
    size_t count;
    Elf64_Dyn entry;
    if (!image_load(arena, fd, image_host_machine(), &image))
        return false;
    const Elf64_Dyn *entries = image_dynamic(arena, &image, &count);
    for (size_t i = 0; i < image.segment_count; i++) {
        uint64_t offset, left;
        if (image.segments[i].p_type != PT_DYNAMIC || !image_offset(&image, image.segments[i].p_vaddr, &offset, &left))
            continue;
        for (size_t j = 0; entries && j < count; j++) {
            if (entries[j].d_tag != DT_RPATH && entries[j].d_tag != DT_RUNPATH)
                continue;
            entry = (Elf64_Dyn){.d_tag = DT_DEBUG};
            if (pwrite(fd, &entry, sizeof entry, (off_t)(offset + j * sizeof entry)) != (ssize_t)sizeof entry)
                return false;
        }
    }
    return entries != NULL;
}

/* A copy in memory, for a module whose own search path (a packager may have added one) would change the answer, or
 * whose place LD_PRELOAD cannot name. The descriptor is inherited by the program, which finds the copy under
 * /proc/self/fd. */
static int copy_module(struct arena *arena, const char *path)
{
    struct str content;
    struct err err;
    if (!file_read(arena, path, MOST_MODULE, "module", &content, &err))
        return -1;
    int fd = memfd_create("condagpu-live", 0);
    if (fd >= 0 && write(fd, content.s, content.n) == (ssize_t)content.n && forget_paths(arena, fd))
        return fd;
    fd_cleanup(&fd);
    return -1;
}

/* What to put into LD_PRELOAD for the probe; NULL with the reason. *fd is to be closed later. */
static const char *find_module(struct arena *arena, int *fd, const char **reason)
{
    const char *path = path_join(arena, install_lib_dir(arena), "condagpu-live.so");
    struct elf elf;
    *fd = -1;
    if (!elf_read(arena, path, &elf)) {
        *reason = arena_printf(arena, "%s: %s", path, elf.problem);
        return NULL;
    }
    if (!elf.rpath && !elf.runpath && fits_preload(path))
        return path;
    *fd = copy_module(arena, path);
    if (*fd >= 0)
        return arena_printf(arena, "/proc/self/fd/%d", *fd);
    *reason = arena_printf(arena, "%s cannot be copied", path);
    return NULL;
}

static const char *const *with_preload(struct arena *arena, const char *const *envp, const char *first,
                                       const char *second)
{
    bool both = first && first[0] && second && second[0];
    const char *list = both ? arena_printf(arena, "%s:%s", first, second) : first && first[0] ? first : second;
    envp = env_with(arena, envp, "LD_TRACE_LOADED_OBJECTS", NULL);
    return env_with(arena, envp, "LD_PRELOAD", list);
}

/* One line of the probe's; see live_probe.c. */
static bool parse_line(struct arena *arena, struct str line, struct live *live)
{
    struct str word, status, version;
    if (!str_cut(&line, '\t', &word) || !line.s)
        return false;
    if (str_eq_c(word, "missing")) {
        live->message = str_dup(arena, line);
    } else if (str_eq_c(word, "nocall")) {
        live->opened = true;
        live->path = str_dup(arena, line);
        live->message = "it does not export cudaRuntimeGetVersion";
    } else if (str_eq_c(word, "loaded") && str_cut(&line, '\t', &status) && str_cut(&line, '\t', &version) && line.n) {
        live->opened = true;
        live->status = atoi(str_dup(arena, status));
        live->version = live->status == 0 ? atoi(str_dup(arena, version)) : 0;
        live->path = str_dup(arena, line);
    } else
        return false;
    live->ran = true;
    return true;
}

static const char *failure(struct arena *arena, const char *python, const struct proc *proc)
{
    if (!proc->started)
        return arena_printf(arena, "%s cannot be started: %s", python, strerror(proc->errnum));
    if (proc->timed_out)
        return arena_printf(arena, "%s did not answer within %d seconds", python, DEADLINE_MS / 1000);
    struct str said = str_slice(str_trim(proc->err), 0, 200);
    return arena_printf(arena, "%s did not run the probe (status %d)%s%s", python, proc->status, said.n ? ": " : "",
                        text_printable(arena, said));
}

void loader_live(struct arena *arena, const char *python, const char *const *envp, const char *name, struct live *live)
{
    _cleanup_fd_ int fd = -1;
    struct proc proc;
    *live = (struct live){.skipped = live_unusable(arena, python)};
    const char *module = live->skipped ? NULL : find_module(arena, &fd, &live->skipped);
    if (!module)
        return;
    envp = with_preload(arena, envp, module, env_get(envp, "LD_PRELOAD"));
    envp = env_with(arena, envp, "CONDAGPU_LIVE_NAME", name);
    envp = env_with(arena, envp, "CONDAGPU_LIVE_FD", "1");
    proc_run(arena, (const char *const[]){python, NULL}, envp, NULL, DEADLINE_MS, MOST_OUTPUT, &proc);
    struct str rest = proc.out, line;
    while (str_cut(&rest, '\n', &line))
        if (parse_line(arena, line, live))
            return;
    live->died = proc.started && (proc.timed_out || proc.status >= 128);
    live->skipped = failure(arena, python, &proc);
}

/* "\tNAME => PATH (0x…)", "\tNAME => not found", "\tPATH (0x…)". */
static bool parse_trace(struct arena *arena, struct str line, const char *start, struct live *live)
{
    line = str_trim(line);
    if (!str_starts(line, start))
        return false;
    const char *text = str_dup(arena, line), *arrow = strstr(text, " => ");
    if (!arrow)
        return false;
    if (strcmp(arrow + 4, "not found") == 0) {
        live->message = arena_printf(arena, "%.*s is not found", (int)(arrow - text), text);
        return true;
    }
    const char *address = strstr(arrow, " (0x");
    live->opened = address != NULL;
    live->path = address ? arena_memdup(arena, arrow + 4, (size_t)(address - arrow - 4)) : NULL;
    return live->opened;
}

void loader_trace(struct arena *arena, const char *python, const char *const *envp, const char *consumer,
                  const char *soname_start, struct live *live)
{
    struct proc proc;
    *live = (struct live){.skipped = live_unusable(arena, python)};
    if (!live->skipped && !fits_preload(consumer))
        live->skipped = arena_printf(arena, "%s holds a blank or a colon, which LD_PRELOAD cannot name", consumer);
    if (live->skipped)
        return;
    envp = with_preload(arena, envp, env_get(envp, "LD_PRELOAD"), consumer);
    envp = env_with(arena, envp, "LD_TRACE_LOADED_OBJECTS", "1");
    proc_run(arena, (const char *const[]){python, NULL}, envp, NULL, DEADLINE_MS, MOST_OUTPUT, &proc);
    live->ran = proc.started && !proc.timed_out && proc.status == 0;
    if (!live->ran) {
        live->died = proc.started && (proc.timed_out || proc.status >= 128);
        live->skipped = failure(arena, python, &proc);
        return;
    }
    struct str rest = proc.out, line;
    while (str_cut(&rest, '\n', &line))
        if (parse_trace(arena, line, soname_start, live))
            return;
    live->message = arena_printf(arena, "nothing asks for %s", soname_start);
}
