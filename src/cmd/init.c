#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/lock.h"
#include "cmd/spec_state.h"
#include "report/plan_text.h"
#include "util/diff.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

/* Characters that conda's and rattler's own activation scripts do not quote (contract 9). */
static bool check_prefix_name(struct run *run, const char *prefix)
{
    size_t at = strcspn(prefix, ":;'\"`$\\!\n");
    if (!prefix[at])
        return true;
    err_set(&run->err, ERR_INPUT, "prefix", prefix, 0, 0,
            "it holds the character %s, which the activation of conda and rattler does not quote",
            prefix[at] == '\n' ? "newline" : arena_printf(run->arena, "\"%c\"", prefix[at]));
    return err_mend(&run->err, "make the environment under a path without it");
}

static bool check_target(struct run *run, const struct gathered *gathered)
{
    const struct inventory *inventory = &gathered->inventory;
    if (!check_prefix_name(run, inventory->prefix))
        return false;
    if (inventory->is_conda)
        return true;
    err_set(&run->err, ERR_INPUT, "prefix", inventory->prefix, 0, 0,
            "not a conda environment: there is no conda-meta/history in it");
    return err_mend(&run->err, "name the environment's own directory with --prefix DIR");
}

/* One change to the prefix. */
struct change {
    const char *relative, *path;
    bool present, remove; /* remove: a file of ours that is no longer wanted */
    struct str before, after;
};

struct changes {
    VEC(struct change);
};

static void add_changes(struct run *run, const struct gathered *gathered, struct changes *changes)
{
    for (size_t i = 0; i < gathered->hooks.n; i++) {
        const struct hook_file *hook = &gathered->hooks.v[i];
        if (!hook->present || !str_eq(hook->actual, hook->expected))
            *vec_add(run->arena, changes) = (struct change){
                hook->relative, hook->path, hook->present, false, hook->actual, hook->expected};
    }
}

/* A hook that is neither what `init` wrote nor what it would write was edited by hand. */
static bool check_edited(struct run *run, const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->hooks.n && !run->options.force; i++) {
        const struct hook_file *hook = &gathered->hooks.v[i];
        if (!hook->present || str_eq(hook->actual, hook->expected)
            || (hook->recorded && strcmp(sha256_hex(run->arena, hook->actual), hook->recorded) == 0))
            continue;
        err_set(&run->err, ERR_OUTPUT, "hook", hook->path, 0, 0, "it was edited by hand, so it is not overwritten");
        return err_mend(&run->err, "put the change into condagpu.yml and give --force; --diff shows what would go");
    }
    return true;
}

static struct str new_state(struct run *run, const struct gathered *gathered)
{
    const struct spec *spec = gathered->facts.spec;
    bool is_file = strcmp(spec->file, "-") != 0;
    struct state state = {
        .present = true,
        .id = gathered->id,
        .version = PACKAGE_VERSION,
        .file = is_file ? path_absolute(run->arena, spec->file) : NULL,
        .file_sha256 = spec->sha256,
        .config = gathered->config.file ? path_absolute(run->arena, gathered->config.file) : NULL,
        .config_sha256 = gathered->config.sha256,
        .spec = spec_state_text(run->arena, spec),
    };
    for (size_t i = 0; i < gathered->hooks.n; i++)
        *vec_add(run->arena, &state.hooks) = (struct state_file){
            gathered->hooks.v[i].relative, sha256_hex(run->arena, gathered->hooks.v[i].expected)};
    for (size_t i = 0; i < gathered->plan.links.n; i++)
        strv_add(run->arena, &state.links, gathered->plan.links.v[i].name);
    return state_text(run->arena, &state);
}

static char *link_target(struct arena *arena, const char *path)
{
    char buffer[4096];
    ssize_t length = readlink(path, buffer, sizeof buffer);
    return length < 0 ? NULL : arena_memdup(arena, buffer, (size_t)length);
}

/* A link appears whole or not at all: made under another name, then renamed. */
static bool make_link(struct run *run, const char *dir, const struct link *link, bool *changed)
{
    const char *path = path_join(run->arena, dir, link->name);
    const char *temporary = arena_printf(run->arena, "%s/.%s.%d", dir, link->name, (int)getpid());
    if (cstr_eq(link_target(run->arena, path), link->target))
        return true;
    *changed = true;
    unlink(temporary);
    if (symlink(link->target, temporary) == 0 && rename(temporary, path) == 0)
        return true;
    int reason = errno;
    unlink(temporary);
    return err_system(&run->err, ERR_OUTPUT, "cannot link", path, reason);
}

static bool is_planned(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->links.n; i++)
        if (strcmp(plan->links.v[i].name, name) == 0)
            return true;
    return false;
}

static bool write_links(struct run *run, const struct gathered *gathered, bool *changed)
{
    const char *dir = path_join(run->arena, gathered->inventory.prefix, LINK_DIR);
    const struct plan *plan = &gathered->plan;
    if (plan->links.n && !dir_make(dir, &run->err))
        return false;
    for (size_t i = 0; i < plan->links.n; i++)
        if (!make_link(run, dir, &plan->links.v[i], changed))
            return false;
    for (size_t i = 0; i < gathered->state.links.n; i++) {
        const char *name = gathered->state.links.v[i];
        if (strchr(name, '/') || is_planned(plan, name))
            continue;
        unlink(path_join(run->arena, dir, name));
        *changed = true;
    }
    if (plan->links.n == 0)
        rmdir(dir); /* where it is empty */
    return true;
}

static bool write_changes(struct run *run, const struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->v[i];
        if (!dir_make(path_dirname(run->arena, change->path), &run->err)
            || !file_write_atomic(change->path, change->after, 0644, &run->err))
            return false;
    }
    return true;
}

static bool write_state(struct run *run, const struct gathered *gathered, bool *changed)
{
    const char *path = path_join(run->arena, gathered->inventory.prefix, STATE_FILE);
    struct str text = new_state(run, gathered), before;
    struct err ignored;
    if (file_exists(path) && file_read(run->arena, path, 16 * 1024 * 1024, "state file", &before, &ignored)
        && str_eq(before, text))
        return true;
    *changed = true;
    return file_write_atomic(path, text, 0644, &run->err);
}

static bool write_all(struct run *run, const struct gathered *gathered, const struct changes *changes, bool *changed)
{
    const char *prefix = gathered->inventory.prefix;
    struct lock lock;
    *changed = changes->n > 0;
    if (!lock_take(run, prefix, &lock))
        return false;
    bool good = write_links(run, gathered, changed) && write_changes(run, changes)
        && write_state(run, gathered, changed);
    if (good && *changed) {
        struct text what = {.arena = run->arena};
        for (size_t i = 0; i < changes->n; i++)
            text_add(&what, "%s%s %s", i ? ", " : "", changes->v[i].present ? "changed" : "wrote",
                     changes->v[i].relative);
        good = history_add(run, prefix, "init", what.n ? what.s : "wrote " STATE_FILE);
    }
    lock_release(&lock);
    return good;
}

static void print_diff(struct run *run, const struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->v[i];
        struct text text = {.arena = run->arena};
        diff_unified(run->arena, change->present ? change->path : "/dev/null", change->before, change->path,
                     change->after, &text);
        fwrite(text.s, 1, text.n, stdout);
    }
}

static void print_dry_run(struct run *run, const struct gathered *gathered, const struct changes *changes)
{
    plan_print(&gathered->plan, use_color(&run->options, STDOUT_FILENO), stdout);
    putchar('\n');
    for (size_t i = 0; i < changes->n; i++)
        printf("would %s %s\n", changes->v[i].present ? "change" : "write", changes->v[i].path);
    for (size_t i = 0; i < gathered->plan.links.n; i++)
        printf("would link " LINK_DIR "/%s -> %s\n", gathered->plan.links.v[i].name,
               gathered->plan.links.v[i].target);
    if (changes->n == 0)
        puts("the hooks are up to date: nothing would be written");
}

static const char *pin_words(struct run *run, const struct spec *spec)
{
    if (spec->conflicts.n)
        return arena_printf(run->arena, "its pins contradict each other: %s", spec->conflicts.v[0].message);
    if (!spec->has_effective)
        return "it pins no CUDA release";
    return arena_printf(run->arena, "it pins CUDA %s", spec->effective_text);
}

static void print_done(struct run *run, const struct gathered *gathered, const struct changes *changes, bool changed)
{
    if (run->options.quiet)
        return;
    const struct spec *spec = gathered->facts.spec;
    printf("%s: %s\n", spec->file, text_printable(run->arena, str_of(pin_words(run, spec))));
    if (!changed) {
        puts("the hooks are up to date");
        return;
    }
    for (size_t i = 0; i < changes->n; i++)
        printf("%s %s\n", changes->v[i].present ? "changed" : "wrote", changes->v[i].path);
    printf("conda activate %s runs them; condagpu plan says what they set and why\n", gathered->inventory.prefix);
}

/* What the reader of the file noticed goes to standard error, where it disturbs no diff. */
static void print_notes(struct run *run, const struct spec *spec)
{
    for (size_t i = 0; i < spec->notes.n && !run->options.quiet; i++) {
        const struct note *note = &spec->notes.v[i];
        const char *text = arena_printf(run->arena, "%s:%u:%u: %s%s%s%s", note->file, note->line, note->column,
                                        note->message, note->mend ? " (" : "", note->mend ? note->mend : "",
                                        note->mend ? ")" : "");
        fprintf(stderr, "condagpu: note: %s\n", text_printable(run->arena, str_of(text)));
    }
}

static int init(struct run *run)
{
    struct gathered gathered;
    struct changes changes = {0};
    bool changed;
    if (!gather(run, true, &gathered) || !check_target(run, &gathered))
        return RUN_FAILED;
    print_notes(run, gathered.facts.spec);
    add_changes(run, &gathered, &changes);
    if (run->options.diff) {
        print_diff(run, &changes);
        return changes.n ? 1 : 0;
    }
    if (run->options.dry_run) {
        print_dry_run(run, &gathered, &changes);
        return 0;
    }
    if (!check_edited(run, &gathered) || !write_all(run, &gathered, &changes, &changed))
        return RUN_FAILED;
    print_done(run, &gathered, &changes, changed);
    return 0;
}

static const enum option_id options[] = {
    OPT_PREFIX, OPT_NAME, OPT_FILE, OPT_CONFIG, OPT_PROBE, OPT_DRY_RUN, OPT_DIFF, OPT_FORCE, OPT_SHELL,
    OPT_TEMPLATE_DIR, OPT_DATA_DIR, OPT_ROOT, OPT_TIMEOUT, OPT_NO_DRIVER, OPT_END,
};

const struct cmd cmd_init = {
    .name = "init",
    .summary = "write the activation hooks of an environment",
    .operands = "",
    .most_operands = 0,
    .options = options,
    .function = init,
};
