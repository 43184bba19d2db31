#include "check/hooks_shell.h"

#include <string.h>
#include <unistd.h>

#include "check/hooks.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_OUTPUT = 64 * 1024 * 1024 };

/* Marks frame what is read back; a hook that prints one by chance does not exist. */
#define MARK "CONDAGPU_LOOK_7d1f3a"

const char *const trip_names[TRIP_COUNT] = {
    [TRIP_PLAIN] = "activated and deactivated",
    [TRIP_TWICE] = "activated twice, then deactivated",
    [TRIP_REACTIVATED] = "reactivated three times, then deactivated",
    [TRIP_DEACTIVATE_FIRST] = "deactivated without having been activated",
};

/* How a shell says what a trip needs. Formats take quoted words. */
struct shell_syntax {
    const char *set, *unset, *source;
    const char *begin, *end; /* conda sources hooks within a function, where the shell has such */
    void (*quote)(struct text *text, const char *word);
    void (*path_without)(struct text *text, const char *bin, const char *original_path);
};

static void quote_posix(struct text *text, const char *word)
{
    text_add(text, "'");
    for (; *word; word++)
        text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(text, "'");
}

static void quote_fish(struct text *text, const char *word)
{
    text_add(text, "'");
    for (; *word; word++)
        text_add(text, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    text_add(text, "'");
}

static void quote_csh(struct text *text, const char *word)
{
    text_add(text, "'");
    for (; *word; word++)
        if (*word == '\'')
            text_add(text, "'\\''");
        else
            text_add(text, *word == '!' || *word == '\n' ? "\\%c" : "%c", *word);
    text_add(text, "'");
}

/* conda takes its own directory out of whatever PATH then is. */
static void path_without_posix(struct text *text, const char *bin, const char *original_path)
{
    struct text element = {.arena = text->arena};
    (void)original_path;
    quote_posix(&element, arena_printf(text->arena, "%s:", bin));
    text_add(text, "case $PATH in\n*%s*) PATH=${PATH%%%%%s*}${PATH#*%s}; export PATH ;;\nesac\n", element.s, element.s,
             element.s);
}

static void path_without_fish(struct text *text, const char *bin, const char *original_path)
{
    (void)original_path;
    text_add(text, "if contains -- ");
    quote_fish(text, bin);
    text_add(text, " $PATH\nset -e PATH[(contains -i -- ");
    quote_fish(text, bin);
    text_add(text, " $PATH)]\nend\n");
}

/* csh has no means for it without a process. */
static void path_without_csh(struct text *text, const char *bin, const char *original_path)
{
    (void)bin;
    text_add(text, "setenv PATH ");
    quote_csh(text, original_path);
    text_add(text, "\n");
}

static const struct shell_syntax posix = {
    "export %s=%s\n",
    "unset %s\n",
    ". %s\n",
    "condagpu_trip() {\n:\n",
    "}\ncondagpu_trip\nunset -f condagpu_trip\n",
    quote_posix,
    path_without_posix,
};
static const struct shell_syntax fish = {
    "set -gx %s %s\n",
    "set -eg %s\n",
    "source %s\n",
    "function condagpu_trip\n",
    "end\ncondagpu_trip\nfunctions -e condagpu_trip\n",
    quote_fish,
    path_without_fish,
};
static const struct shell_syntax csh = {
    "setenv %s %s\n", "unsetenv %s\n", "source %s\n", "", "", quote_csh, path_without_csh,
};

const struct hook_shell hook_shells[] = {
    {"bash", {"bash", "--norc", "--noprofile", "-c"}, ".sh", &posix},
    {"bash -euf -o pipefail", {"bash", "--norc", "--noprofile", "-euf", "-o", "pipefail", "-c"}, ".sh", &posix},
    {"dash", {"dash", "-c"}, ".sh", &posix},
    {"zsh", {"zsh", "-f", "-c"}, ".sh", &posix},
    {"fish", {"fish", "--no-config", "-c"}, ".fish", &fish},
    {"tcsh", {"tcsh", "-f", "-c"}, ".csh", &csh},
    {0},
};

static const struct hook_shell activating_shells[] = {
    {"bash", {"bash", "--norc", "--noprofile", "-c"}, ".sh", &posix},
    {"sh", {"sh", "-c"}, ".sh", &posix},
    {0},
};

void hooks_for(struct arena *arena, const struct inventory *inventory, const char *suffix, bool activate,
               struct hook_list *hooks)
{
    for (size_t n = 0; n < inventory->hooks.n; n++) {
        const struct hook *hook = &inventory->hooks.v[activate ? n : inventory->hooks.n - 1 - n];
        if (hook->activate == activate && str_ends(str_of(hook->name), suffix) && file_is_regular(hook->path)
            && access(hook->path, R_OK) == 0)
            *vec_add(arena, hooks) = hook;
    }
}

/* A script that is being written, and what stands between its looks. */
struct script {
    struct arena *arena;
    const struct inventory *inventory;
    const struct hook_shell *shell;
    const char *env_program;
    const char *path; /* PATH before activation */
    struct env_vars vars;
    bool traced;
    struct text text;
    struct hook_list looks; /* the hook before each look, or NULL */
};

static void add_mark(struct script *script, const char *edge, const char *redirection)
{
    script->shell->syntax->quote(&script->text, script->env_program);
    text_add(&script->text, " -i -0 " MARK "=%s%zu%s\n", edge, script->looks.n, redirection);
}

static void add_look(struct script *script, const struct hook *hook)
{
    add_mark(script, "begin", " > /dev/stderr");
    add_mark(script, "begin", "");
    script->shell->syntax->quote(&script->text, script->env_program);
    text_add(&script->text, " -0\n");
    add_mark(script, "end", "");
    *vec_add(script->arena, &script->looks) = hook;
}

static void add_set(struct script *script, const char *name, const char *value)
{
    struct text quoted = {.arena = script->arena};
    script->shell->syntax->quote(&quoted, value);
    text_add(&script->text, script->shell->syntax->set, name, quoted.s);
}

static void add_unset(struct script *script, const char *name)
{
    text_add(&script->text, script->shell->syntax->unset, name);
}

static void add_hooks(struct script *script, bool activate)
{
    struct hook_list hooks = {0};
    hooks_for(script->arena, script->inventory, script->shell->suffix, activate, &hooks);
    for (size_t i = 0; i < hooks.n; i++) {
        struct text quoted = {.arena = script->arena};
        script->shell->syntax->quote(&quoted, hooks.v[i]->path);
        text_add(&script->text, script->shell->syntax->source, quoted.s);
        if (script->traced)
            add_look(script, hooks.v[i]);
    }
}

static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *name && !(*name >= '0' && *name <= '9') && name[strspn(name, letters)] == '\0';
}

/* conda's own variables for these would be names that no shell can set; it never sets PATH from them. */
static bool is_set_by_conda(const struct env_var *var)
{
    return is_name(var->name) && strcmp(var->name, "PATH") != 0 && strcmp(var->value, ENV_VAR_UNSET) != 0;
}

/* conda/activate.py, build_activate: PATH, conda's own variables, the environment's, then activate.d. */
static void add_exports(struct script *script, const char *path, const char *level)
{
    const char *prefix = script->inventory->prefix;
    add_set(script, "PATH", path);
    add_set(script, "CONDA_PREFIX", prefix);
    add_set(script, "CONDA_SHLVL", level);
    add_set(script, "CONDA_DEFAULT_ENV", path_basename(prefix));
    add_set(script, "CONDA_PROMPT_MODIFIER", arena_printf(script->arena, "(%s) ", path_basename(prefix)));
    for (size_t i = 0; i < script->vars.n; i++)
        if (is_set_by_conda(&script->vars.v[i]))
            add_set(script, script->vars.v[i].name, script->vars.v[i].value);
}

static void begin(struct script *script)
{
    text_add(&script->text, "%s", script->shell->syntax->begin);
}

static void end(struct script *script)
{
    text_add(&script->text, "%s", script->shell->syntax->end);
}

/* What conda itself changed is not the next hook's doing. */
static void add_neutral_look(struct script *script)
{
    if (script->traced)
        add_look(script, NULL);
}

static void add_activation(struct script *script, bool with_hooks)
{
    const char *bin = path_join(script->arena, script->inventory->prefix, "bin");
    begin(script);
    add_exports(script, arena_printf(script->arena, "%s:%s", bin, script->path), "1");
    add_neutral_look(script);
    if (with_hooks)
        add_hooks(script, true);
    end(script);
}

static void add_hooks_again(struct script *script, bool deactivate)
{
    begin(script);
    add_neutral_look(script);
    if (deactivate)
        add_hooks(script, false);
    add_hooks(script, true);
    end(script);
}

/* build_deactivate: PATH first, then deactivate.d with everything else still set, then the rest is taken back. */
static void add_deactivation(struct script *script)
{
    const char *bin = path_join(script->arena, script->inventory->prefix, "bin");
    begin(script);
    script->shell->syntax->path_without(&script->text, bin, script->path);
    add_neutral_look(script);
    add_hooks(script, false);
    add_unset(script, "CONDA_PREFIX");
    add_unset(script, "CONDA_DEFAULT_ENV");
    add_unset(script, "CONDA_PROMPT_MODIFIER");
    add_set(script, "CONDA_SHLVL", "0");
    for (size_t i = 0; i < script->vars.n; i++)
        if (is_set_by_conda(&script->vars.v[i]))
            add_unset(script, script->vars.v[i].name);
    end(script);
}

/* Cuts what stands before the mark off *rest; false when the mark is not there. */
static bool cut_mark(struct arena *arena, struct str *rest, const char *edge, size_t number, struct str *before)
{
    const char *mark = arena_printf(arena, MARK "=%s%zu", edge, number);
    const char *found = memmem(rest->s, rest->n, mark, strlen(mark) + 1); /* with its NUL */
    *before = (struct str){rest->s, found ? (size_t)(found - rest->s) : rest->n};
    if (found)
        *rest = str_slice(*rest, before->n + strlen(mark) + 1, rest->n);
    return found != NULL;
}

static void read_shots(struct script *script, struct trip_run *run)
{
    struct str out = run->proc.out, err = run->proc.err;
    for (size_t i = 0; i < script->looks.n; i++) {
        struct shot shot = {.hook = script->looks.v[i]};
        struct str block;
        bool reached = cut_mark(script->arena, &err, "begin", i, &shot.err)
                       && cut_mark(script->arena, &out, "begin", i, &shot.out)
                       && cut_mark(script->arena, &out, "end", i, &block);
        if (!reached) {
            run->stopped = script->looks.v[i];
            if (shot.out.s == NULL)
                shot.out = out;
            *vec_add(script->arena, &run->shots) = shot;
            return;
        }
        shot.env = env_from_block(script->arena, block);
        *vec_add(script->arena, &run->shots) = shot;
    }
    run->rest_out = out;
    run->rest_err = err;
    run->complete = run->proc.status == 0;
}

static bool start_script(struct script *script, struct arena *arena, const struct inventory *inventory,
                         const struct hook_shell *shell, const char *const *env, bool traced)
{
    struct err ignored = {0};
    const char *path = env_get(env, "PATH");
    *script = (struct script){.arena = arena, .inventory = inventory, .shell = shell, .traced = traced};
    script->text.arena = arena;
    script->path = path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
    script->env_program = proc_find(arena, "env", script->path);
    if (!script->env_program)
        script->env_program = proc_find(arena, "env", "/usr/bin:/bin");
    /* Where conda could not read these, it could not activate; the file check says so. */
    if (!inventory_env_vars(arena, inventory, &script->vars, &ignored))
        script->vars = (struct env_vars){0};
    return script->env_program != NULL;
}

static void run_script(struct script *script, const char *const *env, unsigned deadline_ms, struct trip_run *run)
{
    const char *argv[10] = {0};
    size_t n = 0;
    for (; script->shell->argv[n]; n++)
        argv[n] = script->shell->argv[n];
    argv[n] = script->text.s;
    proc_run(script->arena, argv, env, NULL, deadline_ms, LARGEST_OUTPUT, &run->proc);
    read_shots(script, run);
}

void hooks_trip(struct arena *arena, const struct inventory *inventory, const struct hook_shell *shell, enum trip trip,
                const char *const *env, bool traced, unsigned deadline_ms, struct trip_run *run)
{
    struct script script;
    *run = (struct trip_run){0};
    if (!start_script(&script, arena, inventory, shell, env, traced))
        return;
    add_set(&script, "CONDA_SHLVL", "0");
    add_look(&script, NULL);
    add_activation(&script, trip != TRIP_DEACTIVATE_FIRST);
    if (trip == TRIP_TWICE)
        add_hooks_again(&script, false);
    for (int i = 0; trip == TRIP_REACTIVATED && i < 3; i++)
        add_hooks_again(&script, true);
    add_deactivation(&script);
    add_look(&script, NULL);
    text_add(&script.text, "exit 0\n");
    run_script(&script, env, deadline_ms, run);
}

/* conda's order: what it replaces goes, the environment's bin comes first. */
static const char *activated_path(struct arena *arena, const char *path, const char *bin, const char *old_bin)
{
    struct text text = {.arena = arena};
    struct str rest = str_of(path), element;
    text_add(&text, "%s", bin);
    while (str_cut(&rest, ':', &element))
        if (!str_eq_c(element, bin) && !(old_bin && str_eq_c(element, old_bin)))
            text_add(&text, ":%.*s", (int)element.n, element.s);
    return text.s;
}

static bool same_prefix(struct arena *arena, const struct inventory *inventory, const char *active)
{
    const char *real = active && *active ? path_real(arena, active) : NULL;
    return real && strcmp(real, inventory->real) == 0;
}

static void add_real_activation(struct script *script, const char *const *env)
{
    struct arena *arena = script->arena;
    const char *active = env_get(env, "CONDA_PREFIX"), *level = env_get(env, "CONDA_SHLVL");
    const char *bin = path_join(arena, script->inventory->prefix, "bin");
    bool again = same_prefix(arena, script->inventory, active);
    const char *old_bin = active && *active ? path_join(arena, active, "bin") : NULL;
    begin(script);
    if (again)
        add_hooks(script, false);
    add_exports(script, activated_path(arena, script->path, bin, old_bin), again && level && *level ? level : "1");
    add_neutral_look(script);
    add_hooks(script, true);
    end(script);
    add_look(script, NULL);
    text_add(&script->text, "exit 0\n");
}

static const char *describe_failure(struct arena *arena, const struct hook_shell *shell, const struct trip_run *run)
{
    const char *where = run->stopped ? arena_printf(arena, " in %s", run->stopped->path) : "";
    if (!run->proc.started)
        return arena_printf(arena, "%s could not be started: %s", shell->name, strerror(run->proc.errnum));
    if (run->proc.timed_out)
        return arena_printf(arena, "the hooks did not end in time%s", where);
    return arena_printf(arena, "a hook ended the shell with status %d%s", run->proc.status, where);
}

const char *const *hooks_activated_env(struct arena *arena, const struct inventory *inventory, const char *const *env,
                                       unsigned deadline_ms, const char **problem)
{
    /* A shell that is given a script still reads the file that these name. */
    const char *const *quiet = env_with(arena, env_with(arena, env, "BASH_ENV", NULL), "ENV", NULL);
    const struct hook_shell *shell = activating_shells;
    while (shell->name && !proc_find(arena, shell->argv[0], NULL))
        shell++;
    *problem = "there is no shell: neither bash nor sh is on PATH";
    if (!shell->name)
        return NULL;
    struct trip_run run = {0};
    for (int traced = 0; traced < 2; traced++) {
        struct script script;
        run = (struct trip_run){0};
        *problem = "there is no program env on PATH";
        if (!start_script(&script, arena, inventory, shell, quiet, traced))
            return NULL;
        add_real_activation(&script, env);
        run_script(&script, quiet, deadline_ms, &run);
        if (run.complete)
            break;
    }
    if (!run.complete) {
        *problem = describe_failure(arena, shell, &run);
        return NULL;
    }
    *problem = NULL;
    const char *const *result = env_with(arena, run.shots.v[run.shots.n - 1].env, "_", NULL);
    static const char *const kept[] = {"BASH_ENV", "ENV", "SHLVL", NULL};
    for (const char *const *name = kept; *name; name++)
        result = env_with(arena, result, *name, env_get(env, *name));
    return result;
}
