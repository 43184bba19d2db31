/* What a python of the environment loads while it imports modules, as its loader tells with LD_DEBUG (ld.so(8)). */
#include <stdlib.h>
#include <string.h>

#include "loader/live.h"
#include "loader/loader.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

enum { LARGEST_DEBUG = 256 * 1024 * 1024, MOST_OUTPUT = 256 * 1024 };

/* Its own number first, so that the loader's file of this process is found; its children are not asked. */
static const char program[] = "import importlib, os, sys\n"
                              "os.environ.pop('LD_DEBUG', None)\n"
                              "print(os.getpid(), flush=True)\n"
                              "for name in sys.argv[1:]: importlib.import_module(name)\n";

/* What the lines so far say of the library that is being looked for. */
struct story {
    struct arena *arena;
    const char *start;
    struct import *import;
    struct str asker, rule, candidate;
};

static struct str after(struct str text, size_t length)
{
    return str_trim(str_slice(text, length, text.n));
}

/* "search path=A:B  (RPATH from file /env/bin/python)", "search cache=/etc/ld.so.cache" */
static void read_search(struct story *story, struct str text)
{
    size_t open = str_find(text, '(');
    if (str_starts(text, "search cache="))
        story->rule = after(text, strlen("search cache="));
    else if (open < text.n && str_ends(text, ")"))
        story->rule = str_slice(text, open + 1, text.n - 1);
}

static void add_loaded(struct story *story, struct str name)
{
    const char *path = str_dup(story->arena, name);
    bool by_path = strchr(path, '/') != NULL;
    if (strncmp(path_basename(path), story->start, strlen(story->start)) != 0)
        return;
    *vec_add(story->arena, &story->import->loaded) = (struct loaded){
        .path = by_path ? path : str_dup(story->arena, story->candidate),
        .asker = str_dup(story->arena, story->asker),
        .rule = by_path ? "its path" : str_dup(story->arena, story->rule),
    };
}

/* "file=NAME [0];  needed by FILE [0]", "…;  dynamically loaded by FILE [0]", "…;  generating link map" */
static void read_file_line(struct story *story, struct str text)
{
    static const char *const words[] = {"needed by ", "dynamically loaded by "};
    size_t end = str_find(text, ' '), semicolon = str_find(text, ';');
    struct str name = str_slice(text, strlen("file="), end), rest = after(text, semicolon + 1);
    if (str_starts(rest, "generating link map"))
        add_loaded(story, name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts(rest, words[i])) {
            story->asker = after(rest, strlen(words[i]));
            story->asker = str_slice(story->asker, 0, str_find(story->asker, ' '));
            story->rule = story->candidate = STR("");
        }
}

static void read_debug(struct story *story, struct str content)
{
    struct str line, number;
    while (str_cut(&content, '\n', &line)) {
        if (!str_cut(&line, ':', &number))
            continue;
        struct str text = str_trim(line);
        if (str_starts(text, "search "))
            read_search(story, text);
        else if (str_starts(text, "trying file="))
            story->candidate = after(text, strlen("trying file="));
        else if (str_starts(text, "file="))
            read_file_line(story, text);
    }
}

/* The last line of a traceback says what failed. */
static const char *last_line(struct arena *arena, struct str text)
{
    struct str line, last = STR("");
    while (str_cut(&text, '\n', &line))
        if (str_trim(line).n)
            last = str_trim(line);
    return text_printable(arena, str_slice(last, 0, 300));
}

static void take_outcome(struct arena *arena, const struct proc *proc, unsigned deadline_ms, struct import *import)
{
    if (proc->timed_out)
        import->problem = arena_printf(arena, "it did not end within %u seconds", deadline_ms / 1000);
    else if (proc->status >= 128)
        import->problem = arena_printf(arena, "it ended by signal %d", proc->status - 128);
    else if (proc->status != 0)
        import->problem = last_line(arena, proc->err);
}

void loader_import(struct arena *arena, const char *python, const char *const *envp, const struct strv *modules,
                   const char *soname_start, const char *dir, unsigned deadline_ms, struct import *import)
{
    struct proc proc;
    struct err ignored;
    struct strv argv = {0};
    struct str content, first;
    *import = (struct import){.skipped = live_unusable(arena, python)};
    if (import->skipped)
        return;
    const char *const start[] = {python, "-c", program};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        strv_add(arena, &argv, start[i]);
    for (size_t i = 0; i < modules->n; i++)
        strv_add(arena, &argv, modules->v[i]);
    strv_add(arena, &argv, NULL);
    envp = env_with(arena, envp, "LD_DEBUG", "libs,files");
    envp = env_with(arena, envp, "LD_DEBUG_OUTPUT", path_join(arena, dir, "ld"));
    envp = env_with(arena, envp, "PYTHONDONTWRITEBYTECODE", "1");
    proc_run(arena, argv.v, envp, dir, deadline_ms, MOST_OUTPUT, &proc);
    struct str out = proc.out;
    bool has_number = proc.started && str_cut(&out, '\n', &first) && first.n && atol(first.s) > 0;
    const char *file = has_number ? arena_printf(arena, "%s/ld.%ld", dir, atol(first.s)) : NULL;
    if (!file || !file_read(arena, file, LARGEST_DEBUG, "loader's account", &content, &ignored)) {
        import->skipped = has_number ? "its loader does not heed LD_DEBUG"
                                     : arena_printf(arena, "%s did not start: %s", python, last_line(arena, proc.err));
        return;
    }
    import->ran = true;
    take_outcome(arena, &proc, deadline_ms, import);
    struct story story = {arena, soname_start, import, STR(""), STR(""), STR("")};
    read_debug(&story, content);
}
