/* render/: what stands in a hook. What the hooks do is tested in tests/shells/. */
#include "render/render.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/proc.h"

static struct arena *arena;
static struct plan plan;

static void add(enum op_kind kind, const char *name, const char *value, const char *why)
{
    *vec_add(arena, &plan.ops) = (struct op){.kind = kind, .name = name, .value = value, .why = why, .rule = "test"};
}

static bool render(const char *shell, bool activate, const char *id, struct str *text, struct err *err)
{
    struct render_input input = {.plan = &plan, .id = id, .version = "1.2", .inputs = "environment.yml abc\ndef"};
    return render_hook(arena, shell_find(shell), activate, &input, text, err);
}

static const char *hook(const char *shell)
{
    struct str text;
    struct err err = {0};
    ck_assert_msg(render(shell, true, "0123abcd", &text, &err), "%s", err.why);
    return text.s;
}

static void begin(void)
{
    arena = arena_new();
    plan = (struct plan){0};
}

#define WITH_ARENA(name)                                                                                               \
    static void name##_body(void);                                                                                     \
    START_TEST(name)                                                                                                   \
    {                                                                                                                  \
        begin();                                                                                                       \
        name##_body();                                                                                                 \
        arena_free(arena);                                                                                             \
    }                                                                                                                  \
    END_TEST                                                                                                           \
    static void name##_body(void)

static void holds(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "no \"%s\" in:\n%s", part, text);
}

WITH_ARENA(names_each_shell_once)
{
    ck_assert_str_eq(shell_find("sh")->suffix, ".sh");
    ck_assert_str_eq(shell_find("fish")->suffix, ".fish");
    ck_assert_str_eq(shell_find("csh")->suffix, ".csh");
    ck_assert_ptr_null(shell_find("zsh"));
}

/* The quoted word through the real shell gives the bytes again. */
static void round_trip(const char *program, const char *flag, const char *name, const char *value, const char *wanted)
{
    struct text script = {.arena = arena};
    text_add(&script, "printf %%s ");
    shell_find(name)->quote(&script, str_of(value));
    const char *argv[] = {program, flag, "-c", script.s, NULL};
    const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "CONDA_PREFIX=/e v/$x", NULL};
    struct proc result;
    proc_run(arena, argv, env, "/", 20000, 10000, &result);
    if (!result.started)
        return;
    ck_assert_msg(strcmp(result.out.s, wanted) == 0, "%s: %s gave \"%s\" (%s)", program, script.s, result.out.s,
                  result.err.s);
}

WITH_ARENA(quotes_so_that_shells_read_the_same_bytes)
{
    static const struct {
        const char *value, *wanted;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"$CONDA_PREFIX/lib:$CONDA_PREFIX", "/e v/$x/lib:/e v/$x"},
        {"--dir=$CONDA_PREFIX[1]", "--dir=/e v/$x[1]"},
        {"$CONDA_PREFIXES $HOME ${HOME}", "$CONDA_PREFIXES $HOME ${HOME}"},
        {"`id` \"a\" 'b' $(id) \\ \\\\n !! !x a!b", "`id` \"a\" 'b' $(id) \\ \\\\n !! !x a!b"},
        {"*?[a]{b,c}~;&|<>()#% \t=", "*?[a]{b,c}~;&|<>()#% \t="},
        {"\xc3\xa9", "\xc3\xa9"},
    };
    static const struct {
        const char *program, *flag, *name;
    } programs[] = {{"dash", "-f", "sh"},  {"bash", "-f", "sh"},
                    {"zsh", "-f", "sh"},   {"fish", "--no-config", "fish"},
                    {"tcsh", "-f", "csh"}, {"bsd-csh", "-f", "csh"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = 0; n < sizeof programs / sizeof *programs; n++)
            round_trip(programs[n].program, programs[n].flag, programs[n].name, rows[i].value, rows[i].wanted);
}

WITH_ARENA(header_names_version_inputs_and_the_file_to_change)
{
    holds(hook("sh"), "# condagpu 1.2 made this file from environment.yml abc\\x0adef.\n");
    holds(hook("fish"), "change condagpu.yml");
    holds(hook("csh"), "# condagpu 1.2 made this file");
}

WITH_ARENA(each_operation_has_its_why_as_one_safe_comment_line)
{
    add(OP_PREPEND, "P", "/a", "first\nrm -rf /\xc3\xa9!\\");
    add(OP_APPEND, "P", "/b", "second");
    const char *text = hook("csh");
    holds(text, "# /a: first\\x0arm -rf /\\xc3\\xa9\\x21\\ \n");
    holds(text, "# /b: second\n");
}

WITH_ARENA(list_keeps_the_order_and_drops_what_is_doubled)
{
    add(OP_PREPEND, "P", "/b", "1");
    add(OP_PREPEND, "P", "$CONDA_PREFIX/a", "2");
    add(OP_PREPEND, "P", "/b", "3");
    add(OP_APPEND, "P", "/c", "4");
    add(OP_APPEND, "P", "/b", "5");
    const char *text = hook("sh");
    holds(text, "_D=\"/b:${CONDA_PREFIX}/a:/c\"\n");
    holds(text, "=\"/b:${CONDA_PREFIX}/a\"\n");
    holds(text, "=\"/c\"\n");
}

WITH_ARENA(state_names_hold_the_id_and_survive_another_order)
{
    add(OP_SET, "A", "1", "");
    add(OP_SET, "B", "1", "");
    const char *first = hook("sh");
    struct op swapped = plan.ops.v[0];
    plan.ops.v[0] = plan.ops.v[1];
    plan.ops.v[1] = swapped;
    const char *second = hook("sh"), *name = strstr(first, "export A=");
    ck_assert_ptr_nonnull(name);
    const char *state = strstr(name, "_CONDAGPU_0123abcd_");
    ck_assert_ptr_nonnull(state);
    holds(strstr(second, "export A="), arena_printf(arena, "%.29s=\"${A-}\"", state));
}

WITH_ARENA(equal_inputs_give_equal_bytes)
{
    add(OP_DEFAULT, "A", "1", "x");
    ck_assert_str_eq(hook("fish"), hook("fish"));
}

WITH_ARENA(refuses_an_id_that_is_none)
{
    static const char *const ids[] = {"", "0123abc", "0123abcde", "0123ABCD", "0123 bcd"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct str text;
        struct err err = {0};
        ck_assert(!render("sh", true, ids[i], &text, &err));
        ck_assert_int_eq(err.kind, ERR_INPUT);
    }
}

static void refused(enum op_kind kind, const char *name, const char *value)
{
    struct str text;
    struct err err = {0};
    plan.ops.n = 0;
    add(kind, name, value, "");
    ck_assert_msg(!render("sh", false, "0123abcd", &text, &err), "%s=%s", name, value ? value : "");
    ck_assert_int_eq(err.kind, ERR_INPUT);
}

WITH_ARENA(refuses_values_that_no_hook_can_carry)
{
    static const char *const values[] = {"a\"", "a'", "a`", "$HOME", "a\\", "a!", "a\nb", "$CONDA_PREFIX2", "$"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        refused(OP_SET, "A", values[i]);
    refused(OP_PREPEND, "P", "");
    refused(OP_PREPEND, "P", "lib");
    refused(OP_APPEND, "P", "/a:/b");
    refused(OP_PREPEND, "P", "/a:");
    refused(OP_SET, "A-B", "1");
    refused(OP_SET, "", "1");
    refused(OP_SET, "A", NULL);
    refused(OP_UNSET, "A", "1");
    refused(OP_SET, "CONDAGPU_ACTIVE", "1");
}

WITH_ARENA(names_the_template_that_is_missing)
{
    struct render_input input = {
        .plan = &plan, .id = "0123abcd", .version = "1", .inputs = "x", .template_dir = "/nonexistent"};
    struct str text;
    struct err err = {0};
    ck_assert(!render_hook(arena, shell_find("sh"), true, &input, &text, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert_str_eq(err.file, "/nonexistent/activate.sh");
}

int main(void)
{
    const TTest *const tests[] = {
        names_each_shell_once,
        quotes_so_that_shells_read_the_same_bytes,
        header_names_version_inputs_and_the_file_to_change,
        each_operation_has_its_why_as_one_safe_comment_line,
        list_keeps_the_order_and_drops_what_is_doubled,
        state_names_hold_the_id_and_survive_another_order,
        equal_inputs_give_equal_bytes,
        refuses_an_id_that_is_none,
        refuses_values_that_no_hook_can_carry,
        names_the_template_that_is_missing,
        NULL,
    };
    return unit_run(unit_suite("render", tests));
}
