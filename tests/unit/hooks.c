/* Checks over all hooks of a prefix, on fixtures made after defects of real packages, and after well written hooks. */
#include "check/hooks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/hooks_lex.h"
#include "unit.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"

static struct arena *arena;
static char scratch[64];
static const char *const *env;

static const char *at(const char *relative)
{
    return path_join(arena, scratch, relative);
}

static void put(const char *relative, const char *content)
{
    struct err err = {0};
    const char *path = at(relative);
    ck_assert(dir_make(path_dirname(arena, path), &err));
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(content, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void activate(const char *name, const char *content)
{
    put(path_join(arena, "etc/conda/activate.d", name), content);
}

static void deactivate(const char *name, const char *content)
{
    put(path_join(arena, "etc/conda/deactivate.d", name), content);
}

static void setup(void)
{
    struct strv list = {0};
    arena = arena_new();
    snprintf(scratch, sizeof scratch, "/tmp/condagpu hooks-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    put("conda-meta/history", "");
    strv_add(arena, &list, arena_printf(arena, "PATH=%s", getenv("PATH")));
    strv_add(arena, &list, arena_printf(arena, "HOME=%s", scratch));
    strv_add(arena, &list, NULL);
    env = list.v;
}

static void teardown(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    ck_assert_int_eq(system(command), 0);
    arena_free(arena);
}

static struct result run(void (*function)(const struct check_input *, struct result *))
{
    static struct inventory inventory;
    struct facts facts = {.inventory = &inventory};
    struct check_input input = {.arena = arena, .facts = &facts, .env = env, .deadline_ms = 20000};
    struct result result = {0};
    struct err err = {0};
    ck_assert_msg(inventory_read(arena, scratch, &inventory, &err), "%s", err.why);
    function(&input, &result);
    return result;
}

static const char *dump(const struct result *result)
{
    char *text = arena_printf(arena, "%s: %s\n", status_text(result->status), result->message);
    for (size_t i = 0; i < result->evidence.n; i++)
        text = arena_printf(arena, "%s  %s:%u: %s\n", text, result->evidence.v[i].file, result->evidence.v[i].line,
                            result->evidence.v[i].text);
    return text;
}

/* One piece of evidence on that file and line holds the text. */
static void reports(const struct result *result, const char *relative, unsigned line, const char *text)
{
    for (size_t i = 0; i < result->evidence.n; i++) {
        const struct evidence *evidence = &result->evidence.v[i];
        if (strcmp(evidence->file, at(relative)) == 0 && evidence->line == line && strstr(evidence->text, text))
            return;
    }
    ck_abort_msg("nothing on %s:%u says \"%s\":\n%s", relative, line, text, dump(result));
}

static void is_clean(const struct result *result)
{
    ck_assert_msg(result->status == STATUS_PASS && result->evidence.n == 0, "%s", dump(result));
}

static bool has(const char *program)
{
    return proc_find(arena, program, NULL) != NULL;
}

#define ACT "etc/conda/activate.d/"
#define DEACT "etc/conda/deactivate.d/"

START_TEST(growing_flags_are_found)
{
    activate("~cuda-nvcc_activate.sh", "# flags\nCUDA_CFLAGS=\"-I${CONDA_PREFIX}/include\"\n"
                                       "export CFLAGS=\"${CFLAGS} ${CUDA_CFLAGS}\"\nunset CUDA_CFLAGS\n");
    deactivate("~cuda-nvcc_deactivate.sh", "unset NVCC_PREPEND_FLAGS\n");
    put("conda-meta/cuda-nvcc-12.4.131-h1.json", "{\"files\": [\"" ACT "~cuda-nvcc_activate.sh\"]}");
    struct result result = run(check_hooks_restore);
    ck_assert_int_eq(result.status, STATUS_WARN);
    ck_assert_ptr_nonnull(strstr(result.message, "~cuda-nvcc_activate.sh of cuda-nvcc: "));
    reports(&result, ACT "~cuda-nvcc_activate.sh", 3, "CFLAGS is left behind when activated and deactivated");
    reports(&result, ACT "~cuda-nvcc_activate.sh", 3, "CFLAGS is changed when activated and deactivated");
    reports(&result, ACT "~cuda-nvcc_activate.sh", 3, "CFLAGS grows when reactivated three times");
    result = run(check_hooks_run);
    reports(&result, ACT "~cuda-nvcc_activate.sh", 3, "$CFLAGS is not guarded");
    if (has("bash"))
        reports(&result, ACT "~cuda-nvcc_activate.sh", 3, "CFLAGS: unbound variable (bash -euf -o pipefail)");
}
END_TEST

START_TEST(a_hook_that_exits_is_found)
{
    activate("a.sh", ":\n");
    activate("nvcc.sh", "if [ ! -d \"$CONDA_PREFIX/nowhere\" ]; then\n  echo \"no CUDA\"\n  exit 1\nfi\n");
    deactivate("a.sh", ":\n");
    deactivate("nvcc.sh", ":\n");
    struct result result = run(check_hooks_run);
    ck_assert_int_eq(result.status, STATUS_WARN);
    reports(&result, ACT "nvcc.sh", 3, "exit ends the shell");
    reports(&result, ACT "nvcc.sh", 2, "echo writes to standard output");
    reports(&result, ACT "nvcc.sh", 0, "ends the shell (status 1)");
    reports(&result, ACT "nvcc.sh", 0, "writes to standard output: no CUDA");
}
END_TEST

START_TEST(a_lost_empty_value_is_found)
{
    activate("glib.sh",
             "export GSETTINGS_DIR_BACKUP=\"${GSETTINGS_DIR:-}\"\nexport GSETTINGS_DIR=\"$CONDA_PREFIX/share\"\n");
    deactivate("glib.sh",
               "if [ -n \"${GSETTINGS_DIR_BACKUP:-}\" ]; then\n  export GSETTINGS_DIR=\"$GSETTINGS_DIR_BACKUP\"\n"
               "else\n  unset GSETTINGS_DIR\nfi\nunset GSETTINGS_DIR_BACKUP\n");
    struct result result = run(check_hooks_restore);
    reports(&result, DEACT "glib.sh", 2, "GSETTINGS_DIR is lost when activated and deactivated: from \"\" to unset");
    /* The backup is overwritten by the hook's own value. */
    reports(&result, ACT "glib.sh", 2, "GSETTINGS_DIR is left behind when activated twice");
}
END_TEST

START_TEST(a_missing_restore_is_found)
{
    activate("jdk.sh", "if [ -n \"${JAVA_HOME:-}\" ]; then export JAVA_HOME_CONDA_BACKUP=\"$JAVA_HOME\"; fi\n"
                       "export JAVA_HOME=\"$CONDA_PREFIX/jvm\"\n");
    deactivate("jdk.sh", "if [ -n \"${JAVA_HOME_CONDA_BACKUP:-}\" ]; then\n"
                         "  export JAVA_HOME=\"$JAVA_HOME_CONDA_BACKUP\"\n  unset JAVA_HOME_CONDA_BACKUP\nfi\n");
    struct result result = run(check_hooks_restore);
    reports(&result, ACT "jdk.sh", 2, "JAVA_HOME is left behind when activated and deactivated");
    activate("rust.sh", "export PATH=\"$CONDA_PREFIX/rust/bin:$PATH\"\n");
    result = run(check_hooks_restore);
    reports(&result, ACT "rust.sh", 1, "PATH is changed when activated and deactivated");
    result = run(check_hooks_run);
    reports(&result, ACT "rust.sh", 1, "changes PATH");
    reports(&result, ACT "rust.sh", 0, "has no file in deactivate.d");
}
END_TEST

START_TEST(each_shells_own_hooks_are_run)
{
    activate("x.fish", "set -gx LEAK fish\n");
    deactivate("x.fish", "true\n");
    activate("x.csh", "setenv LEAK csh\n");
    deactivate("x.csh", "echo noise\n");
    activate("x.sh", ":\n");
    deactivate("x.sh", ":\n");
    struct result result = run(check_hooks_restore);
    if (has("fish"))
        reports(&result, ACT "x.fish", 1,
                "LEAK is left behind when activated and deactivated: from unset to \"fish\" (fish)");
    if (has("tcsh")) {
        reports(&result, ACT "x.csh", 0,
                "LEAK is left behind when activated and deactivated: from unset to \"csh\" (tcsh)");
        result = run(check_hooks_run);
        reports(&result, DEACT "x.csh", 0, "writes to standard output: noise (tcsh)");
    }
}
END_TEST

START_TEST(our_own_hooks_fail)
{
    activate("~zz-condagpu.sh", "export CUDA_HOME=\"$CONDA_PREFIX\"\n");
    deactivate("~zz-condagpu.sh", ":\n");
    struct result result = run(check_hooks_restore);
    ck_assert_int_eq(result.status, STATUS_FAIL);
    reports(&result, ACT "~zz-condagpu.sh", 1, "CUDA_HOME is left behind");
}
END_TEST

START_TEST(the_text_of_hooks_is_read)
{
    activate("bad.sh", "set -e\n"
                       "[[ -n $X ]] && :\n"
                       "if [ \"${A:-}\" == b ]; then return 3; fi\n"
                       "export CUDA_HOME=/usr/local/cuda-0.1\n"
                       "export OTHER=\"-I/somewhere/envs/other/include\"\n"
                       "L+=x\n"
                       "arr=(a b)\n"
                       "export Z=\"${L/a/b}\"\n"
                       "echo \"`uname`\" # exit\n"
                       "export T=\"${SAVED_T:-}\"\n");
    deactivate("bad.sh", "true &> /dev/null\nsource x\n");
    activate("bad.fish", "set -x LOST 1\nif true; return; end\nset -U V 1\n");
    deactivate("bad.fish", "true\n");
    struct result result = run(check_hooks_run);
    reports(&result, ACT "bad.sh", 1, "set -e changes the options");
    reports(&result, ACT "bad.sh", 2, "[[ is not known to dash");
    reports(&result, ACT "bad.sh", 2, "$X is not guarded");
    reports(&result, ACT "bad.sh", 3, "== in [");
    reports(&result, ACT "bad.sh", 3, "return 3 ends the shell");
    reports(&result, ACT "bad.sh", 4, "sets CUDA_HOME to /usr/local/cuda-0.1, which does not exist");
    reports(&result, ACT "bad.sh", 5, "another environment: /somewhere/envs/other");
    reports(&result, ACT "bad.sh", 6, "L+=");
    reports(&result, ACT "bad.sh", 7, "arrays");
    reports(&result, ACT "bad.sh", 8, "${L/");
    reports(&result, ACT "bad.sh", 9, "echo writes");
    reports(&result, ACT "bad.sh", 10, "reads SAVED_T, which no hook sets");
    reports(&result, DEACT "bad.sh", 1, "&>");
    reports(&result, DEACT "bad.sh", 2, "source");
    reports(&result, ACT "bad.fish", 1, "set -x without -g");
    reports(&result, ACT "bad.fish", 2, "return ends the whole activation");
    reports(&result, ACT "bad.fish", 3, "set -U");
    for (size_t i = 0; i < result.evidence.n; i++)
        ck_assert_msg(!strstr(result.evidence.v[i].text, "exit ends"), "%s", dump(&result));
}
END_TEST

START_TEST(files_that_conda_cannot_source_are_found)
{
    activate("a$b.sh", ":\n");
    deactivate("a$b.sh", ":\n");
    put(ACT "dir.sh/x", "");
    ck_assert_int_eq(symlink("nowhere", at(ACT "link.sh")), 0);
    put("etc/activate.d/foo.sh", "export A=1\n");
    put("etc/conda/env_vars.d/README", "not JSON\n");
    put("conda-meta/state",
        "{\"env_vars\": {\"path\": \"a'b\", \"OFF\": \"***unset***\", \"PATH\": \"/x\", \"N\": 1}}");
    struct result result = run(check_hooks_run);
    reports(&result, ACT "a$b.sh", 0, "its name holds a $");
    reports(&result, ACT "dir.sh", 0, "is a directory");
    reports(&result, ACT "link.sh", 0, "link to a file that is not there");
    reports(&result, "etc/activate.d/foo.sh", 0, "is never run: hooks belong in etc/conda/activate.d");
    reports(&result, "etc/conda/env_vars.d/README", 1, "conda cannot activate");
    reports(&result, "conda-meta/state", 0, "path: its value holds a '");
    reports(&result, "conda-meta/state", 0, "path: conda makes the name upper case");
    reports(&result, "conda-meta/state", 0, "OFF: conda and pixi export the text");
    reports(&result, "conda-meta/state", 0, "PATH is reserved");
    reports(&result, "conda-meta/state", 0, "N: its value is not a string");
}
END_TEST

static void put_clean_hooks(void)
{
    activate("~zz-condagpu.sh", "if [ -z \"${_CG_K:-}\" ]; then\n  if [ \"${CUDA_HOME+x}\" = x ]; then\n"
                                "    export _CG_K=set _CG_O=\"$CUDA_HOME\"\n  else export _CG_K=unset _CG_O=; fi\nfi\n"
                                "export CUDA_HOME=\"$CONDA_PREFIX\"\n:\n");
    deactivate("~zz-condagpu.sh", "if [ \"${_CG_K:-}\" = set ]; then export CUDA_HOME=\"${_CG_O:-}\"\n"
                                  "elif [ \"${_CG_K:-}\" = unset ]; then unset CUDA_HOME; fi\nunset _CG_K _CG_O\n:\n");
    /* Everything that looks like a defect here is quoted, guarded, piped away, in a subshell, or a comment. */
    activate("good_activate.sh", "# exit 1; set -e; [[ a == b ]]; $UNSET; echo hello\n"
                                 "if [ -z \"${_GOOD_KIND:-}\" ]; then\n"
                                 "  export _GOOD_KIND=\"was${GOOD_DATA+set}\" _GOOD_OLD_DATA=\"${GOOD_DATA:-}\"\n"
                                 "fi\n"
                                 "_good_text='exit 1; $NOT_EXPANDED; `echo x`; [[ ]]'\n"
                                 "_good_dir=$(cd \"$CONDA_PREFIX\" && pwd -P | sed 's/$HOME/\"x/' | head -n 1)\n"
                                 "_good_count=$(printf '%s' \"${_good_text}\" | wc -c) || :\n"
                                 ": <<'EOF'\nexit 1\necho $NEVER ${UNSET}\nEOF\n"
                                 "case \"${_good_count}\" in\n"
                                 "exit) : ;;\n"
                                 "*) : ;;\n"
                                 "esac\n"
                                 "_good_function() {\n  [ \"${1:-}\" = x ] && return 1\n  return 0\n}\n"
                                 "if _good_function x; then :; fi\n"
                                 "(exit 0)\n"
                                 "(cd / && set -e)\n"
                                 "export GOOD_DATA=\"$CONDA_PREFIX/share/good\" # echo\n"
                                 "unset _good_text _good_dir _good_count; unset -f _good_function\n"
                                 "true\n");
    deactivate(
        "good_deactivate.sh",
        "if [ -n \"${_GOOD_KIND+x}\" ]; then\n"
        "  if [ \"${_GOOD_KIND}\" = wasset ]; then export GOOD_DATA=\"${_GOOD_OLD_DATA:-}\"; else unset GOOD_DATA; fi\n"
        "fi\n"
        "unset _GOOD_KIND _GOOD_OLD_DATA\n:\n");
    activate("good.fish", "# exit; return\nif not set -qg _GOOD_KIND\n  set -gx _GOOD_KIND unset\n"
                          "  if set -q GOOD_DATA\n    set -gx _GOOD_KIND \"s$GOOD_DATA\"\n  end\nend\n"
                          "set -gx GOOD_DATA \"$CONDA_PREFIX/share/good\"\ntrue\n");
    deactivate("good.fish",
               "if set -qg _GOOD_KIND\n  if test \"$_GOOD_KIND\" = unset\n    set -eg GOOD_DATA\n  else\n"
               "    set -gx GOOD_DATA (string sub -s 2 -- \"$_GOOD_KIND\")\n  end\n  set -eg _GOOD_KIND\nend\ntrue\n");
    put("etc/conda/env_vars.d/good.json", "{\"GOOD_VARIABLE\": \"plain text\"}");
}

START_TEST(clean_hooks_are_not_reported)
{
    put_clean_hooks();
    struct result result = run(check_hooks_run);
    is_clean(&result);
    result = run(check_hooks_restore);
    is_clean(&result);
}
END_TEST

START_TEST(a_prefix_without_hooks_is_skipped)
{
    struct result result = run(check_hooks_run);
    ck_assert_int_eq(result.status, STATUS_SKIP);
    result = run(check_hooks_restore);
    ck_assert_int_eq(result.status, STATUS_SKIP);
}
END_TEST

static const char *const *activated(const char *const *from, const char **problem)
{
    struct inventory inventory;
    struct err err = {0};
    ck_assert(inventory_read(arena, scratch, &inventory, &err));
    return hooks_activated_env(arena, &inventory, from, 5000, problem);
}

START_TEST(an_activated_environment_is_that_of_a_shell)
{
    const char *problem;
    put_clean_hooks();
    put("trap", "export FROM_BASH_ENV=1\n");
    const char *const *from = env_with(arena, env, "BASH_ENV", at("trap"));
    const char *const *got = activated(from, &problem);
    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(env_get(got, "CONDA_PREFIX"), scratch);
    ck_assert_str_eq(env_get(got, "CUDA_HOME"), scratch);
    ck_assert_str_eq(env_get(got, "GOOD_VARIABLE"), "plain text");
    ck_assert_str_eq(env_get(got, "BASH_ENV"), at("trap"));
    ck_assert_ptr_null(env_get(got, "FROM_BASH_ENV"));
    ck_assert_str_eq(env_get(got, "PATH"), arena_printf(arena, "%s/bin:%s", scratch, env_get(env, "PATH")));
    /* Activated already: a reactivation, which changes nothing. */
    const char *const *again = activated(got, &problem);
    ck_assert_ptr_nonnull(again);
    for (const char *const *entry = got; *entry; entry++) {
        const char *name = arena_memdup(arena, *entry, strcspn(*entry, "="));
        ck_assert_msg(cstr_eq(env_get(again, name), env_get(got, name)), "%s", name);
    }
    activate("stop.sh", "exit 7\n");
    ck_assert_ptr_null(activated(env, &problem));
    ck_assert_ptr_nonnull(strstr(problem, "status 7"));
    ck_assert_ptr_nonnull(strstr(problem, "stop.sh"));
}
END_TEST

START_TEST(a_hook_that_hangs_is_named)
{
    struct inventory inventory;
    struct facts facts = {.inventory = &inventory};
    struct check_input input = {.arena = arena, .facts = &facts, .env = env, .deadline_ms = 700};
    struct result result = {0};
    struct err err = {0};
    activate("a.sh", ":\n");
    activate("b.sh", "sleep 60\n");
    deactivate("a.sh", ":\n");
    deactivate("b.sh", ":\n");
    ck_assert(inventory_read(arena, scratch, &inventory, &err));
    check_hooks_run(&input, &result);
    reports(&result, ACT "b.sh", 0, "does not end within 700 ms");
}
END_TEST

START_TEST(any_text_is_read_to_its_end)
{
    static const char bytes[] = "'\"`$(){}<>|&;#\n\\ =aA[!-2";
    unsigned state = 1;
    for (int round = 0; round < 3000; round++) {
        struct shell_commands commands = {0};
        char text[64];
        for (size_t i = 0; i < sizeof text; i++) {
            state = state * 1103515245u + 12345u;
            text[i] = bytes[(state >> 16) % sizeof bytes];
        }
        shell_lex(arena, (struct str){text, sizeof text}, round % 2, &commands);
        for (size_t i = 0; i < commands.n; i++)
            ck_assert_uint_gt(commands.v[i].words.n, 0);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        growing_flags_are_found,
        a_hook_that_exits_is_found,
        a_lost_empty_value_is_found,
        a_missing_restore_is_found,
        each_shells_own_hooks_are_run,
        our_own_hooks_fail,
        the_text_of_hooks_is_read,
        files_that_conda_cannot_source_are_found,
        clean_hooks_are_not_reported,
        a_prefix_without_hooks_is_skipped,
        an_activated_environment_is_that_of_a_shell,
        a_hook_that_hangs_is_named,
        any_text_is_read_to_its_end,
        NULL,
    };
    Suite *suite = suite_create("hooks");
    TCase *tcase = tcase_create("hooks");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 300);
    for (const TTest *const *test = tests; *test; test++)
        tcase_add_test(tcase, *test);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
