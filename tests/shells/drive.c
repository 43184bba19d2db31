/* The conformance driver of the hooks. It plays conda (the order of facts that conda's activator emits: deactivate
 * scripts, then the variables, then activate scripts; PATH first on deactivate), dumps the environment after each step
 * and holds it against a model.
 *
 *   drive [-t HOOKS] [-k SCENARIO] [-e N] matrix SUBJECT SCRATCH
 *   drive [-s SEED] [-n COUNT] random SUBJECT SCRATCH
 * matrix: every scenario from every initial state; -k: only that one; -e: only every Nth cell. -t takes hand-written
 * hooks, activate.<ext> and deactivate.<ext>, instead of ours, of which only the end of each cell counts.
 * random: COUNT random sequences of steps, with random plans and values; the same seed gives the same sequences.
 * Status 0: every cell as the model says; 1: some are not; 77: the shell is not installed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dialect.h"
#include "model.h"
#include "render/render.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

enum { STEP_LIMIT = 40, POOL_LIMIT = 64, ENVIRONMENTS = 3, SHOWN_LIMIT = 6, LEVEL_LIMIT = 16 };
enum { DUMP_LIMIT = 1 << 20, DEADLINE_MS = 300000, SKIPPED = 77 };

enum step_kind {
    STEP_ACTIVATE,     /* conda activate E */
    STEP_STACK,        /* conda activate --stack E */
    STEP_DEACTIVATE,   /* conda deactivate */
    STEP_NO_PREFIX,    /* the same, but CONDA_PREFIX is gone before deactivate.d runs, as rattler does */
    STEP_RAW_ACTIVATE, /* activate.d of E, and nothing else */
    STEP_RAW_DEACTIVATE,
    STEP_MOVE,  /* the active environment's prefix gets another name */
    STEP_SET,   /* the user: V=T_n */
    STEP_FRONT, /* V=T_n:V */
    STEP_BACK,  /* V=V:T_n */
    STEP_UNSET,
};

struct step {
    enum step_kind kind;
    unsigned environment; /* for STEP_MOVE: the pool's number of the new prefix */
    const char *name;     /* of the variable */
    unsigned pool;
};

struct scenario {
    const char *name;
    struct step steps[STEP_LIMIT]; /* up to `count` */
    unsigned count;
};

/* What a dump must show. */
struct expectation {
    const char *scenario, *state;
    size_t step;
    const char *values[VARIABLE_LIMIT], *marks[VARIABLE_LIMIT];
    bool first, last; /* of its cell */
};

struct run {
    struct arena *arena;
    const struct subject *subject;
    const char *scratch, *hooks; /* hooks: the directory of hand-written ones, or NULL */
    const char *only;            /* scenario, or NULL */
    size_t every;
    uint64_t random;
    struct plan plans[2];
    struct strv pool; /* T_0, … */
    struct strv names;
    struct text script;
    struct {
        VEC(struct expectation);
    } expected;
    size_t in_script, cells, dumps, failed, shown;
};

/* ---- One cell: the script and what it must give. */

struct level {
    unsigned environment;
};

struct cell {
    struct run *run;
    struct model model;
    struct environment environments[ENVIRONMENTS];
    unsigned prefixes[ENVIRONMENTS]; /* numbers in the pool */
    struct level levels[LEVEL_LIMIT];
    size_t depth;
    const char *scenario, *state;
    size_t step;
};

static unsigned pool_add(struct run *run, const char *value)
{
    size_t found = strv_find(&run->pool, value);
    if (found == run->pool.n)
        strv_add(run->arena, &run->pool, value);
    return (unsigned)found;
}

/* The name of a variable's mark: 32-bit FNV-1a of its name. */
static const char *mark_name(const struct run *run, const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return arena_printf(run->arena, "_CONDAGPU_%08x", (unsigned)hash);
}

static void emit_dump(struct cell *cell, bool first, bool last)
{
    struct run *run = cell->run;
    const char *path = arena_printf(run->arena, "%s/%zu", run->scratch, run->expected.n);
    struct expectation *expected = vec_add(run->arena, &run->expected);
    *expected = (struct expectation){
        .scenario = cell->scenario, .state = cell->state, .step = cell->step, .first = first, .last = last};
    memcpy(expected->values, cell->model.now, sizeof expected->values);
    memcpy(expected->marks, cell->model.mark, sizeof expected->marks);
    if ((first || last) && run->subject->listing)
        text_add(&run->script, run->subject->listing, arena_printf(run->arena, "%s.list", path));
    text_add(&run->script, run->subject->dialect->dump, path);
}

static void emit_source(struct cell *cell, unsigned environment, bool activate)
{
    struct run *run = cell->run;
    const char *suffix = run->subject->dialect->suffix, *verb = activate ? "activate" : "deactivate";
    const char *path = run->hooks ? arena_printf(run->arena, "%s/%s%s", run->hooks, verb, suffix)
                                  : arena_printf(run->arena, "%s/%s-%u%s", run->scratch, verb, environment, suffix);
    text_add(&run->script, run->subject->dialect->source, path);
    if (activate)
        model_activate(&cell->model, &cell->environments[environment]);
    else
        model_deactivate(&cell->model, cell->environments[environment].id);
}

static void emit_prefix(struct cell *cell, unsigned environment)
{
    const struct dialect *dialect = cell->run->subject->dialect;
    text_add(&cell->run->script, dialect->set, "CONDA_PREFIX", cell->prefixes[environment]);
    text_add(&cell->run->script, dialect->set, "CONDA_SHLVL",
             pool_add(cell->run, arena_printf(cell->run->arena, "%zu", cell->depth)));
}

static void play_activate(struct cell *cell, unsigned environment, bool stack)
{
    bool same = cell->depth && cell->levels[cell->depth - 1].environment == environment;
    if (cell->depth && !stack)
        emit_source(cell, cell->levels[cell->depth - 1].environment, false);
    if (!same || stack)
        cell->levels[cell->depth++].environment = environment;
    emit_prefix(cell, environment);
    emit_source(cell, environment, true);
}

/* CONDA_PREFIX as conda leaves it: the next environment's, or empty. */
static void emit_next_prefix(struct cell *cell)
{
    const struct dialect *dialect = cell->run->subject->dialect;
    if (cell->depth)
        emit_prefix(cell, cell->levels[cell->depth - 1].environment);
    else
        text_add(&cell->run->script, dialect->set, "CONDA_PREFIX", pool_add(cell->run, ""));
}

static void play_deactivate(struct cell *cell, bool prefix_first)
{
    if (cell->depth == 0)
        return;
    unsigned left = cell->levels[--cell->depth].environment;
    if (prefix_first)
        text_add(&cell->run->script, cell->run->subject->dialect->unset, "CONDA_PREFIX");
    emit_source(cell, left, false);
    emit_next_prefix(cell);
    if (cell->depth)
        emit_source(cell, cell->levels[cell->depth - 1].environment, true);
}

static void play_move(struct cell *cell, unsigned prefix)
{
    if (cell->depth == 0)
        return;
    unsigned environment = cell->levels[cell->depth - 1].environment;
    cell->prefixes[environment] = prefix;
    cell->environments[environment].prefix = cell->run->pool.v[prefix];
    emit_prefix(cell, environment);
}

static void play_edit(struct cell *cell, const struct step *step)
{
    struct run *run = cell->run;
    const struct dialect *dialect = run->subject->dialect;
    const char *const formats[] = {
        [STEP_SET] = dialect->set, [STEP_FRONT] = dialect->front, [STEP_BACK] = dialect->back};
    const char **now = &cell->model.now[model_variable(&cell->model, step->name)];
    const char *value = run->pool.v[step->pool], *old = *now ? *now : "";
    if (step->kind == STEP_UNSET) {
        text_add(&run->script, dialect->unset, step->name);
        *now = NULL;
        return;
    }
    text_add(&run->script, formats[step->kind], step->name, step->pool);
    *now = step->kind == STEP_SET     ? value
           : step->kind == STEP_FRONT ? arena_printf(run->arena, "%s:%s", value, old)
                                      : arena_printf(run->arena, "%s:%s", old, value);
}

static void play(struct cell *cell, const struct step *step)
{
    switch (step->kind) {
    case STEP_ACTIVATE:
    case STEP_STACK:
        play_activate(cell, step->environment, step->kind == STEP_STACK);
        break;
    case STEP_DEACTIVATE:
    case STEP_NO_PREFIX:
        play_deactivate(cell, step->kind == STEP_NO_PREFIX);
        break;
    case STEP_RAW_ACTIVATE:
        emit_prefix(cell, step->environment);
        emit_source(cell, step->environment, true);
        break;
    case STEP_RAW_DEACTIVATE:
        emit_source(cell, step->environment, false);
        break;
    case STEP_MOVE:
        play_move(cell, step->environment);
        break;
    case STEP_SET:
    case STEP_FRONT:
    case STEP_BACK:
    case STEP_UNSET:
        play_edit(cell, step);
        break;
    }
}

/* ---- The plans' hooks. */

static void add_op(struct run *run, unsigned plan, enum op_kind kind, const char *name, const char *value,
                   const char *lead)
{
    *vec_add(run->arena, &run->plans[plan].ops) =
        (struct op){.kind = kind, .name = name, .value = value, .lead = lead, .why = "a test", .rule = "test"};
    if (strv_find(&run->names, name) == run->names.n)
        strv_add(run->arena, &run->names, name);
}

static void die(const char *what, const struct err *err)
{
    char line[2048] = "";
    if (err)
        err_format(err, line, sizeof line);
    fprintf(stderr, "drive: %s: %s\n", what, line);
    exit(99);
}

static void write_hooks(struct run *run)
{
    const struct shell *shell = shells;
    struct err err;
    struct str text;
    while (strcmp(shell->suffix, run->subject->dialect->suffix) != 0)
        shell++;
    for (unsigned e = 0; e < ENVIRONMENTS; e++)
        for (int activate = 0; activate < 2; activate++) {
            struct render_input input = {
                .plan = &run->plans[e % 2], .id = e % 2 ? "bbbbbbbb" : "aaaaaaaa", .version = "0", .inputs = "a test"};
            const char *path = arena_printf(run->arena, "%s/%s-%u%s", run->scratch,
                                            activate ? "activate" : "deactivate", e, shell->suffix);
            if (!render_hook(run->arena, shell, activate, &input, &text, &err)
                || !file_write_atomic(path, text, 0644, &err))
                die("hooks", &err);
        }
}

/* ---- Running the script, and comparing. */

/* conda's variables, which the driver itself sets, and what shells change by themselves. */
static bool is_condas(const char *entry)
{
    static const char *const names[] = {"CONDA_PREFIX=", "CONDA_SHLVL=", "_=", "LINENO=", "BASH_COMMAND="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static const char *const *read_dump(const struct run *run, size_t n)
{
    struct str block;
    struct err err;
    const char *path = arena_printf(run->arena, "%s/%zu", run->scratch, n);
    if (!file_read(run->arena, path, DUMP_LIMIT, "dump", &block, &err))
        return NULL;
    return env_from_block(run->arena, block);
}

static const char *shown(const struct run *run, const char *value)
{
    return value ? arena_printf(run->arena, "\"%s\"", text_printable(run->arena, str_of(value))) : "unset";
}

static bool complain(struct run *run, const struct expectation *expected, const char *what, const char *got,
                     const char *wanted)
{
    if (run->shown++ < SHOWN_LIMIT)
        printf("# %s: %s from %s, after step %zu: %s is %s, not %s\n", run->subject->name, expected->scenario,
               expected->state, expected->step, what, shown(run, got), shown(run, wanted));
    return false;
}

static bool compare_values(struct run *run, const struct expectation *expected, const char *const *env)
{
    for (size_t i = 0; i < run->names.n; i++) {
        const char *got = env_get(env, run->names.v[i]), *mark = env_get(env, mark_name(run, run->names.v[i]));
        if (!cstr_eq(got, expected->values[i]))
            return complain(run, expected, run->names.v[i], got, expected->values[i]);
        if (!cstr_eq(mark ? mark : "", expected->marks[i]))
            return complain(run, expected, mark_name(run, run->names.v[i]), mark, expected->marks[i]);
    }
    return true;
}

/* A variable that compare_values() looks at. */
static bool is_managed(const struct run *run, const char *entry)
{
    if (strncmp(entry, "_CONDAGPU_", 10) == 0 && strchr(entry, '=') == entry + 18)
        return true;
    for (size_t i = 0; i < run->names.n; i++) {
        size_t length = strlen(run->names.v[i]);
        if (strncmp(entry, run->names.v[i], length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

/* Every variable of `left` is in `right` with the same value, but for conda's and the managed. */
static bool compare_rest(struct run *run, const struct expectation *expected, const char *const *left,
                         const char *const *right, const char *what)
{
    for (; *left; left++) {
        if (is_condas(*left) || is_managed(run, *left))
            continue;
        const char *name = str_dup(run->arena, str_slice(str_of(*left), 0, str_find(str_of(*left), '=')));
        const char *value = env_get(right, name);
        if (!cstr_eq(value, *left + strlen(name) + 1))
            return complain(run, expected, arena_printf(run->arena, "%s (%s)", name, what), value,
                            *left + strlen(name) + 1);
    }
    return true;
}

/* Lines that change by themselves, and what the driver itself sets. */
static bool is_volatile(struct str line)
{
    static const char *const names[] = {"RANDOM",     "SECONDS",      "LINENO",     "EPOCHREALTIME",
                                        "pipestatus", "CONDA_PREFIX", "CONDA_SHLVL"};
    static const char *const starts[] = {"_=", "_\t", "BASH_", "PIPESTATUS", "OPTIND", "status", "argv"};
    const char *text = line.s;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memmem(text, line.n, names[i], strlen(names[i])))
            return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(line, starts[i]))
            return true;
    return str_eq_c(line, "_");
}

static struct strv read_listing(struct run *run, size_t n)
{
    struct strv lines = {0};
    struct str content, line;
    struct err err;
    const char *path = arena_printf(run->arena, "%s/%zu.list", run->scratch, n);
    if (!file_read(run->arena, path, DUMP_LIMIT, "listing", &content, &err))
        return lines;
    while (str_cut(&content, '\n', &line))
        if (!is_volatile(line))
            strv_add(run->arena, &lines, str_dup(run->arena, line));
    strv_sort(&lines);
    return lines;
}

/* The managed variables may differ where the user changed them. */
static bool compare_listings(struct run *run, const struct expectation *expected, size_t before, size_t after)
{
    struct strv left = read_listing(run, before), right = read_listing(run, after);
    if (!run->subject->listing)
        return true;
    if (left.n == 0)
        return complain(run, expected, "the shell's listing", "", "a text");
    for (size_t i = 0; i < right.n; i++) {
        bool managed = false;
        for (size_t n = 0; n < run->names.n; n++)
            managed = managed || strstr(right.v[i], run->names.v[n])
                      || (*expected->marks[n] && strstr(right.v[i], mark_name(run, run->names.v[n])));
        if (!managed && strv_find(&left, right.v[i]) == left.n)
            return complain(run, expected, "the shell's listing", right.v[i], NULL);
    }
    return true;
}

static bool compare_ends(struct run *run, size_t before, size_t after)
{
    const char *const *left = read_dump(run, before), *const *right = read_dump(run, after);
    const struct expectation *expected = &run->expected.v[after];
    return left && right && compare_rest(run, expected, left, right, "lost")
           && compare_rest(run, expected, right, left, "left behind") && compare_listings(run, expected, before, after);
}

static void compare_all(struct run *run)
{
    size_t before = 0;
    bool right = true;
    for (size_t i = 0; i < run->expected.n; i++) {
        const struct expectation *expected = &run->expected.v[i];
        if (expected->first) {
            before = i;
            right = true;
        }
        const char *const *env = read_dump(run, i);
        if (right && (!run->hooks || expected->last))
            right = env ? compare_values(run, expected, env) : complain(run, expected, "the dump", NULL, "a file");
        if (expected->last && right)
            right = compare_ends(run, before, i);
        if (expected->last && !right)
            run->failed++;
    }
}

static const char *const *make_environment(struct run *run)
{
    static const char *const kept[] = {"PATH", "LANG", "LC_ALL", "ASAN_OPTIONS", NULL};
    static const char *const none[] = {NULL};
    const char *const *env = none;
    for (size_t i = 0; kept[i]; i++)
        env = env_with(run->arena, env, kept[i], getenv(kept[i]));
    env = env_with(run->arena, env, "HOME", run->scratch);
    for (size_t i = 0; i < run->pool.n; i++)
        env = env_with(run->arena, env, arena_printf(run->arena, "T_%zu", i), run->pool.v[i]);
    return env;
}

static void execute(struct run *run)
{
    const char *path = arena_printf(run->arena, "%s/script", run->scratch);
    const char *argv[16] = {NULL};
    struct err err;
    struct proc result;
    size_t n = 0;
    for (; run->subject->argv[n]; n++)
        argv[n] = run->subject->argv[n];
    argv[n] = path;
    if (!file_write_atomic(path, text_str(&run->script), 0644, &err))
        die("script", &err);
    proc_run(run->arena, argv, make_environment(run), run->scratch, DEADLINE_MS, DUMP_LIMIT, &result);
    if (!result.started)
        exit(SKIPPED);
    if (result.out.n || result.err.n || result.status) {
        printf("# %s: status %d, output \"%.400s\", errors \"%.400s\"\n", run->subject->name, result.status,
               text_printable(run->arena, result.out), text_printable(run->arena, result.err));
        run->failed++;
    }
}

/* Runs what has been gathered, and starts anew. */
static void run_script(struct run *run)
{
    if (run->in_script) {
        execute(run);
        compare_all(run);
    }
    run->dumps += run->expected.n;
    run->in_script = 0;
    run->expected.n = 0;
    run->script = (struct text){.arena = run->arena};
    text_add(&run->script, "%s", run->subject->dialect->prologue);
}

/* Of a scenario in conda's order the model itself must say that no mark stays, and without an edit by the user that
 * every variable comes back. */
static void check_model(const struct cell *cell, const struct scenario *scenario, const char *const *initial)
{
    bool edited = false;
    for (unsigned i = 0; i < scenario->count; i++)
        edited = edited || scenario->steps[i].kind >= STEP_SET;
    for (size_t i = 0; i < cell->model.names.n; i++) {
        bool back = edited || cstr_eq(cell->model.now[i], initial[i]);
        if (!back || *cell->model.mark[i])
            die(arena_printf(cell->run->arena, "the model leaves %s behind in \"%s\"", cell->model.names.v[i],
                             scenario->name),
                NULL);
    }
}

/* Variables start as `initial` says, NULL for unset; conda's own are gone at both ends. */
static void play_cell(struct run *run, const struct scenario *scenario, const char *state, const char *const *initial)
{
    struct cell cell = {.run = run, .scenario = scenario->name, .state = state, .step = 0};
    const struct dialect *dialect = run->subject->dialect;
    cell.model.arena = run->arena;
    for (size_t i = 0; i < run->names.n; i++) {
        cell.model.now[model_variable(&cell.model, run->names.v[i])] = initial[i];
        if (initial[i])
            text_add(&run->script, dialect->set, run->names.v[i], pool_add(run, initial[i]));
        else
            text_add(&run->script, dialect->unset, run->names.v[i]);
        text_add(&run->script, dialect->unset, mark_name(run, run->names.v[i]));
    }
    /* The third is a clone of the first: its ID and its plan in another prefix. */
    static const char *const prefixes[ENVIRONMENTS] = {"/envs/a b", "/envs/[b]*", "/envs/clone"};
    for (unsigned e = 0; e < ENVIRONMENTS; e++) {
        cell.prefixes[e] = pool_add(run, prefixes[e]);
        cell.environments[e] = (struct environment){e % 2, prefixes[e], &run->plans[e % 2]};
    }
    emit_dump(&cell, true, false);
    for (unsigned i = 0; i < scenario->count; i++) {
        cell.step = i + 1;
        play(&cell, &scenario->steps[i]);
        emit_dump(&cell, false, false);
    }
    while (cell.depth)
        play_deactivate(&cell, false);
    for (unsigned e = 0; e < 2; e++)
        emit_source(&cell, e, false);
    text_add(&run->script, dialect->unset, "CONDA_PREFIX");
    text_add(&run->script, dialect->unset, "CONDA_SHLVL");
    cell.step = scenario->count + 1;
    emit_dump(&cell, false, true);
    if (!run->random)
        check_model(&cell, scenario, initial);
    run->cells++;
    if (++run->in_script == run->subject->chunk)
        run_script(run);
}

/* ---- The matrix. */

#define ACT(e)                                                                                                         \
    {                                                                                                                  \
        .kind = STEP_ACTIVATE, .environment = (e)                                                                      \
    }
#define STACK(e)                                                                                                       \
    {                                                                                                                  \
        .kind = STEP_STACK, .environment = (e)                                                                         \
    }
#define DEACT                                                                                                          \
    {                                                                                                                  \
        .kind = STEP_DEACTIVATE                                                                                        \
    }
#define RAW(e)                                                                                                         \
    {                                                                                                                  \
        .kind = STEP_RAW_ACTIVATE, .environment = (e)                                                                  \
    }
#define RAW_DEACT(e)                                                                                                   \
    {                                                                                                                  \
        .kind = STEP_RAW_DEACTIVATE, .environment = (e)                                                                \
    }
#define NO_PREFIX                                                                                                      \
    {                                                                                                                  \
        .kind = STEP_NO_PREFIX                                                                                         \
    }
#define MOVE                                                                                                           \
    {                                                                                                                  \
        .kind = STEP_MOVE, .environment = 0                                                                            \
    }
#define EDIT(k, v, p)                                                                                                  \
    {                                                                                                                  \
        .kind = (k), .name = (v), .pool = (p)                                                                          \
    }

/* The first numbers of the pool are fixed. */
enum { POOL_MOVED, POOL_EMPTY, POOL_USER, POOL_NUMBER, POOL_OURS };
static const char *const fixed_pool[] = {[POOL_MOVED] = "/moved/to here",
                                         [POOL_EMPTY] = "",
                                         [POOL_USER] = "/user/x",
                                         [POOL_NUMBER] = "3",
                                         [POOL_OURS] = "/envs/a b/lib/condagpu"};

static const struct scenario scenarios[] = {
    {"A-", {ACT(0), DEACT}, 2},
    {"AA-", {ACT(0), ACT(0), DEACT}, 3},
    {"A twice without deactivate", {RAW(0), RAW(0), RAW(0), RAW_DEACT(0)}, 4},
    {"A B - -", {ACT(0), ACT(1), DEACT, DEACT}, 4},
    {"A +B - -", {ACT(0), STACK(1), DEACT, DEACT}, 4},
    {"A +B - +B - -", {ACT(0), STACK(1), DEACT, STACK(1), DEACT, DEACT}, 6},
    {"A B A - - -", {ACT(0), ACT(1), ACT(0), DEACT, DEACT, DEACT}, 6},
    {"A +clone - -", {ACT(0), STACK(2), DEACT, DEACT}, 4},
    {"A inherited, B", {RAW(0), RAW(1), RAW_DEACT(1), RAW_DEACT(0)}, 4},
    {"reactivate three times", {ACT(0), ACT(0), ACT(0), ACT(0), DEACT}, 5},
    {"deactivate first", {RAW_DEACT(0), ACT(0), DEACT, RAW_DEACT(0)}, 4},
    {"CONDA_PREFIX unset during deactivate", {ACT(0), NO_PREFIX}, 2},
    {"moved", {ACT(0), MOVE, DEACT}, 3},
    {"moved and activated again", {RAW(0), ACT(0), MOVE, ACT(0), DEACT}, 5},
    {"user sets",
     {ACT(0), EDIT(STEP_SET, "LD_LIBRARY_PATH", POOL_USER), EDIT(STEP_SET, "CUDA_HOME", POOL_USER),
      EDIT(STEP_SET, "OMP_NUM_THREADS", POOL_NUMBER), EDIT(STEP_SET, "CUDA_VISIBLE_DEVICES", POOL_NUMBER), DEACT},
     6},
    {"user unsets",
     {ACT(0), EDIT(STEP_UNSET, "LD_LIBRARY_PATH", 0), EDIT(STEP_UNSET, "CUDA_HOME", 0),
      EDIT(STEP_UNSET, "OMP_NUM_THREADS", 0), DEACT},
     5},
    {"user empties",
     {ACT(0), EDIT(STEP_SET, "LD_LIBRARY_PATH", POOL_EMPTY), EDIT(STEP_SET, "CUDA_HOME", POOL_EMPTY), DEACT},
     4},
    {"user adds in front and behind",
     {ACT(0), EDIT(STEP_FRONT, "LD_LIBRARY_PATH", POOL_USER), EDIT(STEP_BACK, "LD_LIBRARY_PATH", POOL_USER), DEACT},
     4},
    {"user adds our element and an empty one",
     {ACT(0), EDIT(STEP_FRONT, "LD_LIBRARY_PATH", POOL_OURS), EDIT(STEP_BACK, "LD_LIBRARY_PATH", POOL_EMPTY), DEACT},
     4},
    {"user adds, the stacked one goes",
     {ACT(0), STACK(1), EDIT(STEP_FRONT, "LD_LIBRARY_PATH", POOL_USER), DEACT, DEACT},
     5},
    {"user takes our elements only", {ACT(0), EDIT(STEP_SET, "LD_LIBRARY_PATH", POOL_OURS), DEACT}, 3},
    {"user writes over and activates twice", {RAW(0), EDIT(STEP_SET, "CUDA_HOME", POOL_USER), RAW(0), RAW_DEACT(0)}, 4},
    {"job's thread count",
     {EDIT(STEP_SET, "SLURM_CPUS_PER_TASK", POOL_NUMBER), ACT(0), ACT(1),
      EDIT(STEP_SET, "SLURM_CPUS_PER_TASK", POOL_USER), ACT(0), EDIT(STEP_UNSET, "SLURM_CPUS_PER_TASK", 0)},
     6},
};
enum { SCENARIO_COUNT = sizeof scenarios / sizeof *scenarios };

static const struct initial {
    const char *name, *value;
} states[] = {
    {"unset", NULL},
    {"empty", ""},
    {"plain", "plain"},
    {"spaces", "  two  words "},
    {"quotes, globs and ::", "/q \"u'o`t$e\\!:*?[a-z]::a~;&|<>(){}#%"},
    {"our own element", "/x:/envs/a b/lib/condagpu:/y:/envs/a b/lib/condagpu:/envs/a b/lib/condagpu"},
    {"ends in a colon", "/x:/y:"},
    {"only colons", "::"},
    {"dots and empty ones", ".::.:/x:."},
    {"equals sign, dash, bang", "=ls:-n:!"},
};
enum { STATE_COUNT = sizeof states / sizeof *states };

static void matrix_plans(struct run *run)
{
    add_op(run, 0, OP_SET, "CUDA_HOME", "$CONDA_PREFIX", NULL);
    add_op(run, 0, OP_DEFAULT, "OMP_NUM_THREADS", "4", "SLURM_CPUS_PER_TASK");
    add_op(run, 0, OP_DEFAULT, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", NULL);
    add_op(run, 0, OP_PREPEND, "LD_LIBRARY_PATH", "$CONDA_PREFIX/targets/x86_64-linux/lib", NULL);
    add_op(run, 0, OP_PREPEND, "LD_LIBRARY_PATH", "$CONDA_PREFIX/lib/condagpu", NULL);
    add_op(run, 0, OP_APPEND, "LD_LIBRARY_PATH", "/usr/lib/wsl/lib", NULL);
    add_op(run, 0, OP_UNSET, "CUDA_VISIBLE_DEVICES", NULL, NULL);
    add_op(run, 1, OP_SET, "CUDA_HOME", "/usr/local/cuda-12.4", NULL);
    add_op(run, 1, OP_DEFAULT, "OMP_NUM_THREADS", "2", "SLURM_CPUS_PER_TASK");
    add_op(run, 1, OP_DEFAULT, "PYTORCH_CUDA_ALLOC_CONF", "garbage_collection_threshold:0.8", NULL);
    add_op(run, 1, OP_PREPEND, "LD_LIBRARY_PATH", "$CONDA_PREFIX/lib", NULL);
    add_op(run, 1, OP_PREPEND, "LD_LIBRARY_PATH", "/usr/local/cuda-12.4/lib64", NULL);
    add_op(run, 1, OP_SET, "CUDA_VISIBLE_DEVICES", "0", NULL);
}

static void run_matrix(struct run *run)
{
    matrix_plans(run);
    strv_add(run->arena, &run->names, "CONDAGPU_ACTIVE");
    strv_add(run->arena, &run->names, "SLURM_CPUS_PER_TASK");
    if (!run->hooks)
        write_hooks(run);
    run_script(run);
    for (size_t state = 0; state < STATE_COUNT; state++) {
        const char *initial[VARIABLE_LIMIT] = {NULL};
        for (size_t i = 0; i + 2 < run->names.n; i++)
            initial[i] = states[state].value;
        for (size_t i = 0; i < SCENARIO_COUNT; i++) {
            bool asked = !run->only || strcmp(run->only, scenarios[i].name) == 0;
            if (asked && (state * SCENARIO_COUNT + i) % run->every == 0)
                play_cell(run, &scenarios[i], states[state].name, initial);
        }
    }
    run_script(run);
}

/* ---- Random sequences. */

enum { CHUNK = 25, RANDOM_NAMES = 6, RANDOM_STEPS = 12 };

/* xorshift64* (Marsaglia; Vigna): a number below `limit`. */
static unsigned draw(struct run *run, unsigned limit)
{
    run->random ^= run->random >> 12;
    run->random ^= run->random << 25;
    run->random ^= run->random >> 27;
    return (unsigned)((run->random * 2685821657736338717u) >> 33) % limit;
}

static const char *draw_of(struct run *run, const char *const *texts, size_t count)
{
    return texts[draw(run, (unsigned)count)];
}
#define DRAW(run, texts) draw_of((run), (texts), sizeof(texts) / sizeof *(texts))

/* Any byte but NUL and newline; the separators and what shells care for come often. No backslash stands beside a byte
 * above 0x7f: in a UTF-8 locale bash 5.2 reads past the end of some texts in which an invalid byte stands before a
 * backslash (backslash, 0xc6, backslash is one), in every ${name#pattern}, and no hook can cut a list without one. */
static const char *draw_bytes(struct run *run)
{
    static const char often[] = "::::..//aab \t*?[]\"'`$\\!~=-#%&;()<>{}|^\r\x01\x7f\x80\x81\x88\xc3\xa9\xff";
    unsigned length = draw(run, 9);
    char *bytes = arena_alloc(run->arena, length + 1);
    for (unsigned i = 0; i < length; i++) {
        char byte = draw(run, 3) ? often[draw(run, sizeof often - 1)] : (char)(1 + draw(run, 255));
        char last = i ? bytes[i - 1] : ':';
        bool beside = (last == '\\' && byte & 0x80) || (byte == '\\' && last & 0x80);
        bytes[i] = byte == '\n' || beside ? ':' : byte;
    }
    return bytes;
}

/* Few, so that an element of ours is often there already. */
static const char *const elements[] = {
    "$CONDA_PREFIX/lib", "$CONDA_PREFIX",  "$CONDA_PREFIX/l[i]b*", "/usr/l", "/usr/lib", "/x y",
    "/\xc3\xa9",         "/a\x80\x85;&(#)"};

static const char *draw_value(struct run *run)
{
    static const char *const parts[] = {"",         "",     ".", "/envs/a b/lib", "/envs/a b", "/envs/[b]*/lib",
                                        "/usr/lib", "/x y", "7"};
    struct text text = {.arena = run->arena};
    text_add(&text, "%s", "");
    if (draw(run, 3) == 0)
        return draw_bytes(run);
    for (unsigned n = draw(run, 5); n; n--)
        text_add(&text, "%s%s", draw(run, 6) ? DRAW(run, parts) : draw_bytes(run), n > 1 ? ":" : "");
    return text.s;
}

static const char *const random_names[RANDOM_NAMES] = {"CUDA_HOME",       "OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                                       "LD_LIBRARY_PATH", "LIBRARY_PATH",    "x"};

static void draw_ops(struct run *run, unsigned plan, const char *name)
{
    static const char *const values[] = {"$CONDA_PREFIX", "$CONDA_PREFIX/nvvm", "1", "a b*", "~[x]{y}", "-n",
                                         "=(#;&|<>)%s",   "\xc3\xa9\xff\x81"};
    unsigned kind = draw(run, 7);
    if (kind == 0)
        return;
    if (kind <= 2)
        add_op(run, plan, kind == 1 ? OP_SET : OP_DEFAULT, name, DRAW(run, values), NULL);
    else if (kind == 3)
        add_op(run, plan, OP_DEFAULT, name, DRAW(run, values), "SLURM_CPUS_PER_TASK");
    else if (kind == 4)
        add_op(run, plan, OP_UNSET, name, NULL, NULL);
    else
        for (unsigned n = 1 + draw(run, 3); n; n--)
            add_op(run, plan, draw(run, 3) ? OP_PREPEND : OP_APPEND, name, DRAW(run, elements), NULL);
}

static struct step draw_step(struct run *run)
{
    static const enum step_kind kinds[] = {STEP_ACTIVATE,   STEP_ACTIVATE,  STEP_STACK,        STEP_DEACTIVATE,
                                           STEP_DEACTIVATE, STEP_NO_PREFIX, STEP_RAW_ACTIVATE, STEP_RAW_DEACTIVATE,
                                           STEP_MOVE,       STEP_SET,       STEP_SET,          STEP_FRONT,
                                           STEP_FRONT,      STEP_BACK,      STEP_BACK,         STEP_UNSET};
    static const char *const prefixes[] = {"/moved", "/envs/a b", "", "relative", "/with:colon", "/envs/[b]*"};
    static const char *const jobs[] = {"3",  "12", "0",  "012", "99999", "100000", "1x",
                                       "x1", " 1", "1 ", "-1",  "+1",    "1.",     "\xd9\xa3"};
    struct step step = {.kind = kinds[draw(run, sizeof kinds / sizeof *kinds)], .environment = draw(run, ENVIRONMENTS)};
    if (step.kind == STEP_MOVE)
        step.environment = pool_add(run, DRAW(run, prefixes));
    step.name = run->names.v[draw(run, (unsigned)run->names.n)];
    bool job = strcmp(step.name, "SLURM_CPUS_PER_TASK") == 0;
    if (job && (step.kind == STEP_FRONT || step.kind == STEP_BACK))
        step.kind = STEP_SET;
    step.pool = pool_add(run, job ? DRAW(run, jobs) : draw_value(run));
    return step;
}

static void run_random_chunk(struct run *run, size_t count)
{
    for (unsigned plan = 0; plan < 2; plan++)
        for (size_t i = 0; i < RANDOM_NAMES; i++)
            draw_ops(run, plan, random_names[i]);
    strv_add(run->arena, &run->names, "CONDAGPU_ACTIVE");
    strv_add(run->arena, &run->names, "SLURM_CPUS_PER_TASK");
    write_hooks(run);
    run_script(run);
    for (size_t n = 0; n < count; n++) {
        const char *initial[VARIABLE_LIMIT] = {NULL};
        for (size_t i = 0; i < run->names.n; i++)
            initial[i] = draw(run, 3) ? draw_value(run) : NULL;
        struct scenario *scenario = arena_alloc(run->arena, sizeof *scenario);
        scenario->name = arena_printf(run->arena, "sequence %zu", n);
        scenario->count = 1 + draw(run, RANDOM_STEPS);
        for (unsigned i = 0; i < scenario->count; i++)
            scenario->steps[i] = draw_step(run);
        play_cell(run, scenario, "random values", initial);
    }
    run_script(run);
}

/* ---- Command line. */

static const struct subject *find_subject(const char *name)
{
    for (const struct subject *subject = subjects; subject->name; subject++)
        if (strcmp(subject->name, name) == 0)
            return subject;
    fprintf(stderr, "drive: no shell %s\n", name);
    exit(2);
}

static void fill_pool(struct run *run)
{
    for (size_t i = 0; i < sizeof fixed_pool / sizeof *fixed_pool; i++)
        pool_add(run, fixed_pool[i]);
}

/* Chunks of sequences, each with its own arena and seed. */
static void run_random(struct run *total, uint64_t seed, size_t count)
{
    printf("# %s: seed %llu\n", total->subject->name, (unsigned long long)seed);
    for (; count; seed++) {
        _cleanup_arena_ struct arena *arena = arena_new();
        size_t part = count < CHUNK ? count : CHUNK;
        struct run run = {.arena = arena, .subject = total->subject, .scratch = total->scratch, .shown = total->shown};
        run.random = seed * 0x9e3779b97f4a7c15u + 1;
        fill_pool(&run);
        run_random_chunk(&run, part);
        if (run.failed)
            printf("# again: drive -s %llu -n %zu random %s DIRECTORY\n", (unsigned long long)seed, part,
                   run.subject->name);
        total->cells += run.cells;
        total->dumps += run.dumps;
        total->failed += run.failed;
        total->shown = run.shown;
        count -= part;
    }
}

int main(int argc, char **argv)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct run run = {.arena = arena, .every = 1};
    unsigned long long seed = (unsigned long long)time(NULL);
    size_t count = 300;
    int option;
    while ((option = getopt(argc, argv, "t:k:e:s:n:")) != -1) {
        if (option == 't')
            run.hooks = path_absolute(arena, optarg);
        else if (option == 'k')
            run.only = optarg;
        else if (option == 'e')
            run.every = strtoul(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            count = strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    if (argc - optind != 3 || run.every == 0)
        return 2;
    run.subject = find_subject(argv[optind + 1]);
    run.scratch = path_absolute(arena, argv[optind + 2]);
    if (!proc_find(arena, run.subject->argv[0], NULL))
        return SKIPPED;
    fill_pool(&run);
    if (strcmp(argv[optind], "random") == 0)
        run_random(&run, seed, count);
    else
        run_matrix(&run);
    printf("# %s: %zu cells, %zu dumps, %zu failed\n", run.subject->name, run.cells, run.dumps, run.failed);
    return run.failed ? 1 : 0;
}
