/* condagpu.yml: what it takes, and where it points when it does not. */
#include "world.h"

#include "unit.h"

static struct world w;

static bool read_text(const char *content)
{
    world_file(&w, "condagpu.yml", content, 0644);
    return config_read(w.arena, path_join(w.arena, w.prefix, "condagpu.yml"), &w.config, &w.err);
}

START_TEST(reads_every_key)
{
    world_open(&w);
    ck_assert_msg(
        read_text(
            "# all of it\n"
            "cuda-home: /opt/cuda\n"
            "path: none\n"
            "library-path: {mode: append}\n"
            "threads:\n  count: 8\n  ranks: 2\n"
            "allocator:\n  pytorch: 'max_split_size_mb:512'\n  jax: platform\n  jax-fraction: .5\n"
            "  tensorflow: growth\n"
            "arch: [8.0, 9.0a]\n"
            "devices:\n  order: none\n  visible: [0, 1]\n"
            "nccl:\n  socket-ifname: eth0\n  ib-disable: true\n  p2p-disable: 0\n  debug: WARN\n"
            "xla:\n  cuda-data-dir: none\n"
            "malloc:\n  arena-max: 4\n"
            "variables:\n  HF_HOME: /scratch/hf\n  TOKENIZERS_PARALLELISM: 'false'\n  DATA: $CONDA_PREFIX/data\n"),
        "%s", w.err.why);
    ck_assert_str_eq(w.config.cuda_home.value, "/opt/cuda");
    ck_assert_uint_eq(w.config.cuda_home.line, 2);
    ck_assert_uint_eq(w.config.cuda_home.column, 12);
    ck_assert_int_eq(w.config.library_mode, LIBRARY_APPEND);
    ck_assert_str_eq(w.config.threads.value, "8");
    ck_assert_str_eq(w.config.arch.value, "8.0;9.0a");
    ck_assert_str_eq(w.config.visible.value, "0,1");
    ck_assert_str_eq(w.config.nccl_ib_disable.value, "true");
    ck_assert_str_eq(w.config.malloc_arena_max.value, "4");
    ck_assert_uint_eq(w.config.variables.n, 3);
    ck_assert_str_eq(w.config.variables.v[2].value, "$CONDA_PREFIX/data");
    ck_assert_uint_eq(strlen(w.config.sha256), 64);
    world_close(&w);
}
END_TEST

START_TEST(an_empty_file_and_auto_leave_all_to_the_rules)
{
    world_open(&w);
    ck_assert(read_text(""));
    ck_assert(read_text("# nothing\n"));
    ck_assert(read_text("threads:\nvariables:\ncuda-home: auto\nlibrary-path: {mode: narrow}\n"));
    ck_assert_ptr_null(w.config.cuda_home.value);
    ck_assert_int_eq(w.config.library_mode, LIBRARY_NARROW);
    ck_assert_uint_eq(w.config.cuda_home.line, 3);
    world_close(&w);
}
END_TEST

struct bad {
    const char *content;
    unsigned line, column;
    const char *why, *mend;
};

static const struct bad bads[] = {
    {"thread:\n  count: 4\n", 1, 1, "unknown key \"thread\"", "threads"},
    {"threads:\n  cuont: 4\n", 2, 3, "unknown key \"cuont\" in threads", "count"},
    {"wholly: different\n", 1, 1, "unknown key", "known keys are"},
    {"threads: 4\n", 1, 10, "mapping of keys is expected", "threads:"},
    {"threads: [4]\n", 1, 10, "mapping of keys is expected", NULL},
    {"threads:\n  count: [4]\n", 2, 10, "list where one value", NULL},
    {"threads:\n  count: {n: 4}\n", 2, 10, "mapping where one value", NULL},
    {"threads:\n  count: 4,2\n", 2, 10, "positive number", NULL},
    {"threads:\n  count: 010\n", 2, 10, "positive number", NULL},
    {"threads:\n  count: 0\n", 2, 10, "positive number", NULL},
    {"threads:\n  count:\n", 2, 0, "has no value", NULL},
    {"threads:\n  ranks: none\n", 2, 10, "ranks", NULL},
    {"threads:\n  count: 4\n  count: 5\n", 3, 3, "second time", NULL},
    {"path: auto\npath: none\n", 2, 1, "second time", NULL},
    {"path: /usr\n", 1, 7, "auto, none or prepend", NULL},
    {"cuda-home: usr/local\n", 1, 12, "absolute", NULL},
    {"library-path:\n  mode: wide\n", 2, 9, "narrow", NULL},
    {"arch: [80]\n", 1, 0, "compute capabilities", NULL},
    {"arch: []\n", 1, 7, "empty list", NULL},
    {"nccl:\n  ib-disable: yes\n", 2, 15, "true or false", NULL},
    {"allocator:\n  jax-fraction: 2\n", 2, 17, "fraction", NULL},
    {"variables:\n  PATH: /bin\n", 2, 3, "path list", NULL},
    {"variables:\n  LD_LIBRARY_PATH: /lib\n", 2, 3, "path list", NULL},
    {"variables:\n  CONDA_PREFIX: /x\n", 2, 3, "belongs to conda", NULL},
    {"variables:\n  CONDAGPU_ACTIVE: 1\n", 2, 3, "condagpu", NULL},
    {"variables:\n  1X: a\n", 2, 3, "name of a variable", NULL},
    {"variables:\n  A-B: a\n", 2, 3, "name of a variable", NULL},
    {"variables:\n  X: a$b\n", 2, 6, "dollar", NULL},
    {"variables:\n  X: a`b\n", 2, 6, "backquote", NULL},
    {"variables:\n  X: \"a\\nb\"\n", 2, 6, "newline", NULL},
    {"variables:\n  X: ''\n", 2, 6, "empty", NULL},
    {"variables:\n  X:\n", 2, 0, "no value", NULL},
    {"variables:\n  X: [1]\n", 2, 6, "list where", NULL},
    {"variables:\n  HF_TOKEN: abc\n", 2, 3, "credential", NULL},
    {"variables:\n  AWS_SECRET_ACCESS_KEY: abc\n", 2, 3, "credential", NULL},
    {"variables:\n  PROXY: http://me:pw@host/\n", 2, 3, "credential", NULL},
    {"a: &x 1\n", 1, 1, "unknown key", NULL},
    {"path: &x auto\n", 1, 7, "anchors", NULL},
    {"path: *x\n", 1, 7, "anchors", NULL},
    {"path: !!str auto\n", 1, 7, "anchors", NULL},
    {"- a\n", 1, 1, "not a mapping", NULL},
    {"text\n", 1, 1, "not a mapping", NULL},
    {"path: none\n---\npath: none\n", 2, 1, "second document", NULL},
    {"arch: [\n", 0, 0, "not valid YAML", NULL},
    {"\tpath: none\n", 1, 0, "not valid YAML", NULL},
    {"path: \"\\0\"\n", 1, 7, "NUL", NULL},
};

START_TEST(points_at_what_is_wrong)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *bad = &bads[i];
        world_open(&w);
        ck_assert_msg(!read_text(bad->content), "taken: %s", bad->content);
        ck_assert_int_eq(w.err.kind, ERR_INPUT);
        ck_assert_msg(strstr(w.err.why, bad->why), "%s gives %s", bad->content, w.err.why);
        ck_assert_msg(!bad->line || w.err.line == bad->line, "%s: line %u", bad->content, w.err.line);
        ck_assert_msg(!bad->column || w.err.column == bad->column, "%s: column %u", bad->content, w.err.column);
        ck_assert_msg(!bad->mend || strstr(w.err.mend, bad->mend), "%s: mend %s", bad->content, w.err.mend);
        world_close(&w);
    }
}
END_TEST

START_TEST(a_missing_file_is_an_input_error)
{
    world_open(&w);
    ck_assert(!config_read(w.arena, path_join(w.arena, w.prefix, "none.yml"), &w.config, &w.err));
    ck_assert_int_eq(w.err.kind, ERR_INPUT);
    world_close(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        reads_every_key,
        an_empty_file_and_auto_leave_all_to_the_rules,
        points_at_what_is_wrong,
        a_missing_file_is_an_input_error,
        NULL,
    };
    return unit_run(unit_suite("config", tests));
}
