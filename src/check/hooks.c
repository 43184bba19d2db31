#include "check/hooks.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/hooks_finding.h"
#include "check/hooks_shell.h"
#include "util/env.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

const char hooks_run_explain[] =
    "What it means: every file in etc/conda/activate.d and deactivate.d, ours and other packages', is one that conda, "
    "mamba and pixi can source; none prints anything, ends the shell or returns an error, in each shell of this "
    "machine, "
    "in bash also under -e, -u, -f and pipefail. What a hook does that another machine would stumble over (exit, set, "
    "bashisms, unguarded variables, paths of another environment) is read from its text.\n\n"
    "Why it matters: one bad hook of one package ends a login shell, a CI step under set -eu, or silently drops all "
    "that "
    "comes after it.\n\n"
    "How to mend it: update the package, report the finding to its maintainers, or take the file away; for a hook of "
    "condagpu, run condagpu init and report it to us. What other packages do is a warning, not a failure.\n\n"
    "Source: conda/activate.py; CEP 32; rattler's and conda-pack's activation.";

const char hooks_restore_explain[] =
    "What it means: in each shell of this machine the hooks of the environment are activated and deactivated: once; "
    "with "
    "activate.d run twice, as leaving a stacked environment does; reactivated three times, as conda install does; and "
    "deactivated first, as when the package was installed into an active environment. The exported environment must be "
    "byte for byte what it was. Variables that the hooks manage are tried unset, empty and set.\n\n"
    "Why it matters: what one environment leaves behind (CFLAGS, CUDA_HOME, LD_LIBRARY_PATH) is what the next one "
    "builds and runs with.\n\n"
    "How to mend it: the finding names the variable and the script; update the package or report it. For a hook of "
    "condagpu, run condagpu init and report it to us. What other packages do is a warning, not a failure.\n\n"
    "Source: conda/activate.py for the order of events.";

void hooks_found(struct hook_findings *findings, const char *file, unsigned line, bool ours, const char *shell,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = text_printable(findings->arena, str_of(arena_vprintf(findings->arena, format, args)));
    va_end(args);
    struct hook_finding *finding = NULL;
    for (size_t i = 0; i < findings->n && !finding; i++)
        if (findings->v[i].line == line && strcmp(findings->v[i].file, file) == 0
            && strcmp(findings->v[i].text, text) == 0)
            finding = &findings->v[i];
    if (!finding) {
        finding = vec_add(findings->arena, findings);
        *finding = (struct hook_finding){.file = file, .line = line, .ours = ours, .text = text};
    }
    if (shell && strv_find(&finding->shells, shell) == finding->shells.n)
        strv_add(findings->arena, &finding->shells, shell);
}

/* One trip's circumstances. */
struct trial {
    struct hook_findings *findings;
    const struct inventory *inventory;
    const struct hook_shell *shell;
    enum trip trip;
    const char *const *env;
    unsigned deadline_ms;
};

static bool is_blank(struct str text)
{
    return str_trim(text).n == 0;
}

static struct str first_line(struct str text)
{
    struct str line = {0};
    text = str_trim(text);
    str_cut(&text, '\n', &line);
    return str_trim(line);
}

/* "x.sh: line 3:", "x.sh: 3:", "x.sh:3:", "x.sh (line 3)": the number that follows the path in a shell's complaint. */
static unsigned complaint_line(struct str text, const char *path)
{
    const char *at = memmem(text.s, text.n, path, strlen(path));
    if (!at)
        return 0;
    at += strlen(path);
    at += strspn(at, ": (");
    if (strncmp(at, "line ", 5) == 0)
        at += 5;
    return (unsigned)strtoul(at, NULL, 10);
}

/* The part of a shell's complaint that says what is wrong: without the path and line in front of it. */
static struct str complaint(struct str text, const char *path)
{
    const char *at = memmem(text.s, text.n, path, strlen(path));
    if (!at)
        return text;
    struct str rest = str_slice(text, (size_t)(at - text.s) + strlen(path), text.n);
    while (rest.n && strchr(" :()0123456789", rest.s[0]))
        rest = str_slice(rest, 1, rest.n);
    if (str_starts(rest, "line ")) {
        rest = str_slice(rest, 5, rest.n);
        while (rest.n && strchr(" :()0123456789", rest.s[0]))
            rest = str_slice(rest, 1, rest.n);
    }
    return rest.n ? rest : text;
}

static void report_output(const struct trial *trial, const struct hook *hook, struct str out, struct str err)
{
    if (!is_blank(err)) {
        struct str line = first_line(err), what = complaint(line, hook->path);
        hooks_found(trial->findings, hook->path, complaint_line(line, hook->path), hook->ours, trial->shell->name,
                    "writes to standard error: %.*s", (int)what.n, what.s);
    }
    if (!is_blank(out)) {
        struct str line = first_line(out);
        hooks_found(trial->findings, hook->path, 0, hook->ours, trial->shell->name, "writes to standard output: %.*s",
                    (int)line.n, line.s);
    }
}

/* The hook that ran when a look was not reached is known, unless the shell failed after all of them (a trap). */
static void report_end(const struct trial *trial, const struct trip_run *run)
{
    const struct hook *hook = run->stopped;
    const char *file = hook ? hook->path : path_join(trial->findings->arena, trial->inventory->prefix, "etc/conda");
    bool ours = hook && hook->ours;
    if (run->proc.timed_out)
        hooks_found(trial->findings, file, 0, ours, trial->shell->name, "%s not end within %u ms",
                    hook ? "does" : "its hooks do", trial->deadline_ms);
    else
        hooks_found(trial->findings, file, 0, ours, trial->shell->name, "%s the shell (status %d)",
                    hook ? "ends" : "one of its hooks ends", run->proc.status);
}

static void trip(const struct trial *trial, bool traced, struct trip_run *run)
{
    hooks_trip(trial->findings->arena, trial->inventory, trial->shell, trial->trip, trial->env, traced,
               trial->deadline_ms, run);
}

static bool is_quiet(const struct trip_run *run)
{
    for (size_t i = 1; i < run->shots.n; i++)
        if (!is_blank(run->shots.v[i].out) || !is_blank(run->shots.v[i].err))
            return false;
    return run->complete && is_blank(run->rest_out) && is_blank(run->rest_err);
}

/* The environment without a hook and its partner in the other directory. */
static struct inventory without_pair(struct arena *arena, const struct inventory *given, const struct hook *hook)
{
    struct inventory inventory = *given;
    const char *stem = hooks_stem(arena, hook->name);
    inventory.hooks.n = inventory.hooks.cap = 0;
    inventory.hooks.v = NULL;
    for (size_t i = 0; i < given->hooks.n; i++)
        if (strcmp(hooks_stem(arena, given->hooks.v[i].name), stem) != 0)
            *vec_add(arena, &inventory.hooks) = given->hooks.v[i];
    return inventory;
}

/* The hook without which a symptom goes; other packages' are tried first, as ours may only be the last that touched what
 * another has spoilt. NULL where no single one is it. */
static const struct hook *culprit(const struct trial *given, bool (*shows)(const struct trial *trial, const char *name),
                                  const char *name)
{
    for (int ours = 0; ours < 2; ours++)
        for (size_t i = 0; i < given->inventory->hooks.n; i++) {
            const struct hook *hook = &given->inventory->hooks.v[i];
            if (hook->ours != (bool)ours || !str_ends(str_of(hook->name), given->shell->suffix))
                continue;
            struct inventory inventory = without_pair(given->findings->arena, given->inventory, hook);
            struct trial trial = *given;
            trial.inventory = &inventory;
            if (!shows(&trial, name))
                return hook;
        }
    return NULL;
}

static bool is_noisy(const struct trial *trial, const char *unused)
{
    struct trip_run run;
    (void)unused;
    trip(trial, false, &run);
    return !is_quiet(&run);
}

static void leave_out(struct inventory *inventory, const struct hook *hook)
{
    size_t n = 0;
    for (size_t i = 0; i < inventory->hooks.n; i++)
        if (&inventory->hooks.v[i] != hook)
            inventory->hooks.v[n++] = inventory->hooks.v[i];
    inventory->hooks.n = n;
}

/* What comes while no hook runs is a trap's, or some function's that a hook has left. */
static void report_left(const struct trial *trial, struct str out, struct str err)
{
    struct str line = first_line(is_blank(err) ? out : err);
    if (!line.n)
        return;
    const struct hook *hook = culprit(trial, is_noisy, NULL);
    const char *file = hook ? hook->path : path_join(trial->findings->arena, trial->inventory->prefix, "etc/conda");
    hooks_found(trial->findings, file, 0, hook && hook->ours, trial->shell->name,
                "what it leaves behind (a trap?) writes, after it has ended: %.*s", (int)line.n, line.s);
}

static void report_run(const struct trial *trial, const struct trip_run *run)
{
    for (size_t i = 1; i < run->shots.n; i++)
        if (run->shots.v[i].hook)
            report_output(trial, run->shots.v[i].hook, run->shots.v[i].out, run->shots.v[i].err);
        else
            report_left(trial, run->shots.v[i].out, run->shots.v[i].err);
    report_left(trial, run->rest_out, run->rest_err);
    if (!run->complete && run->proc.started)
        report_end(trial, run);
}

/* Silent and status 0? If not, a second run with a look after each hook says which it was; without the one that ended
 * the shell, those behind it are tried. False when one hung. */
static bool try_run(const struct trial *given)
{
    struct trial trial = *given;
    struct inventory inventory = *given->inventory;
    struct trip_run run;
    inventory.hooks.v =
        (void *)arena_memdup(given->findings->arena, inventory.hooks.v, inventory.hooks.n * sizeof *inventory.hooks.v);
    trial.inventory = &inventory;
    for (;;) {
        trip(&trial, false, &run);
        if (is_quiet(&run))
            return true;
        trip(&trial, true, &run);
        report_run(&trial, &run);
        if (run.complete || !run.stopped || run.proc.timed_out)
            return !run.proc.timed_out;
        leave_out(&inventory, run.stopped);
    }
}

/* What a shell changes by itself. */
static bool is_ignored(const char *entry)
{
    static const char *const names[] = {"_=", "SHLVL=", "COLUMNS=", "LINES=", NULL};
    for (const char *const *name = names; *name; name++)
        if (strncmp(entry, *name, strlen(*name)) == 0)
            return true;
    return false;
}

static char *name_of(struct arena *arena, const char *entry)
{
    return arena_memdup(arena, entry, strcspn(entry, "="));
}

/* Names whose values differ between two environments. */
static void differences(struct arena *arena, const char *const *before, const char *const *after, struct strv *names)
{
    const char *const *sides[] = {before, after}, *const * others[] = {after, before};
    for (int i = 0; i < 2; i++) {
        for (const char *const *entry = sides[i]; *entry; entry++) {
            const char *name = name_of(arena, *entry);
            if (!is_ignored(*entry) && !cstr_eq(env_get(sides[i], name), env_get(others[i], name))
                && strv_find(names, name) == names->n)
                strv_add(arena, names, name);
        }
    }
}

/* The hook after which the variable had its last value: who put it there, or took it away. */
static const struct hook *last_change(const struct trip_run *run, const char *name)
{
    const struct hook *hook = NULL;
    for (size_t i = 1; i < run->shots.n; i++)
        if (run->shots.v[i].hook && run->shots.v[i].env && run->shots.v[i - 1].env
            && !cstr_eq(env_get(run->shots.v[i - 1].env, name), env_get(run->shots.v[i].env, name)))
            hook = run->shots.v[i].hook;
    return hook;
}

static const char *shortened(struct arena *arena, const char *value)
{
    enum { LONGEST = 80 };
    return strlen(value) <= LONGEST ? value : arena_printf(arena, "%.*s…", LONGEST, value);
}

/* Longer at the end of three reactivations than it was when it first changed. */
static bool grows(const struct trial *trial, const struct trip_run *run, const char *name)
{
    const char *first = NULL, *before = env_get(run->shots.v[0].env, name);
    const char *last = env_get(run->shots.v[run->shots.n - 1].env, name);
    for (size_t i = 1; i < run->shots.n && !first; i++)
        if (run->shots.v[i].hook && !cstr_eq(env_get(run->shots.v[i].env, name), before))
            first = env_get(run->shots.v[i].env, name);
    return trial->trip == TRIP_REACTIVATED && first && last && strlen(last) > strlen(first);
}

/* Whether another trip, or another value to begin with, showed the same of that variable in the same place. */
static bool is_told(const struct trial *trial, const char *file, unsigned line, const char *what, const char *text)
{
    for (size_t i = 0; i < trial->findings->n; i++) {
        const struct hook_finding *finding = &trial->findings->v[i];
        if (finding->line == line && strcmp(finding->file, file) == 0 && str_starts(str_of(finding->text), what)
            && strcmp(finding->text, text) != 0)
            return true;
    }
    return false;
}

static bool leaks(const struct trial *trial, const char *name)
{
    struct trip_run run;
    trip(trial, false, &run);
    return run.complete
        && !cstr_eq(env_get(run.shots.v[0].env, name), env_get(run.shots.v[run.shots.n - 1].env, name));
}

/* Who is to blame: whoever changed it last, unless that is ours, or nobody, and another's absence mends it. */
static const struct hook *leaker(const struct trial *trial, const struct trip_run *run, const char *name)
{
    const struct hook *last = last_change(run, name);
    const struct hook *other = last && !last->ours ? NULL : culprit(trial, leaks, name);
    return other ? other : last;
}

static void report_leak(const struct trial *trial, const struct trip_run *run, const struct hook *hook,
                        const char *name)
{
    struct arena *arena = trial->findings->arena;
    const char *before = env_get(run->shots.v[0].env, name);
    const char *after = env_get(run->shots.v[run->shots.n - 1].env, name);
    bool had_none = !before || !*before; /* as conda sees it */
    const char *verb = grows(trial, run, name) ? "grows"
                       : !after                ? "is lost"
                       : had_none              ? "is left behind"
                                               : "is changed";
    const char *what = arena_printf(arena, "%s %s when ", name, verb);
    const char *from = before ? arena_printf(arena, "from \"%s\"", shortened(arena, before)) : "from unset";
    const char *to = after ? arena_printf(arena, "to \"%s\"", shortened(arena, after)) : "to unset";
    const char *said = arena_printf(arena, "%s%s: %s %s", what, trip_names[trial->trip], from, to);
    const char *text = text_printable(arena, str_of(said));
    unsigned line = hooks_assignment_line(arena, hook, name);
    if (!is_told(trial, hook->path, line, what, text))
        hooks_found(trial->findings, hook->path, line, hook->ours, trial->shell->name, "%s", text);
}

/* Is everything as it was? If not, a second run says after which hook each variable got its last value. */
static bool try_restore(const struct trial *trial)
{
    struct trip_run run;
    struct strv names = {0};
    struct arena *arena = trial->findings->arena;
    trip(trial, false, &run);
    if (!run.complete)
        return !run.proc.timed_out;
    differences(arena, run.shots.v[0].env, run.shots.v[run.shots.n - 1].env, &names);
    if (names.n == 0)
        return true;
    trip(trial, true, &run);
    for (size_t i = 0; i < names.n && run.complete; i++) {
        const struct hook *hook = leaker(trial, &run, names.v[i]);
        if (hook)
            report_leak(trial, &run, hook, names.v[i]);
        else
            hooks_found(trial->findings, path_join(arena, trial->inventory->prefix, "etc/conda"), 0, false,
                        trial->shell->name, "%s is not as it was when %s, and no single hook does it", names.v[i],
                        trip_names[trial->trip]);
    }
    return !run.proc.timed_out;
}

/* No rc files, and nothing of this process but where its user and programs are. */
static const char *const *clean_env(struct arena *arena, const char *const *env)
{
    static const char *const kept[] = {"HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "TMPDIR", NULL};
    struct strv clean = {0};
    for (const char *const *name = kept; *name; name++)
        if (env_has(env, *name))
            strv_add(arena, &clean, arena_printf(arena, "%s=%s", *name, env_get(env, *name)));
    strv_add(arena, &clean, "TERM=dumb");
    strv_add(arena, &clean, NULL);
    return clean.v;
}

/* Whether a variable looks like a hook's own store (CONDA_BACKUP_X, _CONDA_SET_X, X_BACKUP) rather than a user's. */
static bool is_store(const struct strv *names, const char *name)
{
    if (name[0] == '_' || strstr(name, "CONDA") || strstr(name, "BACKUP"))
        return true;
    for (size_t i = 0; i < names->n; i++)
        if (strlen(names->v[i]) < strlen(name) && strstr(name, names->v[i]))
            return true;
    return false;
}

/* What users could have set of the variables that hooks change. */
static void managed_variables(const struct trial *trial, struct strv *managed)
{
    struct arena *arena = trial->findings->arena;
    struct trip_run run;
    struct strv names = {0};
    trip(trial, true, &run);
    for (size_t i = 1; i < run.shots.n; i++)
        if (run.shots.v[i].hook && run.shots.v[i].env)
            differences(arena, run.shots.v[i - 1].env, run.shots.v[i].env, &names);
    for (size_t i = 0; i < names.n; i++)
        if (!is_store(&names, names.v[i]) && strcmp(names.v[i], "PATH") != 0 && !strchr(names.v[i], '%'))
            strv_add(arena, managed, names.v[i]);
}

static const char *const *preset(struct arena *arena, const char *const *env, const struct strv *names,
                                 const char *value)
{
    for (size_t i = 0; i < names->n; i++)
        env = env_with(arena, env, names->v[i], value);
    return env;
}

static bool restore_in(struct trial *trial)
{
    struct arena *arena = trial->findings->arena;
    const char *const *env = trial->env;
    struct strv managed = {0};
    bool more = true;
    trial->trip = TRIP_PLAIN;
    managed_variables(trial, &managed);
    for (int i = 0; i < TRIP_COUNT && more; i++) {
        trial->trip = (enum trip)i;
        more = try_restore(trial);
    }
    if (managed.n == 0)
        return more;
    trial->env = preset(arena, env, &managed, "");
    trial->trip = TRIP_PLAIN;
    more = more && try_restore(trial);
    trial->env = preset(arena, env, &managed, "/users own/value");
    for (int i = TRIP_PLAIN; i <= TRIP_REACTIVATED && more; i++) {
        trial->trip = (enum trip)i;
        more = try_restore(trial);
    }
    return more;
}

static bool run_in(struct trial *trial)
{
    bool more = true;
    for (int i = 0; i < TRIP_COUNT && more; i++) {
        trial->trip = (enum trip)i;
        more = try_run(trial);
    }
    return more;
}

static bool has_hooks(struct arena *arena, const struct inventory *inventory, const char *suffix)
{
    struct hook_list hooks = {0};
    hooks_for(arena, inventory, suffix, true, &hooks);
    hooks_for(arena, inventory, suffix, false, &hooks);
    return hooks.n > 0;
}

/* Whether the shell can do a trip without any hook: an old fish does not know --no-config. */
static bool works(const struct trial *trial)
{
    struct inventory without = *trial->inventory;
    struct trial bare = *trial;
    struct trip_run run;
    without.hooks.n = 0;
    bare.inventory = &without;
    trip(&bare, false, &run);
    return is_quiet(&run);
}

/* In each shell that is here and has hooks; not in another once a hook hung. The names of the shells are returned. */
static const char *in_each_shell(const struct check_input *input, struct hook_findings *findings,
                                 bool (*function)(struct trial *trial))
{
    struct text used = {.arena = input->arena};
    const struct inventory *inventory = input->facts->inventory;
    const char *const *env = clean_env(input->arena, input->env);
    bool more = true;
    text_bytes(&used, "", 0);
    for (const struct hook_shell *shell = hook_shells; shell->name && more; shell++) {
        struct trial trial = {findings, inventory, shell, TRIP_PLAIN, env, input->deadline_ms};
        if (!has_hooks(input->arena, inventory, shell->suffix) || !proc_find(input->arena, shell->argv[0], NULL)
            || !works(&trial))
            continue;
        text_add(&used, "%s%s", used.n ? ", " : "", shell->name);
        more = function(&trial);
    }
    return used.s;
}

static const char *join(struct arena *arena, const struct strv *words)
{
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    for (size_t i = 0; i < words->n; i++)
        text_add(&text, "%s%s", i ? ", " : "", words->v[i]);
    return text.s;
}

/* Ours first, since they weigh more; then the files in their order. */
static void report(const struct check_input *input, struct result *result, const struct hook_findings *findings)
{
    const struct hook_finding *first = NULL;
    size_t counts[2] = {0};
    for (int ours = 1; ours >= 0; ours--) {
        for (size_t i = 0; i < findings->n; i++) {
            const struct hook_finding *finding = &findings->v[i];
            if (finding->ours != (bool)ours)
                continue;
            if (finding->shells.n)
                check_evidence(input, result, finding->file, finding->line, 0, "%s (%s)", finding->text,
                               join(input->arena, &finding->shells));
            else
                check_evidence(input, result, finding->file, finding->line, 0, "%s", finding->text);
            if (!first)
                first = finding;
            counts[ours]++;
        }
    }
    if (!first)
        return;
    const char *name = path_basename(first->file);
    const char *others = findings->n > 1 ? arena_printf(input->arena, "; %zu more", findings->n - 1) : "";
    if (counts[1]) {
        check_fail(input, result, "%s: %s%s", name, first->text, others);
        check_fix(input, result, "run condagpu init -p %s", input->facts->inventory->prefix);
        return;
    }
    struct owner owner = inventory_owner(input->arena, input->facts->inventory, first->file);
    if (owner.record) {
        check_warn(input, result, "%s of %s: %s%s", name, owner.record->name, first->text, others);
        check_fix(input, result, "update %s, or report it to its maintainers", owner.record->name);
    } else {
        check_warn(input, result, "%s: %s%s", name, first->text, others);
        check_fix(input, result, "correct or remove it: no package of this environment installed it");
    }
}

void check_hooks_run(const struct check_input *input, struct result *result)
{
    struct hook_findings findings = {.arena = input->arena};
    hooks_check_files(&findings, input->facts->inventory);
    if (input->facts->inventory->hooks.n == 0 && findings.n == 0) {
        check_skip(input, result, "there is no hook in this environment");
        return;
    }
    hooks_scan(&findings, input->facts->inventory);
    const char *used = in_each_shell(input, &findings, run_in);
    report(input, result, &findings);
    if (findings.n)
        return;
    if (*used)
        check_pass(input, result, "%zu hook files are well formed and run cleanly in %s",
                   input->facts->inventory->hooks.n, used);
    else
        check_skip(input, result, "the hook files are well formed, but none of the shells that could run them is here");
}

void check_hooks_restore(const struct check_input *input, struct result *result)
{
    struct hook_findings findings = {.arena = input->arena};
    const char *used = in_each_shell(input, &findings, restore_in);
    report(input, result, &findings);
    if (findings.n)
        return;
    if (*used)
        check_pass(input, result, "the environment is as before after each round trip in %s", used);
    else
        check_skip(input, result,
                   input->facts->inventory->hooks.n ? "none of the shells that could run the hooks is here"
                                                    : "there is no hook in this environment");
}
