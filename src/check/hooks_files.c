#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/hooks_finding.h"
#include "prefix/env_vars.h"
#include "util/file.h"
#include "util/path.h"

/* What conda, mamba or pixi take for a hook of some shell. */
static const char *const suffixes[] = {".sh", ".fish", ".csh", ".xsh", ".ps1", ".nu", ".bat", NULL};

static const char *suffix_of(const char *name)
{
    for (const char *const *suffix = suffixes; *suffix; suffix++)
        if (str_ends(str_of(name), *suffix))
            return *suffix;
    return NULL;
}

/* conda writes the path between double quotes, unescaped, into what the shell evaluates. */
static void check_name(struct hook_findings *findings, const struct hook *hook)
{
    static const char *const dangerous = "$\"`\\\n";
    const char *bad = strpbrk(hook->name, dangerous);
    if (bad)
        hooks_found(findings, hook->path, 0, hook->ours, NULL,
                    "its name holds %s, which conda does not quote: activation breaks",
                    *bad == '\n' ? "a newline" : arena_printf(findings->arena, "a %c", *bad));
}

static void check_kind(struct hook_findings *findings, const struct hook *hook)
{
    struct stat status;
    if (lstat(hook->path, &status) != 0)
        return;
    if (S_ISLNK(status.st_mode) && stat(hook->path, &status) != 0)
        hooks_found(findings, hook->path, 0, hook->ours, NULL,
                    "is a link to a file that is not there: dash ends, other shells print an error");
    else if (S_ISDIR(status.st_mode))
        hooks_found(findings, hook->path, 0, hook->ours, NULL,
                    "is a directory with the name of a hook: conda sources it");
    else if (!S_ISREG(status.st_mode))
        hooks_found(findings, hook->path, 0, hook->ours, NULL, "is not a regular file");
    else if (access(hook->path, R_OK) != 0)
        hooks_found(findings, hook->path, 0, hook->ours, NULL, "cannot be read: %s", strerror(errno));
}

/* "activate-x.sh" and "deactivate-x.sh", "x_activate.sh" and "x_deactivate.sh" belong together like equal names. */
char *hooks_stem(struct arena *arena, const char *name)
{
    char *copy = arena_strdup(arena, name), *at = strstr(copy, "deactivate");
    if (at)
        memmove(at, at + 2, strlen(at + 2) + 1);
    return copy;
}

static bool has_partner(struct arena *arena, const struct inventory *inventory, const struct hook *hook)
{
    const char *wanted = hooks_stem(arena, hook->name);
    for (size_t i = 0; i < inventory->hooks.n; i++)
        if (inventory->hooks.v[i].activate != hook->activate
            && strcmp(hooks_stem(arena, inventory->hooks.v[i].name), wanted) == 0)
            return true;
    return false;
}

static void check_partner(struct hook_findings *findings, const struct inventory *inventory, const struct hook *hook)
{
    const char *suffix = suffix_of(hook->name);
    struct stat status;
    if (strcmp(suffix, ".sh") != 0 && strcmp(suffix, ".fish") != 0 && strcmp(suffix, ".csh") != 0)
        return; /* the others do not run here */
    if (has_partner(findings->arena, inventory, hook) || stat(hook->path, &status) != 0 || status.st_size == 0)
        return;
    hooks_found(findings, hook->path, 0, hook->ours, NULL,
                hook->activate ? "has no file in deactivate.d: nothing takes back what it sets"
                               : "has no file in activate.d: it takes back what nothing set");
}

/* conda-pack loops over *.sh: where a directory has files but no such one, the pattern itself is sourced. */
static void check_directory(struct hook_findings *findings, const struct inventory *inventory, bool activate)
{
    size_t files = 0, sh = 0;
    for (size_t i = 0; i < inventory->hooks.n; i++) {
        if (inventory->hooks.v[i].activate != activate)
            continue;
        files++;
        sh += str_ends(str_of(inventory->hooks.v[i].name), ".sh") && inventory->hooks.v[i].name[0] != '.';
    }
    const char *dir =
        path_join(findings->arena, inventory->prefix, activate ? "etc/conda/activate.d" : "etc/conda/deactivate.d");
    if (files && sh == 0)
        hooks_found(findings, dir, 0, false, NULL,
                    "holds files but no .sh: an environment packed by conda-pack cannot be activated");
}

/* conda reads etc/conda/, never etc/ itself. */
static void check_misplaced(struct hook_findings *findings, const struct inventory *inventory)
{
    static const char *const dirs[] = {"etc/activate.d", "etc/deactivate.d", NULL};
    for (const char *const *dir = dirs; *dir; dir++) {
        struct strv names = {0};
        const char *path = path_join(findings->arena, inventory->prefix, *dir);
        if (!dir_list(findings->arena, path, &names))
            continue;
        for (size_t i = 0; i < names.n; i++)
            if (suffix_of(names.v[i]))
                hooks_found(findings, path_join(findings->arena, path, names.v[i]), 0, false, NULL,
                            "is never run: hooks belong in etc/conda/%s", *dir + strlen("etc/"));
    }
}

static bool is_upper(const char *name)
{
    return strpbrk(name, "abcdefghijklmnopqrstuvwxyz") == NULL;
}

static void check_variable(struct hook_findings *findings, const struct env_var *var)
{
    const char *bad = strpbrk(var->value, "'\"$`\\\n");
    if (strcmp(var->name, "PATH") == 0)
        hooks_found(findings, var->file, 0, false, NULL,
                    "PATH is reserved: conda ignores it, other tools overwrite PATH");
    else if (strcmp(var->value, ENV_VAR_UNSET) == 0)
        hooks_found(findings, var->file, 0, false, NULL,
                    "%s: conda and pixi export the text \"" ENV_VAR_UNSET "\" in some cases; remove the entry",
                    var->name);
    else if (bad)
        hooks_found(findings, var->file, 0, false, NULL,
                    "%s: its value holds %s, which conda does not quote and shells read differently", var->name,
                    *bad == '\n' ? "a newline" : arena_printf(findings->arena, "a %c", *bad));
    if (!is_upper(var->name))
        hooks_found(findings, var->file, 0, false, NULL, "%s: conda makes the name upper case", var->name);
}

/* A variable that conda sets and a hook assigns as well: who wins depends on the tool. */
static void check_also_in_hooks(struct hook_findings *findings, const struct inventory *inventory,
                                const struct env_var *var)
{
    for (size_t i = 0; i < inventory->hooks.n; i++) {
        const struct hook *hook = &inventory->hooks.v[i];
        unsigned line = hook->activate && !hook->ours ? hooks_assignment_line(findings->arena, hook, var->name) : 0;
        if (line)
            hooks_found(findings, hook->path, line, false, NULL, "sets %s, which %s sets as well", var->name,
                        var->file);
    }
}

static void check_env_file(struct hook_findings *findings, const struct inventory *inventory, const char *path,
                           const char *member)
{
    struct err err = {0};
    struct env_vars vars = {0};
    struct strv not_strings = {0};
    if (!env_vars_file(findings->arena, path, member, &vars, &not_strings, &err)) {
        hooks_found(findings, path, err.line, false, NULL, "%s: conda cannot activate this environment", err.why);
        return;
    }
    for (size_t i = 0; i < vars.n; i++) {
        check_variable(findings, &vars.v[i]);
        check_also_in_hooks(findings, inventory, &vars.v[i]);
    }
    for (size_t i = 0; i < not_strings.n; i++)
        hooks_found(findings, path, 0, false, NULL, "%s: its value is not a string", not_strings.v[i]);
}

/* rattler refuses a state without the member; conda and mamba take it as empty. */
static void check_state(struct hook_findings *findings, const struct inventory *inventory)
{
    const char *path = path_join(findings->arena, inventory->prefix, "conda-meta/state");
    struct str text;
    struct err ignored = {0};
    if (!file_exists(path))
        return;
    check_env_file(findings, inventory, path, "env_vars");
    if (file_read(findings->arena, path, 1024 * 1024, "state", &text, &ignored)
        && !memmem(text.s, text.n, "\"env_vars\"", strlen("\"env_vars\"")))
        hooks_found(findings, path, 0, false, NULL,
                    "has no member \"env_vars\": pixi cannot activate this environment");
}

/* What no activation quotes (contract 9). `init` refuses it, but an environment may be renamed or moved. */
static void check_prefix(struct hook_findings *findings, const struct inventory *inventory)
{
    size_t at = strcspn(inventory->prefix, PREFIX_UNQUOTED);
    if (inventory->prefix[at])
        hooks_found(findings, inventory->prefix, 0, true, NULL,
                    "its path holds %s, which the activation of conda and rattler does not quote: move it",
                    inventory->prefix[at] == '\n' ? "a newline"
                                                  : arena_printf(findings->arena, "a %c", inventory->prefix[at]));
}

void hooks_check_files(struct hook_findings *findings, const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->hooks.n; i++) {
        const struct hook *hook = &inventory->hooks.v[i];
        if (!suffix_of(hook->name))
            continue;
        check_name(findings, hook);
        check_kind(findings, hook);
        check_partner(findings, inventory, hook);
    }
    if (inventory->hooks.n)
        check_prefix(findings, inventory);
    check_directory(findings, inventory, true);
    check_directory(findings, inventory, false);
    check_misplaced(findings, inventory);
    for (size_t i = 0; i < inventory->env_vars_d.n; i++)
        check_env_file(findings, inventory, inventory->env_vars_d.v[i], NULL);
    check_state(findings, inventory);
}
