/* The smaller readers of text, a row each below; CONDAGPU_FUZZ names the one that is meant. Whatever the text holds, a
 * refusal says why in one line and where, and what comes out is whole. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "check/hooks_finding.h"
#include "check/hooks_lex.h"
#include "cmd/spec_state.h"
#include "plan/config.h"
#include "plan/grammar.h"
#include "prefix/state.h"
#include "probe/machine.h"
#include "render/template.h"
#include "report/baseline.h"
#include "spec/marker.h"
#include "spec/matchspec.h"
#include "spec/pep440.h"
#include "spec/yaml_tree.h"
#include "util/file.h"
#include "util/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct arena *arena;
    struct str text;
    const char *dir, *file; /* holds the text, where the target's row names a file */
};

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void check_err(const struct err *err)
{
    must(err->kind == ERR_INPUT && err->why[0] && !strchr(err->why, '\n'));
}

/* The next line of the input, as a string of its own. */
static const char *next(struct input *input)
{
    struct str line = {"", 0};
    str_cut(&input->text, '\n', &line);
    return str_dup(input->arena, line);
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

/* The spec, and a version for it. */
static void read_matchspec(struct input *input)
{
    struct dep dep = {.text = next(input)};
    const char *version = next(input);
    matchspec_parse(input->arena, &dep);
    must((dep.problem == NULL) == (dep.name != NULL));
    if (!dep.version)
        return;
    conda_version_matches(dep.version, version);
    must(sign(conda_version_cmp(dep.version, version)) == -sign(conda_version_cmp(version, dep.version)));
}

/* A constraint, two versions, and a marker. */
static void read_python(struct input *input)
{
    const char *constraint = next(input), *one = next(input), *two = next(input), *marker = next(input);
    struct marker_world world = {.of = {[MARKER_PYTHON_FULL_VERSION] = {one, two}, [MARKER_EXTRA] = {"", ""}}};
    pep440_matches(constraint, one);
    must(sign(pep440_cmp(one, two)) == -sign(pep440_cmp(two, one)));
    const char *problem = marker_problem(input->arena, str_of(marker));
    must(!problem || (problem[0] && !strchr(problem, '\n')));
    enum truth truth = marker_holds(input->arena, str_of(marker), &world);
    must(!problem || truth == TRUTH_UNKNOWN);
}

static void walk(const struct node *node, unsigned depth)
{
    must(depth <= 64 && node->line > 0 && node->column > 0);
    must(node->kind != NODE_SCALAR || node->text);
    must(node->kind != NODE_MAP || node->keys.n == node->items.n);
    for (size_t i = 0; i < node->items.n; i++)
        walk(node->items.v[i], depth + 1);
}

static void read_yaml(struct input *input)
{
    struct node *root;
    struct err err = {0};
    if (!yaml_tree(input->arena, "fuzz", input->text, &root, &err))
        check_err(&err);
    else if (root)
        walk(root, 0);
}

static void read_config(struct input *input)
{
    struct config config;
    struct err err = {0};
    if (!config_read(input->arena, input->file, &config, &err))
        check_err(&err);
    else
        must(config.sha256 != NULL);
}

/* What was read is written and read again as the same. */
static void read_snapshot(struct input *input)
{
    struct machine machine;
    struct err err = {0};
    if (!machine_from_json(input->arena, input->file, &machine, &err)) {
        check_err(&err);
        return;
    }
    json_t *once = machine_to_json(&machine);
    must(once && json_dump_file(once, input->file, 0) == 0);
    must(machine_from_json(input->arena, input->file, &machine, &err));
    json_t *twice = machine_to_json(&machine);
    must(json_equal(once, twice));
    json_decref(once);
    json_decref(twice);
}

static void read_state(struct input *input)
{
    struct state state;
    struct err err = {0};
    struct spec spec, again;
    if (!state_read(input->arena, input->dir, &state, &err)) {
        check_err(&err);
        return;
    }
    state_text(input->arena, &state);
    if (!state.spec || !spec_state_read(input->arena, state.spec, &spec))
        return;
    const char *text = spec_state_text(input->arena, &spec);
    must(spec_state_read(input->arena, text, &again));
    must(strcmp(text, spec_state_text(input->arena, &again)) == 0);
}

static void read_baseline(struct input *input)
{
    struct baseline baseline = {0};
    struct err err = {0};
    if (!baseline_read(input->arena, input->file, checks, &baseline, &err))
        check_err(&err);
    for (size_t i = 0; i < baseline.entries.n; i++)
        must(baseline.entries.v[i].id && baseline.entries.v[i].line > 0);
}

static void read_hook(struct input *input)
{
    struct shell_commands commands = {0};
    struct inventory inventory = {.prefix = input->dir, .real = input->dir};
    struct hook_findings findings = {.arena = input->arena};
    bool is_fish = str_starts(input->text, "#fish");
    shell_lex(input->arena, input->text, is_fish, &commands);
    for (size_t i = 0; i < commands.n; i++)
        for (size_t j = 0; j < commands.v[i].words.n; j++)
            shell_literal(input->arena, commands.v[i].words.v[j].text);
    *vec_add(input->arena, &inventory.hooks) =
        (struct hook){.name = is_fish ? "a.fish" : "a.sh", .path = input->file, .activate = true};
    hooks_scan(&findings, &inventory);
    for (size_t i = 0; i < findings.n; i++)
        must(findings.v[i].text && findings.v[i].text[0]);
    hooks_assignment_line(input->arena, &inventory.hooks.v[0], "PATH");
}

static void read_table(struct input *input)
{
    struct err err = {0};
    const struct table *table = data_table(data_new(input->arena, input->dir), "cudart_soname", &err);
    if (!table)
        check_err(&err);
    else
        must(table->cells.n == table->rows * table->columns.n);
}

static void read_template(struct input *input)
{
    struct hook_content hook = {.version = "1", .inputs = "x", .id = "01234567"};
    struct hook_variable *variable = vec_add(input->arena, &hook.variables);
    struct str text;
    struct err err = {0};
    *variable = (struct hook_variable){VARIABLE_LIST, "A", "B", "C", "D", "E", "F", "G", "H", "I", {0}};
    *vec_add(input->arena, &variable->reasons) = (struct reason){"value", "why"};
    if (!template_expand(input->arena, input->dir, "template", &hook, &text, &err))
        check_err(&err);
}

/* NAME, a line, and its value. */
static void read_variable(struct input *input)
{
    static const struct release torch[] = {{-1, -1, -1}, {1, 10, 0}, {2, 4, 0}, {2, 9, 0}};
    static struct data *tables; /* read once: they are many */
    static struct arena *kept;
    const char *name = next(input), *value = next(input);
    if (!tables)
        tables = data_new(kept = arena_new(), NULL);
    struct grammar grammar = {input->arena, tables, RELEASE_NONE, RELEASE_NONE, RELEASE_NONE};
    for (size_t i = 0; i < sizeof torch / sizeof *torch; i++) {
        grammar.torch = torch[i];
        struct verdict verdict = grammar_check(&grammar, name, value);
        must((verdict.level == VALUE_GOOD) == (verdict.why == NULL));
        must(!verdict.why || (verdict.why[0] && !strchr(verdict.why, '\n')));
    }
    if (strlen(name) < 32) /* each costs its length times that of every known name */
        grammar_nearest(&grammar, name);
    grammar_torch_arch(&grammar, value);
    grammar_nccl_selects(&grammar, value, "eth0");
}

static const struct target {
    const char *name, *file; /* below the scratch directory; NULL where none is read */
    void (*run)(struct input *input);
} targets[] = {
    {"baseline", "baseline", read_baseline},
    {"config", "condagpu.yml", read_config},
    {"hook", "hook", read_hook},
    {"matchspec", NULL, read_matchspec},
    {"python", NULL, read_python},
    {"snapshot", "snapshot.json", read_snapshot},
    {"state", STATE_FILE, read_state},
    {"table", "cudart_soname.tsv", read_table},
    {"template", "template", read_template},
    {"variable", NULL, read_variable},
    {"yaml", NULL, read_yaml},
};

static const struct target *find_target(void)
{
    const char *name = getenv("CONDAGPU_FUZZ");
    for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    fprintf(stderr, "CONDAGPU_FUZZ names no target\n");
    exit(EXIT_FAILURE);
}

static char scratch[] = "/tmp/condagpu-fuzz-XXXXXX";

static void remove_scratch(void)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *below[] = {find_target()->file, STATE_DIR, "etc", "."};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (below[i])
            remove(path_join(arena, scratch, below[i]));
    rmdir(scratch);
}

static bool write_file(struct input *input, const char *name)
{
    struct err err = {0};
    if (!strstr(scratch, "XXXXXX") || (mkdtemp(scratch) && atexit(remove_scratch) == 0)) {
        input->dir = scratch;
        input->file = path_join(input->arena, scratch, name);
        FILE *stream = dir_make(path_dirname(input->arena, input->file), &err) ? fopen(input->file, "w") : NULL;
        bool good = stream && fwrite(input->text.s, 1, input->text.n, stream) == input->text.n;
        return stream && fclose(stream) == 0 && good;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    static const struct target *target;
    struct input input = {.arena = arena, .text = {(const char *)data, size}};
    if (!target)
        target = find_target();
    if (!target->file || write_file(&input, target->file))
        target->run(&input);
    return 0;
}
