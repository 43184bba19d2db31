/* The inventory of prefixes that the tests write themselves. */
#include "prefix/inventory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prefix/record_files.h"
#include "unit.h"
#include "util/file.h"
#include "util/json_stream.h"
#include "util/path.h"

static struct arena *arena;
static char scratch[64];
static struct err err;

static const char *at(const char *relative)
{
    return path_join(arena, scratch, relative);
}

static void put_bytes(const char *relative, struct str content)
{
    const char *path = at(relative);
    ck_assert(dir_make(path_dirname(arena, path), &err));
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(content.s, 1, content.n, file), content.n);
    ck_assert_int_eq(fclose(file), 0);
}

static void put(const char *relative, const char *content)
{
    put_bytes(relative, str_of(content));
}

static void link_to(const char *target, const char *relative)
{
    ck_assert(dir_make(path_dirname(arena, at(relative)), &err));
    ck_assert_int_eq(symlink(target, at(relative)), 0);
}

static void read_prefix(const char *relative, struct inventory *inventory)
{
    ck_assert_msg(inventory_read(arena, at(relative), inventory, &err), "%s", err.why);
}

static void setup(void)
{
    static const char *const variables[] = {"CONDA_ENVS_DIRS", "CONDA_ENVS_PATH", "CONDA_ROOT",
                                            "CONDA_EXE",       "CONDARC",         "MAMBA_ROOT_PREFIX",
                                            "CONDA_PREFIX",    "XDG_CONFIG_HOME", NULL};
    arena = arena_new();
    snprintf(scratch, sizeof scratch, "/tmp/condagpu-prefix-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    for (const char *const *name = variables; *name; name++)
        unsetenv(*name);
    setenv("HOME", at("home"), 1);
}

static void teardown(void)
{
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", scratch, scratch);
    ck_assert_int_eq(system(command), 0);
    arena_free(arena);
}

START_TEST(records_are_named_by_their_files)
{
    struct inventory inventory;
    put("e/conda-meta/history", "");
    put("e/conda-meta/cuda-cudart_linux-64-12.4.127-h85509e4_2.json", "{ not read");
    put("e/conda-meta/python-3.11.9-h_0_cpython.json", "");
    put("e/conda-meta/nodash.json", "");
    put("e/conda-meta/-1-0.json", "");
    put("e/conda-meta/pinned", "");
    put("e/lib/python3.11/site-packages/Typing_Extensions-4.12.2.dist-info/INSTALLER", "pip\n");
    put("e/lib/python3.11/site-packages/torch-2.4.0+cu124.dist-info/INSTALLER", "uv\n");
    put("e/lib/python3.11/site-packages/numpy-1.26.4.dist-info/INSTALLER", "conda\n");
    put("e/lib/python3.11/site-packages/~orch-2.3.0.dist-info/INSTALLER", "pip\n");
    read_prefix("e", &inventory);
    ck_assert(inventory.is_conda);
    ck_assert_uint_eq(inventory.records.n, 4);
    ck_assert_str_eq(inventory.records.v[0].name, "cuda-cudart_linux-64");
    ck_assert_str_eq(inventory.records.v[0].version, "12.4.127");
    ck_assert_str_eq(inventory.records.v[0].build, "h85509e4_2");
    ck_assert_str_eq(inventory.records.v[2].name, "torch");
    ck_assert_str_eq(inventory.records.v[2].version, "2.4.0+cu124");
    ck_assert_str_eq(inventory.records.v[2].installer, "uv");
    ck_assert_ptr_null(inventory.records.v[2].build);
    ck_assert_ptr_nonnull(inventory_find(&inventory, RECORD_PIP, "typing-extensions"));
    ck_assert_ptr_null(inventory_find(&inventory, RECORD_PIP, "numpy"));
    ck_assert_uint_eq(inventory.notes.n, 3);
    size_t from = 0;
    ck_assert_ptr_nonnull(inventory_next(&inventory, RECORD_CONDA, "cuda-", &from));
    ck_assert_ptr_null(inventory_next(&inventory, RECORD_CONDA, "cuda-", &from));
}
END_TEST

START_TEST(places_are_found_and_links_are_counted_once)
{
    struct inventory inventory;
    put("real env \xc3\xa9/lib/python3.11/site-packages/x.py", "");
    put("real env \xc3\xa9/bin/python3.11", "");
    put("real env \xc3\xa9/targets/x86_64-linux/lib/x", "");
    put("real env \xc3\xa9/targets/notes/x", "");
    link_to("python3.11", "real env \xc3\xa9/lib/python3.1");
    link_to("python3.11", "real env \xc3\xa9/bin/python");
    link_to("real env \xc3\xa9", "link");
    read_prefix("link", &inventory);
    ck_assert_str_eq(inventory.prefix, at("link"));
    ck_assert_str_eq(inventory.real, at("real env \xc3\xa9"));
    ck_assert(!inventory.is_conda);
    ck_assert_uint_eq(inventory.site_packages.n, 1);
    ck_assert_str_eq(inventory.site_packages.v[0], at("link/lib/python3.11/site-packages"));
    ck_assert_str_eq(inventory.python, at("link/bin/python"));
    ck_assert_uint_eq(inventory.targets.n, 1);
    ck_assert_str_eq(inventory.targets.v[0], "x86_64-linux");
    put("file", "");
    ck_assert(!inventory_read(arena, at("file"), &inventory, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert(!inventory_read(arena, at("absent"), &inventory, &err));
}
END_TEST

START_TEST(hooks_are_in_condas_order)
{
    static const char *const names[] = {"~zz-condagpu.sh", "\xc3\xa9.sh", "a_b.sh", "Z.sh",
                                        "9_a.sh",          "10_a.sh",     "a-b.sh"};
    static const char *const sorted[] = {"10_a.sh", "9_a.sh",          "Z.sh",       "a-b.sh",
                                         "a_b.sh",  "~zz-condagpu.sh", "\xc3\xa9.sh"};
    struct inventory inventory;
    for (size_t i = 0; i < 7; i++)
        put(arena_printf(arena, "e/etc/conda/activate.d/%s", names[i]), "");
    put("e/etc/conda/deactivate.d/a.fish", "");
    read_prefix("e", &inventory);
    ck_assert_uint_eq(inventory.hooks.n, 8);
    for (size_t i = 0; i < 7; i++) {
        ck_assert_str_eq(inventory.hooks.v[i].name, sorted[i]);
        ck_assert(inventory.hooks.v[i].activate);
        ck_assert_int_eq(inventory.hooks.v[i].ours, i == 5);
    }
    ck_assert(!inventory.hooks.v[7].activate);
}
END_TEST

#define HEX_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HEX_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define HEX_B_LOWER "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void put_cuda_prefix(void)
{
    put("e/targets/x86_64-linux/lib/libcudart.so.12.4.127", "runtime");
    link_to("libcudart.so.12.4.127", "e/targets/x86_64-linux/lib/libcudart.so.12");
    link_to("../targets/x86_64-linux/lib/libcudart.so.12", "e/lib/libcudart.so.12");
    put("e/conda-meta/broken-1.0-0.json", "{\"files\": [");
    put("e/conda-meta/aaa-1.0-0.json", "{\"files\": [\"lib/other.so\"], \"paths_data\": {\"paths\": []}}");
    put("e/conda-meta/cuda-cudart-12.4.127-0.json",
        "{\"files\": [\"lib/libcudart.so.12\"], \"paths_data\": {\"paths\": [{\"_path\": \"lib/libcudart.so.12\","
        "\"path_type\": \"softlink\", \"sha256\": \"" HEX_A "\"}]}}");
    put("e/conda-meta/cuda-cudart_linux-64-12.4.127-0.json",
        "{\"files\": [\"targets/x86_64-linux/lib/libcudart.so.12.4.127\", \"bin/x\"], \"paths_data\": {\"paths\": ["
        "{\"_path\": \"bin/x\", \"prefix_placeholder\": \"/p\", \"sha256\": \"" HEX_A "\"},"
        "{\"_path\": \"targets/x86_64-linux/lib/libcudart.so.12.4.127\", \"sha256\": \"" HEX_A "\","
        "\"sha256_in_prefix\": \"" HEX_B "\"}]}}");
    put("e/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12", "wheel");
    put("e/lib/python3.11/site-packages/odd, \"name\".libs/libcudart-0a1b.so.12.2.140", "bundled");
    put("e/lib/python3.11/site-packages/nvidia_cuda_runtime_cu12-12.4.127.dist-info/RECORD",
        "nvidia/cuda_runtime/lib/libcudart.so.12,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,5\r\n"
        "\"odd, \"\"name\"\".libs/libcudart-0a1b.so.12.2.140\",,\r\n../../../bin/tool,,\r\n");
}

START_TEST(owners_are_found_with_their_digests)
{
    static const char wheel[] = "e/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12";
    struct inventory inventory;
    put_cuda_prefix();
    put("e/bin/tool", "");
    put("e/bin/x", "");
    put("e/bin/stray", "");
    read_prefix("e", &inventory);
    struct owner owner = inventory_owner(arena, &inventory, at("e/targets/x86_64-linux/lib/libcudart.so.12.4.127"));
    ck_assert_str_eq(owner.record->name, "cuda-cudart_linux-64");
    ck_assert_str_eq(owner.sha256, HEX_B_LOWER);
    owner = inventory_owner(arena, &inventory, at("e/lib/libcudart.so.12"));
    ck_assert_str_eq(owner.record->name, "cuda-cudart");
    ck_assert_ptr_null(owner.sha256);
    /* Nobody lists this link: its target's owner counts. */
    owner = inventory_owner(arena, &inventory, at("e/targets/x86_64-linux/lib/libcudart.so.12"));
    ck_assert_str_eq(owner.record->name, "cuda-cudart_linux-64");
    owner = inventory_owner(arena, &inventory, at("e/bin/x"));
    ck_assert_str_eq(owner.record->name, "cuda-cudart_linux-64");
    ck_assert_ptr_null(owner.sha256);
    owner = inventory_owner(arena, &inventory, at(wheel));
    ck_assert_str_eq(owner.record->name, "nvidia-cuda-runtime-cu12");
    ck_assert_str_eq(owner.sha256, sha256_hex(arena, STR("")));
    owner = inventory_owner(arena, &inventory, at("e/bin/tool"));
    ck_assert_str_eq(owner.record->name, "nvidia-cuda-runtime-cu12");
    ck_assert_ptr_null(inventory_owner(arena, &inventory, at("e/bin/stray")).record);
    ck_assert_ptr_null(inventory_owner(arena, &inventory, "/etc/passwd").record);
}
END_TEST

START_TEST(cudart_files_are_real_and_listed_once)
{
    struct inventory inventory;
    struct strv paths = {0};
    put_cuda_prefix();
    link_to("nowhere", "e/lib/libcudart.so.11.0");
    put("e/lib/libcudart_static.a", "");
    put("e/lib/python3.11/site-packages/torch/lib/libcudart-1a2b3c4d.so.11.0", "torch's");
    read_prefix("e", &inventory);
    inventory_cudart_files(arena, &inventory, &paths);
    ck_assert_uint_eq(paths.n, 4);
    ck_assert_str_eq(paths.v[0], at("e/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"));
    ck_assert_str_eq(paths.v[1], at("e/lib/python3.11/site-packages/odd, \"name\".libs/libcudart-0a1b.so.12.2.140"));
    ck_assert_str_eq(paths.v[2], at("e/lib/python3.11/site-packages/torch/lib/libcudart-1a2b3c4d.so.11.0"));
    ck_assert_str_eq(paths.v[3], at("e/targets/x86_64-linux/lib/libcudart.so.12.4.127"));
}
END_TEST

START_TEST(env_vars_come_in_condas_order)
{
    struct inventory inventory;
    struct env_vars vars;
    put("e/etc/conda/env_vars.d/a.json", "{\"ONE\": \"a\", \"TWO\": \"a\", \"N\": 3}");
    put("e/etc/conda/env_vars.d/b.json", "{\"TWO\": \"b\"}");
    put("e/conda-meta/state", "{\"version\": 1, \"env_vars\": {\"ONE\": \"state\", \"OFF\": \"***unset***\"}}");
    read_prefix("e", &inventory);
    ck_assert(inventory_env_vars(arena, &inventory, &vars, &err));
    ck_assert_uint_eq(vars.n, 3);
    ck_assert_str_eq(vars.v[0].name, "ONE");
    ck_assert_str_eq(vars.v[0].value, "state");
    ck_assert_str_eq(vars.v[0].file, at("e/conda-meta/state"));
    ck_assert_str_eq(vars.v[1].value, "b");
    ck_assert_str_eq(vars.v[2].value, ENV_VAR_UNSET);
    put("e/etc/conda/env_vars.d/README", "{\n  \"A\": \n}");
    read_prefix("e", &inventory);
    ck_assert(!inventory_env_vars(arena, &inventory, &vars, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert_str_eq(err.file, at("e/etc/conda/env_vars.d/README"));
    ck_assert_uint_eq(err.line, 3);
}
END_TEST

START_TEST(torch_is_read_as_text)
{
    static const char file[] = "e/lib/python3.12/site-packages/torch/version.py";
    struct inventory inventory;
    struct torch_build torch;
    put("e/conda-meta/pytorch-2.1.0-cuda121.json", "{}");
    put(file, "from typing import Optional\n\n__all__ = ['cuda']\n__version__ = '2.1.0+cu121'\ndebug = False\n"
              "cuda: Optional[str] = '12.1'\ncuda_extra = '9'\nhip: Optional[str] = None\n");
    read_prefix("e", &inventory);
    inventory_torch(arena, &inventory, &torch);
    ck_assert(torch.present);
    ck_assert_str_eq(torch.version, "2.1.0+cu121");
    ck_assert_str_eq(torch.cuda, "12.1");
    ck_assert_str_eq(torch.record->name, "pytorch");
    put(file, "__version__ = \"1.12.1\"\ncuda = None\n");
    inventory_torch(arena, &inventory, &torch);
    ck_assert_str_eq(torch.version, "1.12.1");
    ck_assert_ptr_null(torch.cuda);
    ck_assert_int_eq(unlink(at(file)), 0);
    inventory_torch(arena, &inventory, &torch);
    ck_assert(!torch.present);
}
END_TEST

static void find(const char *name, const char *relative)
{
    const char *prefix;
    ck_assert_msg(prefix_by_name(arena, name, &prefix, &err), "%s: %s", name, err.why);
    ck_assert_str_eq(prefix, at(relative));
}

START_TEST(names_are_looked_up_as_conda_does)
{
    const char *prefix;
    put("root/envs/x/conda-meta/history", "");
    put("one/x/conda-meta/history", "");
    put("two/y \xc3\xa9/conda-meta/history", "");
    put("home/three/z/conda-meta/history", "");
    put("far/w/conda-meta/history", "");
    put("home/.condarc", arena_printf(arena, "channels:\n  - envs_dirs\nenvs_dirs:\n  - ~/three\n  - %s\n", at("two")));
    put("home/.conda/environments.txt", arena_printf(arena, "%s\n/gone/w\n", at("far/w")));
    ck_assert(!prefix_by_name(arena, "base", &prefix, &err));
    setenv("CONDA_EXE", at("root/bin/conda"), 1);
    find("base", "root");
    find("x", "root/envs/x");
    find("y \xc3\xa9", "two/y \xc3\xa9");
    find("z", "home/three/z");
    find("w", "far/w");
    setenv("CONDA_ENVS_PATH", arena_printf(arena, "%s:%s", at("none"), at("one")), 1);
    find("x", "one/x");
    put("root/.condarc", arena_printf(arena, "envs_path: [%s]\n", at("four")));
    put("four/v/x", "");
    find("v", "four/v");
    put("rc", arena_printf(arena, "envs_dirs:\n  - $HOME/five\n"));
    put("home/five/z/x", "");
    setenv("CONDARC", at("rc"), 1);
    find("z", "home/five/z");
    ck_assert(!prefix_by_name(arena, "nowhere", &prefix, &err));
    ck_assert_ptr_nonnull(strstr(err.why, at("root/envs")));
    ck_assert(!prefix_by_name(arena, "../x", &prefix, &err));
    ck_assert(!prefix_by_name(arena, "", &prefix, &err));
    put("near/w/x", "");
    put("home/.conda/environments.txt", arena_printf(arena, "%s\n%s\n", at("far/w"), at("near/w")));
    ck_assert(!prefix_by_name(arena, "w", &prefix, &err));
    ck_assert_ptr_nonnull(strstr(err.why, "2 environments"));
    put("rc", "envs_dirs: [unclosed\n  - : {");
    find("v", "four/v");
}
END_TEST

struct seen {
    struct str wanted;
    const char *place;
    int times;
};

static bool count_event(void *context, const struct json_event *event)
{
    struct seen *seen = context;
    if (event->kind == JSON_EVENT_STRING && str_eq(event->text, seen->wanted) && strcmp(event->path, seen->place) == 0)
        seen->times++;
    return true;
}

START_TEST(json_places_are_exact)
{
    static const char text[] =
        "{\"a\": [{\"b\": \"v\"}, [\"v\"], \"v\"], \"a[].b\": \"v\", \"\": \"v\", \"a\\u0000\": 1e999}";
    static const char *const places[] = {"a[].b", "a[][]", "a[]", "a\\[\\]\\.b", ""};
    for (size_t i = 0; i < 5; i++) {
        struct seen seen = {STR("v"), places[i], 0};
        ck_assert(json_stream_bytes(str_of(text), "name", "test", count_event, &seen, &err));
        ck_assert_int_eq(seen.times, 1);
    }
}
END_TEST

static void refuses(struct str bytes, unsigned line)
{
    struct seen seen = {STR("v"), "", 0};
    err = (struct err){0};
    ck_assert(!json_stream_bytes(bytes, "name", "test", count_event, &seen, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert_uint_eq(err.line, line);
}

START_TEST(bad_json_is_an_error_with_its_line)
{
    char *deep = arena_alloc(arena, 1001), *large = arena_alloc(arena, 3 * 1024 * 1024);
    refuses(STR(""), 1);
    refuses(STR("{\n\"a\": 1,\n}"), 3);
    refuses(STR("{} {}"), 1);
    memset(deep, '[', 1000);
    refuses(str_of(deep), 1);
    memset(large, 'x', 3 * 1024 * 1024 - 1);
    large[0] = '"';
    refuses(str_of(large), 1);
    struct seen seen = {STR("v"), "", 0};
    char *key = arena_printf(arena, "{\"%2000d\": {\"b\": [\"v\"]}}", 1);
    ck_assert(json_stream_bytes(str_of(key), "name", "test", count_event, &seen, &err));
}
END_TEST

static bool count_file(void *context, const struct record_file *file)
{
    (void)file;
    ++*(int *)context;
    return true;
}

START_TEST(bad_records_are_errors)
{
    int files = 0;
    ck_assert(!record_files_bytes(RECORD_PIP, STR("a,,\n\"open,,\n"), count_file, &files, &err));
    ck_assert_int_eq(files, 1);
    ck_assert(record_files_bytes(RECORD_PIP, STR("a,sha256=short,1\n\n,\nb"), count_file, &files, &err));
    ck_assert_int_eq(files, 3);
    ck_assert(!record_files_bytes(RECORD_CONDA, STR("[}"), count_file, &files, &err));
    ck_assert(
        record_files_bytes(RECORD_CONDA, STR("{\"files\": [1, {\"a\": \"b\"}, \"x\"]}"), count_file, &files, &err));
    ck_assert_int_eq(files, 4);
}
END_TEST

START_TEST(records_are_not_opened_for_their_names)
{
    struct inventory inventory;
    /* Nobody, not even root, can open these. */
    for (int i = 0; i < 500; i++)
        link_to("nowhere", arena_printf(arena, "e/conda-meta/package-%d-1.0-0.json", i));
    read_prefix("e", &inventory);
    ck_assert_uint_eq(inventory.records.n, 500);
    ck_assert_uint_eq(inventory.notes.n, 0);
}
END_TEST

START_TEST(requirements_are_read_as_they_are_written)
{
    struct inventory inventory;
    put("r/conda-meta/history", "");
    put("r/conda-meta/pytorch-2.5.1-0.json",
        "{\"constrains\": [\"cudnn 1\"], \"depends\": [\"cudnn-extra 2\", \"cudnn >=9.3,<10\"], \"files\": []}");
    put("r/conda-meta/broken-1-0.json", "{\"depends\": [");
    put("r/lib/python3.12/site-packages/torch-2.4.0.dist-info/METADATA",
        "Name: torch\nRequires-Dist: numpy\r\nRequires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; sys_platform == 'linux'\n"
        "\nRequires-Dist: nvidia-cublas in the description\n");
    read_prefix("r", &inventory);
    const struct record *conda = inventory_find(&inventory, RECORD_CONDA, "pytorch");
    const struct record *pip = inventory_find(&inventory, RECORD_PIP, "torch");
    ck_assert_str_eq(inventory_requirement(arena, conda, "cudnn "), "cudnn >=9.3,<10");
    ck_assert_ptr_null(inventory_requirement(arena, conda, "libcudnn"));
    ck_assert_ptr_null(inventory_requirement(arena, inventory_find(&inventory, RECORD_CONDA, "broken"), "cudnn"));
    ck_assert_str_eq(inventory_requirement(arena, pip, "nvidia-cudnn-cu"),
                     "nvidia-cudnn-cu12 (==9.1.0.70) ; sys_platform == 'linux'");
    ck_assert_ptr_null(inventory_requirement(arena, pip, "nvidia-cublas"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        records_are_named_by_their_files,
        places_are_found_and_links_are_counted_once,
        hooks_are_in_condas_order,
        owners_are_found_with_their_digests,
        cudart_files_are_real_and_listed_once,
        env_vars_come_in_condas_order,
        torch_is_read_as_text,
        names_are_looked_up_as_conda_does,
        json_places_are_exact,
        bad_json_is_an_error_with_its_line,
        bad_records_are_errors,
        records_are_not_opened_for_their_names,
        requirements_are_read_as_they_are_written,
        NULL,
    };
    Suite *suite = suite_create("prefix");
    TCase *tcase = tcase_create("prefix");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (const TTest *const *test = tests; *test; test++)
        tcase_add_test(tcase, *test);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
