#include <string.h>

#include "check/hooks_finding.h"
#include "check/hooks_lex.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_HOOK = 1024 * 1024 };

/* A hook that is being read. */
struct scan {
    struct arena *arena;
    struct hook_findings *findings;
    const struct inventory *inventory;
    const struct hook *hook;
    bool is_fish;
    struct shell_commands commands;
    struct strv known;           /* variables that are set, or tested, by now */
    const struct strv *assigned; /* by any hook of the prefix */
    bool evaluates;              /* some hook of the prefix assigns through eval: not every assignment is in sight */
};

static bool open_scan(struct scan *scan)
{
    struct str text;
    struct err ignored = {0};
    scan->is_fish = str_ends(str_of(scan->hook->name), ".fish");
    if ((!scan->is_fish && !str_ends(str_of(scan->hook->name), ".sh")) || !file_is_regular(scan->hook->path)
        || !file_read(scan->arena, scan->hook->path, LARGEST_HOOK, "hook", &text, &ignored))
        return false;
    shell_lex(scan->arena, text, scan->is_fish, &scan->commands);
    return true;
}

/* Each thing is said once a file, at its first line. */
#define FOUND(scan, line, ...) found((scan), (line), arena_printf((scan)->arena, __VA_ARGS__))

static void found(struct scan *scan, unsigned line, const char *text)
{
    for (size_t i = 0; i < scan->findings->n; i++)
        if (strcmp(scan->findings->v[i].file, scan->hook->path) == 0 && strcmp(scan->findings->v[i].text, text) == 0)
            return;
    hooks_found(scan->findings, scan->hook->path, line, scan->hook->ours, NULL, "%s", text);
}

static size_t name_length(struct str text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t n = 0;
    while (n < text.n && text.s[n] && strchr(letters, text.s[n]) && !(n == 0 && text.s[0] >= '0' && text.s[0] <= '9'))
        n++;
    return n;
}

/* An assignment in a word: the name, and what is assigned. */
struct assignment {
    struct str name, value;
    unsigned line;
    bool appends; /* += */
    bool removes; /* unset, set -e */
};

static bool split_assignment(struct str word, struct assignment *assignment)
{
    size_t n = name_length(word), at = n;
    if (n && at < word.n && word.s[at] == '+')
        at++;
    if (n == 0 || at >= word.n || word.s[at] != '=')
        return false;
    assignment->name = str_slice(word, 0, n);
    assignment->value = str_slice(word, at + 1, word.n);
    assignment->appends = at > n;
    return true;
}

static bool is_command(const struct shell_command *command, const char *name)
{
    return !command->is_pattern && command->words.n && str_eq_c(command->words.v[0].text, name);
}

static bool is_declaration(const struct shell_command *command)
{
    static const char *const names[] = {"export", "readonly", "declare", "typeset", "local", NULL};
    for (const char *const *name = names; *name; name++)
        if (is_command(command, *name))
            return true;
    return false;
}

struct assignments {
    VEC(struct assignment);
};

static void add_assignment(struct arena *arena, struct assignments *list, const struct shell_word *word, bool removes)
{
    struct assignment assignment = {.line = word->line, .removes = removes};
    if (!split_assignment(word->text, &assignment)) {
        size_t n = name_length(word->text);
        if (n == 0 || n != word->text.n)
            return;
        assignment.name = word->text;
        assignment.value = STR("");
    }
    *vec_add(arena, list) = assignment;
}

/* set -gx NAME VALUE, set -e NAME */
static void fish_assignments(struct arena *arena, const struct shell_command *command, struct assignments *list)
{
    bool removes = false;
    size_t i = 1;
    if (!is_command(command, "set"))
        return;
    for (; i < command->words.n && str_starts(command->words.v[i].text, "-"); i++) {
        struct str option = command->words.v[i].text;
        if (str_eq_c(option, "-q") || str_eq_c(option, "--query") || str_eq_c(option, "-S"))
            return;
        if (!str_starts(option, "--") ? str_find(option, 'q') < option.n : false)
            return;
        removes |= str_eq_c(option, "--erase") || (!str_starts(option, "--") && str_find(option, 'e') < option.n);
    }
    if (i >= command->words.n)
        return;
    struct assignment assignment = {.line = command->words.v[i].line, .removes = removes};
    assignment.name = str_slice(command->words.v[i].text, 0, name_length(command->words.v[i].text));
    assignment.value = i + 1 < command->words.n ? command->words.v[i + 1].text : STR("");
    if (assignment.name.n)
        *vec_add(arena, list) = assignment;
}

static void sh_assignments(struct arena *arena, const struct shell_command *command, struct assignments *list)
{
    struct assignment ignored;
    size_t leading = 0;
    while (leading < command->words.n && split_assignment(command->words.v[leading].text, &ignored))
        leading++;
    bool all = leading == command->words.n; /* else they hold for the command only */
    bool declares = is_declaration(command), reads = is_command(command, "read"),
         removes = is_command(command, "unset");
    for (size_t i = 0; all && i < leading; i++)
        add_assignment(arena, list, &command->words.v[i], false);
    for (size_t i = 1; (declares || reads || removes) && i < command->words.n; i++)
        add_assignment(arena, list, &command->words.v[i], removes);
    if (is_command(command, "for") && command->words.n > 1)
        add_assignment(arena, list, &command->words.v[1], false);
}

static void find_assignments(const struct scan *scan, const struct shell_command *command, struct assignments *list)
{
    if (command->is_pattern)
        return;
    if (scan->is_fish)
        fish_assignments(scan->arena, command, list);
    else
        sh_assignments(scan->arena, command, list);
}

unsigned hooks_assignment_line(struct arena *arena, const struct hook *hook, const char *name)
{
    struct scan scan = {.arena = arena, .hook = hook};
    unsigned line = 0;
    if (!open_scan(&scan))
        return 0;
    for (size_t i = 0; i < scan.commands.n; i++) {
        struct assignments list = {0};
        find_assignments(&scan, &scan.commands.v[i], &list);
        for (size_t j = 0; j < list.n; j++)
            if (str_eq_c(list.v[j].name, name) && (!list.v[j].removes || line == 0))
                line = list.v[j].line;
    }
    return line;
}

/* Commands that a file which is sourced must not hold. `anywhere`: also within a subshell. */
struct bad_command {
    const char *name;
    bool in_fish, anywhere;
    const char *text;
};
static const struct bad_command bad_commands[] = {
    {"exit", true, false, "exit ends the shell that sources the hook"},
    {"exec", true, false, "exec replaces the shell that sources the hook, or its descriptors"},
    {"alias", true, false, "an alias stays in the user's shell, and tools that take over variables (pixi) lose it"},
    {"trap", true, false, "trap changes what the user's shell does at its end"},
    {"cd", true, false, "cd changes the user's working directory"},
    {"shopt", false, false, "shopt changes the options of the user's shell, and exists in bash only"},
    {"setopt", false, false, "setopt changes the options of the user's shell, and exists in zsh only"},
    {"unsetopt", false, false, "unsetopt changes the options of the user's shell, and exists in zsh only"},
    {"[[", false, true, "[[ is not known to dash, which conda's users have as sh"},
    {"((", false, true, "((…)) is not known to dash"},
    {"source", false, true, "source is not known to dash: it is called \".\" there"},
    {"declare", false, true, "declare within conda's function makes a local variable, and dash does not know it"},
    {"typeset", false, true, "typeset within conda's function makes a local variable, and dash does not know it"},
    {"function", false, true, "the word function is not known to dash: write name() { …; }"},
    {"let", false, true, "let is not known to dash"},
    {"fish_add_path", true, true, "fish_add_path writes a universal variable, which outlives the shell"},
    {0},
};

static void check_bad_commands(struct scan *scan, const struct shell_command *command)
{
    for (const struct bad_command *bad = bad_commands; bad->name; bad++)
        if ((!scan->is_fish || bad->in_fish) && (bad->anywhere || !command->in_subshell)
            && is_command(command, bad->name))
            FOUND(scan, command->line, "%s", bad->text);
}

static void check_set(struct scan *scan, const struct shell_command *command)
{
    if (scan->is_fish || !is_command(command, "set") || command->in_subshell || command->words.n < 2)
        return;
    struct str option = command->words.v[1].text;
    if ((option.s[0] == '-' || option.s[0] == '+') && !str_eq_c(option, "--"))
        FOUND(scan, command->line, "set %.*s changes the options of the user's shell", (int)option.n, option.s);
}

/* In fish any return ends the whole activation; elsewhere a status but 0 ends a shell under set -e. */
static void check_return(struct scan *scan, const struct shell_command *command)
{
    if (!is_command(command, "return") || command->in_function || command->in_subshell)
        return;
    if (scan->is_fish) {
        FOUND(scan, command->line, "return ends the whole activation in fish: later hooks do not run");
        return;
    }
    struct str status = command->words.n > 1 ? command->words.v[1].text : STR("0");
    if (status.n && status.s[0] >= '1' && status.s[0] <= '9')
        FOUND(scan, command->line, "return %.*s ends the shell under set -e", (int)status.n, status.s);
}

static void check_output(struct scan *scan, const struct shell_command *command)
{
    static const char *const names[] = {"echo", "printf", "print", NULL};
    for (const char *const *name = names; *name; name++) {
        bool to_variable = command->words.n > 1 && str_eq_c(command->words.v[1].text, "-v");
        if (is_command(command, *name) && !command->piped && !command->redirected && !to_variable)
            FOUND(scan, command->line, "%s writes to standard output, which belongs to the user's command", *name);
    }
}

static void check_test(struct scan *scan, const struct shell_command *command)
{
    if (!is_command(command, "[") && !is_command(command, "test"))
        return;
    for (size_t i = 1; i < command->words.n; i++)
        if (str_eq_c(command->words.v[i].text, "=="))
            FOUND(scan, command->line, "== in [ is an error in dash and zsh: write =");
}

/* fish: hooks run within a function, where only -g outlives it. */
static void check_fish_set(struct scan *scan, const struct shell_command *command)
{
    bool exports = false, global = false, universal = false, local = false;
    if (!scan->is_fish || !is_command(command, "set"))
        return;
    for (size_t i = 1; i < command->words.n && str_starts(command->words.v[i].text, "-"); i++) {
        struct str option = command->words.v[i].text;
        bool is_long = str_starts(option, "--");
        exports |= is_long ? str_eq_c(option, "--export") : str_find(option, 'x') < option.n;
        global |= is_long ? str_eq_c(option, "--global") : str_find(option, 'g') < option.n;
        universal |= is_long ? str_eq_c(option, "--universal") : str_find(option, 'U') < option.n;
        local |= is_long ? str_eq_c(option, "--local") : str_find(option, 'l') < option.n;
    }
    if (universal)
        FOUND(scan, command->line, "set -U writes a universal variable, which outlives the shell");
    else if (exports && !global && !local)
        FOUND(scan, command->line, "set -x without -g is lost at the end of conda's function");
}

static const char *const cuda_homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR",
                                         "CUDADIR",   NULL};

/* The directory that a value names, with $CONDA_PREFIX put in; NULL where that is not in plain sight. */
static const char *named_directory(struct scan *scan, struct str value)
{
    static const char *const forms[] = {"${CONDA_PREFIX}", "$CONDA_PREFIX", NULL};
    bool quoted = value.n >= 2 && value.s[0] == '"' && value.s[value.n - 1] == '"';
    if (quoted)
        value = str_slice(value, 1, value.n - 1);
    for (const char *const *form = forms; *form; form++) {
        if (!str_starts(value, *form))
            continue;
        value = str_slice(value, strlen(*form), value.n);
        const char *rest = value.n && value.s[0] != '/' && value.s[0] != '"' ? NULL : shell_literal(scan->arena, value);
        return rest ? arena_printf(scan->arena, "%s%s", scan->inventory->prefix, rest) : NULL;
    }
    const char *literal = shell_literal(scan->arena, value);
    return literal && literal[0] == '/' ? literal : NULL;
}

static void check_assignment(struct scan *scan, const struct assignment *assignment, bool in_subshell)
{
    if (assignment->appends)
        FOUND(scan, assignment->line, "%.*s+=… is not known to dash", (int)assignment->name.n, assignment->name.s);
    if (!scan->is_fish && str_starts(assignment->value, "("))
        FOUND(scan, assignment->line, "arrays are not known to dash");
    if (str_eq_c(assignment->name, "PATH") && !in_subshell && !assignment->removes)
        FOUND(scan, assignment->line, "changes PATH: conda takes only its own directory out of it again");
    for (const char *const *name = cuda_homes; *name; name++) {
        const char *dir =
            str_eq_c(assignment->name, *name) && !assignment->removes ? named_directory(scan, assignment->value) : NULL;
        if (dir && !file_is_dir(dir))
            FOUND(scan, assignment->line, "sets %s to %s, which does not exist", *name, dir);
    }
}

static bool is_path_byte(char c)
{
    return c && !strchr(" \t\n\r'\"`$:;,=|&<>(){}[]*?\\", c);
}

/* The prefix above a path that is not ours: one with conda's records, or what the name alone tells. */
static const char *foreign_prefix(struct scan *scan, const char *path)
{
    static const char *const build_marks[] = {"/feedstock_root/", "_placehold", "/conda-bld/", NULL};
    for (const char *const *mark = build_marks; *mark; mark++)
        if (strstr(path, *mark))
            return path;
    if (path_below(scan->inventory->prefix, path) || path_below(scan->inventory->real, path))
        return NULL;
    const char *envs = strstr(path, "/envs/");
    if (envs && envs[6])
        return arena_memdup(scan->arena, path, (size_t)(envs - path) + 6 + strcspn(envs + 6, "/"));
    for (const char *dir = path; strcmp(dir, "/") != 0; dir = path_dirname(scan->arena, dir))
        if (file_is_dir(path_join(scan->arena, dir, "conda-meta")) && !path_below(dir, scan->inventory->real))
            return dir;
    return NULL;
}

static void check_paths(struct scan *scan, const struct shell_word *word)
{
    for (size_t i = 0; i < word->text.n; i++) {
        size_t end = i;
        if (word->text.s[i] != '/' || (i > 0 && is_path_byte(word->text.s[i - 1]) && !strchr("IL", word->text.s[i - 1]))
            || (i > 0 && strchr("}", word->text.s[i - 1])))
            continue;
        while (end < word->text.n && is_path_byte(word->text.s[end]))
            end++;
        const char *other = foreign_prefix(scan, str_dup(scan->arena, str_slice(word->text, i, end)));
        if (other)
            FOUND(scan, word->line, "names a path of another environment: %s", other);
        i = end;
    }
}

/* Set by conda before any hook, by every shell, in every login, or by conda-build. */
static const char *const always_set[] = {
    "CONDA_PREFIX",
    "CONDA_SHLVL",
    "CONDA_DEFAULT_ENV",
    "CONDA_PROMPT_MODIFIER",
    "PATH",
    "HOME",
    "PWD",
    "IFS",
    "PPID",
    "OPTIND",
    "SHELL",
    "BASH_SOURCE",
    "PREFIX",
    "BUILD_PREFIX",
    NULL,
};

static bool is_known(const struct scan *scan, const char *name)
{
    for (const char *const *known = always_set; *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    return strv_find(&scan->known, name) < scan->known.n;
}

/* A hook's own store, which only hooks can have set. */
static bool is_store_name(const char *name)
{
    static const char *const marks[] = {"BACKUP", "_OLD_", "OLD_", "_OLD", "SAVED", NULL};
    for (const char *const *mark = marks; *mark; mark++)
        if (strstr(name, *mark))
            return true;
    return false;
}

/* At the name of an expansion, which begins at `at` and is in braces or not. */
static void check_expansion(struct scan *scan, const struct shell_word *word, size_t at, bool braces)
{
    struct str rest = str_slice(word->text, at, word->text.n);
    if (braces && rest.n && rest.s[0] == '!') {
        FOUND(scan, word->line, "${!…} is not known to dash");
        return;
    }
    if (braces && rest.n > 1 && rest.s[0] == '#')
        rest = str_slice(rest, 1, rest.n);
    size_t n = name_length(rest);
    if (n == 0)
        return;
    const char *name = str_dup(scan->arena, str_slice(rest, 0, n));
    char next = n < rest.n ? rest.s[n] : '\0', after = n + 1 < rest.n ? rest.s[n + 1] : '\0';
    bool guarded = braces && (strchr("-+=?", next) || (next == ':' && strchr("-+=?", after))) && next;
    if (braces && next && (strchr("^,/[", next) || (next == ':' && !guarded)))
        FOUND(scan, word->line, "${%s%c…} is not known to dash", name, next);
    if (is_store_name(name) && !scan->evaluates && strv_find(scan->assigned, name) == scan->assigned->n)
        FOUND(scan, word->line, "reads %s, which no hook sets", name);
    if (guarded)
        strv_add(scan->arena, &scan->known, name);
    else if (!is_known(scan, name))
        FOUND(scan, word->line, "$%s is not guarded: an error under set -u when it is not set; write ${%s:-}", name,
              name);
}

/* Quotes nest anew within $(…): one state a level. */
static void check_expansions(struct scan *scan, const struct shell_word *word)
{
    enum { LEVELS = 32 };
    bool in_double[LEVELS] = {false};
    size_t level = 0;
    const struct str text = word->text;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i], next = i + 1 < text.n ? text.s[i + 1] : '\0';
        if (c == '\\')
            i++;
        else if (c == '"')
            in_double[level] = !in_double[level];
        else if (c == '\'' && !in_double[level])
            i += 1 + str_find(str_slice(text, i + 1, text.n), '\'');
        else if (c == '$' && next == '(' && level + 1 < LEVELS)
            in_double[++level] = false;
        else if (c == ')' && level > 0 && !in_double[level])
            level--;
        else if (c == '$' && next == '\'' && !in_double[level])
            FOUND(scan, word->line, "$'…' is not known to dash");
        else if (c == '$')
            check_expansion(scan, word, i + (next == '{' ? 2 : 1), next == '{');
    }
}

/* [ -v NAME ] and [[ -v NAME ]] test without reading. */
static void note_tests(struct scan *scan, const struct shell_command *command)
{
    for (size_t i = 0; i + 1 < command->words.n; i++)
        if (str_eq_c(command->words.v[i].text, "-v"))
            strv_add(scan->arena, &scan->known, str_dup(scan->arena, command->words.v[i + 1].text));
}

static void check_command(struct scan *scan, const struct shell_command *command)
{
    struct assignments list = {0};
    note_tests(scan, command);
    for (size_t i = 0; i < command->words.n; i++) {
        check_paths(scan, &command->words.v[i]);
        if (!scan->is_fish)
            check_expansions(scan, &command->words.v[i]);
    }
    find_assignments(scan, command, &list);
    for (size_t i = 0; i < list.n; i++) {
        check_assignment(scan, &list.v[i], command->in_subshell);
        if (!list.v[i].removes)
            strv_add(scan->arena, &scan->known, str_dup(scan->arena, list.v[i].name));
    }
    if (command->bash_redirection && !scan->is_fish)
        FOUND(scan, command->line, "&>, <<< and <(…) are not known to dash");
    check_bad_commands(scan, command);
    check_set(scan, command);
    check_return(scan, command);
    check_output(scan, command);
    check_test(scan, command);
    check_fish_set(scan, command);
}

/* Of one file: what is set, exported and taken away again by its end. */
struct effects {
    struct strv set, exported, removed, functions, undefined;
    bool exports_all; /* set -a */
};

static void note_function(struct arena *arena, struct effects *effects, const struct shell_command *command)
{
    struct str word = command->words.n ? command->words.v[0].text : STR("");
    if (command->words.n == 1 && str_ends(word, "()"))
        strv_add(arena, &effects->functions, str_dup(arena, str_slice(word, 0, word.n - 2)));
    if (is_command(command, "unset") && command->words.n > 2 && str_eq_c(command->words.v[1].text, "-f"))
        for (size_t i = 2; i < command->words.n; i++)
            strv_add(arena, &effects->undefined, str_dup(arena, command->words.v[i].text));
}

static void note_effects(struct scan *scan, const struct shell_command *command, struct effects *effects)
{
    struct assignments list = {0};
    bool exports = is_command(command, "export");
    note_function(scan->arena, effects, command);
    effects->exports_all |= is_command(command, "set") && command->words.n > 1
        && (str_eq_c(command->words.v[1].text, "-a") || str_eq_c(command->words.v[1].text, "allexport"));
    find_assignments(scan, command, &list);
    for (size_t i = 0; i < list.n && !command->in_subshell && !is_command(command, "local"); i++) {
        const char *name = str_dup(scan->arena, list.v[i].name);
        struct strv *to = list.v[i].removes ? &effects->removed : exports ? &effects->exported : &effects->set;
        if (list.v[i].removes && strv_find(&effects->set, name) == effects->set.n
            && strv_find(&effects->exported, name) == effects->exported.n
            && strv_find(&effects->functions, name) == effects->functions.n && name[0] != '_')
            FOUND(scan, list.v[i].line,
                  "unsets %s, which tools that take over the variables that are set (pixi) do not see", name);
        strv_add(scan->arena, to, name);
    }
}

static bool has(const struct strv *list, const char *name)
{
    return strv_find(list, name) < list->n;
}

/* pixi runs the hooks in a shell of its own and takes over what is exported in the end: the rest is lost there, and no
 * program sees it anywhere. */
static void check_capture(struct scan *scan)
{
    struct effects effects = {0};
    if (scan->is_fish || !scan->hook->activate)
        return;
    for (size_t i = 0; i < scan->commands.n; i++)
        note_effects(scan, &scan->commands.v[i], &effects);
    for (size_t i = 0; i < effects.set.n && !effects.exports_all; i++) {
        const char *name = effects.set.v[i];
        if (!has(&effects.exported, name) && !has(&effects.removed, name))
            FOUND(scan, hooks_assignment_line(scan->arena, scan->hook, name),
                  "sets %s without exporting it: no program sees it, and it stays in the shell", name);
    }
    for (size_t i = 0; i < effects.functions.n; i++)
        if (!has(&effects.undefined, effects.functions.v[i]) && !has(&effects.removed, effects.functions.v[i]))
            FOUND(scan, 0, "leaves the function %s in the shell; tools that take over variables (pixi) do not see it",
                  effects.functions.v[i]);
}

static void collect_assigned(struct arena *arena, const struct inventory *inventory, struct strv *assigned,
                             bool *evaluates)
{
    for (size_t i = 0; i < inventory->hooks.n; i++) {
        struct scan scan = {.arena = arena, .inventory = inventory, .hook = &inventory->hooks.v[i]};
        if (!open_scan(&scan))
            continue;
        for (size_t j = 0; j < scan.commands.n; j++) {
            struct assignments list = {0};
            find_assignments(&scan, &scan.commands.v[j], &list);
            for (size_t k = 0; k < list.n; k++)
                if (!list.v[k].removes)
                    strv_add(arena, assigned, str_dup(arena, list.v[k].name));
            *evaluates |= is_command(&scan.commands.v[j], "eval");
        }
    }
}

void hooks_scan(struct hook_findings *findings, const struct inventory *inventory)
{
    struct strv assigned = {0};
    bool evaluates = false;
    collect_assigned(findings->arena, inventory, &assigned, &evaluates);
    for (size_t i = 0; i < inventory->hooks.n; i++) {
        struct scan scan = {
            .arena = findings->arena,
            .findings = findings,
            .inventory = inventory,
            .hook = &inventory->hooks.v[i],
            .assigned = &assigned,
            .evaluates = evaluates,
        };
        if (scan.hook->ours || !open_scan(&scan))
            continue;
        for (size_t j = 0; j < scan.commands.n; j++)
            check_command(&scan, &scan.commands.v[j]);
        check_capture(&scan);
    }
}
