#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/lock.h"
#include "cmd/spec_state.h"
#include "report/plan_text.h"
#include "util/diff.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_STATE = 16 * 1024 * 1024 };

static bool check_prefix_name(struct run *run, const char *prefix)
{
    size_t at = strcspn(prefix, PREFIX_UNQUOTED);
    if (!prefix[at])
        return true;
    err_set(&run->err, ERR_INPUT, "prefix", prefix, 0, 0,
            "it holds the character %s, which the activation of conda and rattler does not quote",
            prefix[at] == '\n' ? "newline" : arena_printf(run->arena, "\"%c\"", prefix[at]));
    return err_mend(&run->err, "make the environment under a path without it");
}

/* state.json holds the names of the inputs, and JSON holds UTF-8 alone. */
static bool check_name(struct run *run, const char *what, const char *path)
{
    struct str rest = str_of(path);
    while (rest.n) {
        uint32_t point;
        size_t n = text_utf8(rest.s, rest.n, &point);
        if (n == 0) {
            err_set(&run->err, ERR_INPUT, what, path, 0, 0, "its name is not UTF-8, so it cannot be recorded");
            return err_mend(&run->err, "rename it");
        }
        rest = str_slice(rest, n, rest.n);
    }
    return true;
}

static bool check_target(struct run *run, const struct gathered *gathered)
{
    const struct inventory *inventory = &gathered->inventory;
    if (!check_prefix_name(run, inventory->prefix)
        || !check_name(run, "environment file", path_absolute(run->arena, gathered->spec.file))
        || !check_name(run, "configuration file", gathered->config.file))
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
    bool present;
    struct str before, after;
};

/* A link in lib/condagpu; `target` NULL: it goes. */
struct link_change {
    const char *name, *path, *target;
};

struct changes {
    VEC(struct change);
    struct {
        VEC(struct link_change);
    } links;
    bool state; /* state.json is not what it will be */
};

static bool is_any(const struct changes *changes)
{
    return changes->n || changes->links.n || changes->state;
}

static char *link_target(struct arena *arena, const char *path)
{
    char buffer[4096];
    ssize_t length = readlink(path, buffer, sizeof buffer);
    return length < 0 ? NULL : arena_memdup(arena, buffer, (size_t)length);
}

static bool is_planned(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->links.n; i++)
        if (strcmp(plan->links.v[i].name, name) == 0)
            return true;
    return false;
}

static void add_link_changes(struct run *run, const struct gathered *gathered, struct changes *changes)
{
    const char *dir = path_join(run->arena, gathered->inventory.prefix, LINK_DIR);
    for (size_t i = 0; i < gathered->plan.links.n; i++) {
        const struct link *link = &gathered->plan.links.v[i];
        const char *path = path_join(run->arena, dir, link->name);
        if (!cstr_eq(link_target(run->arena, path), link->target))
            *vec_add(run->arena, &changes->links) = (struct link_change){link->name, path, link->target};
    }
    for (size_t i = 0; i < gathered->state.links.n; i++) {
        const char *name = gathered->state.links.v[i], *path = path_join(run->arena, dir, name);
        if (!strchr(name, '/') && !is_planned(&gathered->plan, name) && link_target(run->arena, path))
            *vec_add(run->arena, &changes->links) = (struct link_change){name, path, NULL};
    }
}

static void add_hook_changes(struct run *run, const struct gathered *gathered, struct changes *changes)
{
    for (size_t i = 0; i < gathered->hooks.n; i++) {
        const struct hook_file *hook = &gathered->hooks.v[i];
        if (!hook->present || !str_eq(hook->actual, hook->expected))
            *vec_add(run->arena, changes) =
                (struct change){hook->relative, hook->path, hook->present, hook->actual, hook->expected};
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

/* What state.json shall say. While the hooks are being written (`pending`) it names what they were as well, so that after
 * a kill at any moment each of them is known as one that `init` wrote, and each link as ours. */
static struct str new_state(struct run *run, const struct gathered *gathered, bool pending)
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
    for (size_t i = 0; pending && i < gathered->state.hooks.n; i++)
        *vec_add(run->arena, &state.hooks) = gathered->state.hooks.v[i];
    for (size_t i = 0; pending && i < gathered->state.links.n; i++)
        if (!is_planned(&gathered->plan, gathered->state.links.v[i]))
            strv_add(run->arena, &state.links, gathered->state.links.v[i]);
    return state_text(run->arena, &state);
}

static bool is_in_state(struct run *run, const struct gathered *gathered, struct str text)
{
    const char *path = path_join(run->arena, gathered->inventory.prefix, STATE_FILE);
    struct str now;
    struct err ignored = {0};
    return file_exists(path) && file_read(run->arena, path, LARGEST_STATE, "state file", &now, &ignored)
        && str_eq(now, text);
}

static void find_changes(struct run *run, const struct gathered *gathered, struct changes *changes)
{
    *changes = (struct changes){0};
    add_hook_changes(run, gathered, changes);
    add_link_changes(run, gathered, changes);
    changes->state = !is_in_state(run, gathered, new_state(run, gathered, false));
}

/* A file of the user's may stand where a link has to be. */
static bool check_links(struct run *run, const struct changes *changes)
{
    for (size_t i = 0; i < changes->links.n; i++) {
        const struct link_change *link = &changes->links.v[i];
        struct stat status;
        if (!link->target || lstat(link->path, &status) != 0 || S_ISLNK(status.st_mode))
            continue;
        err_set(&run->err, ERR_OUTPUT, "cannot link", link->path, 0, 0, "a file that is not condagpu's stands there");
        return err_mend(&run->err, "move it away");
    }
    return true;
}

/* A link appears whole or not at all: made under another name, then renamed. */
static bool make_link(struct run *run, const struct link_change *link)
{
    const char *temporary =
        arena_printf(run->arena, "%s/.%s.%d", path_dirname(run->arena, link->path), link->name, (int)getpid());
    unlink(temporary);
    if (symlink(link->target, temporary) == 0 && rename(temporary, link->path) == 0)
        return true;
    int reason = errno;
    unlink(temporary);
    return err_system(&run->err, ERR_OUTPUT, "cannot link", link->path, reason);
}

static bool write_links(struct run *run, const struct gathered *gathered, const struct changes *changes)
{
    const char *dir = path_join(run->arena, gathered->inventory.prefix, LINK_DIR);
    if (gathered->plan.links.n && !dir_make(dir, &run->err))
        return false;
    for (size_t i = 0; i < changes->links.n; i++) {
        const struct link_change *link = &changes->links.v[i];
        if (!link->target)
            unlink(link->path);
        else if (!make_link(run, link))
            return false;
    }
    if (gathered->plan.links.n == 0)
        rmdir(dir); /* where it is empty */
    return true;
}

static bool write_hooks(struct run *run, const struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->v[i];
        if (!dir_make(path_dirname(run->arena, change->path), &run->err)
            || !file_write_atomic(change->path, change->after, 0644, &run->err))
            return false;
    }
    return true;
}

static bool write_state(struct run *run, const struct gathered *gathered, bool pending)
{
    const char *path = path_join(run->arena, gathered->inventory.prefix, STATE_FILE);
    struct str text = new_state(run, gathered, pending);
    return is_in_state(run, gathered, text) || file_write_atomic(path, text, 0644, &run->err);
}

/* Files that a killed `init` was writing: our names with a dot in front and letters or digits behind. */
static void clean_directory(struct run *run, const char *dir, const char *stem)
{
    struct strv names = {0};
    dir_list(run->arena, dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.v[i], *dot = strrchr(name, '.');
        if (name[0] == '.' && str_starts(str_of(name + 1), stem) && dot > name + 1 && strlen(dot + 1) == 6)
            unlink(path_join(run->arena, dir, name));
    }
}

static void clean_up(struct run *run, const char *prefix)
{
    static const char *const dirs[][2] = {
        {"etc/conda/activate.d", HOOK_STEM "."}, {"etc/conda/deactivate.d", HOOK_STEM "."}, {STATE_DIR, "state.json"},
    };
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        clean_directory(run, path_join(run->arena, prefix, dirs[i][0]), dirs[i][1]);
}

static bool add_history(struct run *run, const char *prefix, const struct changes *changes)
{
    struct text what = {.arena = run->arena};
    for (size_t i = 0; i < changes->n; i++)
        text_add(&what, "%s%s %s", i ? ", " : "", changes->v[i].present ? "changed" : "wrote", changes->v[i].relative);
    return history_add(run, prefix, "init", what.n ? what.s : "wrote " STATE_FILE);
}

/* The state goes first and last: see new_state(). */
static bool write_all(struct run *run, const struct gathered *gathered, const struct changes *changes)
{
    const char *prefix = gathered->inventory.prefix;
    clean_up(run, prefix);
    return !is_any(changes)
        || (write_state(run, gathered, true) && write_links(run, gathered, changes) && write_hooks(run, changes)
            && write_state(run, gathered, false) && add_history(run, prefix, changes));
}

static const char *link_words(struct run *run, const struct link_change *link)
{
    return link->target ? arena_printf(run->arena, "link %s -> %s", link->path, link->target)
                        : arena_printf(run->arena, "remove the link %s", link->path);
}

/* Lines that patch(1) passes over stand for what is no text. */
static void print_diff(struct run *run, const struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct change *change = &changes->v[i];
        struct text text = {.arena = run->arena};
        diff_unified(run->arena, change->present ? change->path : "/dev/null", change->before, change->path,
                     change->after, &text);
        fwrite(text.s, 1, text.n, stdout);
    }
    for (size_t i = 0; i < changes->links.n; i++)
        printf("would %s\n", link_words(run, &changes->links.v[i]));
    if (changes->state && changes->n == 0)
        puts("would record other inputs in " STATE_FILE);
}

static void print_dry_run(struct run *run, const struct gathered *gathered, const struct changes *changes)
{
    plan_print(&gathered->plan, use_color(&run->options, STDOUT_FILENO), stdout);
    putchar('\n');
    for (size_t i = 0; i < changes->n; i++)
        printf("would %s %s\n", changes->v[i].present ? "change" : "write", changes->v[i].path);
    for (size_t i = 0; i < changes->links.n; i++)
        printf("would %s\n", link_words(run, &changes->links.v[i]));
    if (changes->state && changes->n == 0)
        puts("would record other inputs in " STATE_FILE);
    if (!is_any(changes))
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

static void print_done(struct run *run, const struct gathered *gathered, const struct changes *changes)
{
    if (run->options.quiet)
        return;
    const struct spec *spec = gathered->facts.spec;
    printf("%s: %s\n", spec->file, text_printable(run->arena, str_of(pin_words(run, spec))));
    if (!is_any(changes)) {
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

/* A login shell's name stands for the hooks that it reads. */
static bool check_shells(struct run *run)
{
    static const char *const names[] = {"sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", NULL};
    for (size_t i = 0; i < run->options.shells.n; i++) {
        const char *name = run->options.shells.v[i], *const *known = names;
        while (*known && strcmp(*known, name) != 0)
            known++;
        if (*known)
            continue;
        const char *nearest = text_nearest(name, names);
        err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--shell: there are no hooks for \"%s\"", name);
        return err_mend(&run->err, nearest ? "did you mean %s?" : "only csh and tcsh need it: the others have theirs always",
                        nearest);
    }
    return true;
}

static bool find(struct run *run, struct gathered *gathered, struct changes *changes)
{
    if (!gather(run, true, gathered) || !check_target(run, gathered))
        return false;
    find_changes(run, gathered, changes);
    return true;
}

/* Under the lock; what another process has written since is looked at anew, so that one environment has one ID. */
static bool write_locked(struct run *run, struct gathered *gathered, struct changes *changes)
{
    struct state now;
    return state_read(run->arena, gathered->inventory.prefix, &now, &run->err)
        && (state_equal(run->arena, &now, &gathered->state) || find(run, gathered, changes))
        && check_edited(run, gathered) && check_links(run, changes) && write_all(run, gathered, changes);
}

static int init(struct run *run)
{
    struct gathered gathered;
    struct changes changes;
    struct lock lock;
    if (!check_shells(run) || !find(run, &gathered, &changes))
        return RUN_FAILED;
    print_notes(run, gathered.facts.spec);
    if (run->options.diff) {
        print_diff(run, &changes);
        return is_any(&changes) ? 1 : 0;
    }
    if (run->options.dry_run) {
        print_dry_run(run, &gathered, &changes);
        return 0;
    }
    if (!check_edited(run, &gathered) || !check_links(run, &changes)
        || !lock_take(run, gathered.inventory.prefix, &lock))
        return RUN_FAILED;
    bool good = write_locked(run, &gathered, &changes);
    lock_release(&lock);
    if (!good)
        return RUN_FAILED;
    print_done(run, &gathered, &changes);
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
