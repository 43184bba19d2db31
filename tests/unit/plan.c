/* The rules, from facts built by hand: what is set, what is not, and why. */
#include "world.h"

#include "plan/grammar.h"
#include "plan/value.h"
#include "report/plan_text.h"
#include "unit.h"

#define contains(text, part)                                                                                           \
    ck_assert_msg(strstr((text), (part)) != NULL, "\"%s\" does not hold \"%s\"", (text), (part))

static const char site[] = "lib/python3.11/site-packages";

static void use_site_packages(struct world *w)
{
    world_file(w, "lib/python3.11/site-packages/README", "", 0644);
    strv_add(w->arena, &w->inventory.site_packages, path_join(w->arena, w->prefix, site));
}

START_TEST(sets_cuda_home_to_a_prefix_with_the_pinned_nvcc)
{
    struct world w;
    world_open(&w);
    world_file(&w, "bin/nvcc", "#!/bin/sh\n", 0755);
    world_record(&w, RECORD_CONDA, "cuda-nvcc", "12.4.131");
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), "$CONDA_PREFIX");
    ck_assert_str_eq(world_value(&w, "CUDA_PATH", 0), "$CONDA_PREFIX");
    ck_assert_int_eq(world_op(&w, "CUDA_HOME", 0)->kind, OP_SET);
    contains(world_op(&w, "CUDA_HOME", 0)->why, "cuda-nvcc 12.4.131");
    contains(world_op(&w, "CUDA_HOME", 0)->why, "environment.yml:7");
    ck_assert_ptr_null(world_op(&w, "PATH", 0));
    world_close(&w);
}
END_TEST

START_TEST(never_makes_the_nvcc_wrapper_of_cuda_11_call_itself)
{
    struct world w;
    world_open(&w);
    world_file(&w, "bin/nvcc", "#!/bin/sh\n", 0755);
    world_record(&w, RECORD_CONDA, "nvcc_linux-64", "11.8");
    world_record(&w, RECORD_CONDA, "cudatoolkit", "11.8.0");
    world_pin(&w, MANAGER_CONDA, "cudatoolkit=11.8", 11, 8);
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    contains(world_abstention(&w, "cuda-home"), "nvcc_linux-64 11.8");
    contains(world_abstention(&w, "cuda-home"), "wrapper");
    world_close(&w);
}
END_TEST

START_TEST(abstains_without_nvcc_and_says_what_was_found_and_what_helps)
{
    struct world w;
    world_open(&w);
    world_toolkit(&w, "/usr/local/cuda", "/usr/local/cuda-12.1", 12, 1);
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    const char *why = world_abstention(&w, "cuda-home");
    contains(why, "no nvcc in the prefix");
    contains(why, "/usr/local/cuda is 12.1");
    contains(why, "12.4 by the pin cuda-version=12.4 (environment.yml:7)");
    contains(why, "cuda-nvcc=12.4 would bring one");
    world_close(&w);
}
END_TEST

START_TEST(takes_a_system_toolkit_of_exactly_the_pinned_release)
{
    struct world w, t;
    world_open(&w);
    world_open(&t);
    const char *real = path_join(t.arena, t.prefix, "cuda-12.4"), *link = path_join(t.arena, t.prefix, "cuda");
    world_file(&t, "cuda-12.4/bin/nvcc", "#!/bin/sh\n", 0755);
    world_file(&t, "cuda-12.4/lib64/libcudart.so.12", "", 0644);
    world_toolkit(&w, "/usr/local/cuda-12.1", "/usr/local/cuda-12.1", 12, 1);
    struct toolkit *toolkit = world_toolkit(&w, link, real, 12, 4);
    strv_add(w.arena, &toolkit->libraries, path_join(w.arena, real, "lib64/stubs"));
    strv_add(w.arena, &toolkit->libraries, path_join(w.arena, real, "lib64"));
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), real);
    contains(world_op(&w, "CUDA_HOME", 0)->why, arena_printf(w.arena, "%s leads there", link));
    ck_assert_ptr_null(world_op(&w, "PATH", 0));
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), path_join(w.arena, real, "lib64"));
    ck_assert_ptr_null(world_op(&w, "LD_LIBRARY_PATH", 1));
    w.config.path.value = "prepend";
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "PATH", 0), path_join(w.arena, real, "bin"));
    ck_assert_int_eq(world_op(&w, "PATH", 0)->kind, OP_PREPEND);
    world_close(&t);
    world_close(&w);
}
END_TEST

START_TEST(never_names_a_missing_toolkit_or_another_release)
{
    struct world w;
    world_open(&w);
    world_toolkit(&w, "/nonexistent/cuda-12.4", "/nonexistent/cuda-12.4", 12, 4);
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    w.machine.source = "node17.json";
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), "/nonexistent/cuda-12.4");
    w.facts.spec = NULL;
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    contains(world_abstention(&w, "cuda-home"), "nothing pins CUDA");
    world_close(&w);
}
END_TEST

START_TEST(passes_over_a_prefix_nvcc_of_another_release)
{
    struct world w;
    world_open(&w);
    world_file(&w, "bin/nvcc", "#!/bin/sh\n", 0755);
    world_record(&w, RECORD_CONDA, "cuda-nvcc", "12.6.20");
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    contains(world_abstention(&w, "cuda-home"), "12.6");
    w.facts.spec = NULL;
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), "$CONDA_PREFIX");
    w.facts.spec = &w.spec;
    w.spec.release = RELEASE_NONE;
    w.spec.effective = (struct cuda_range){.min = {12, 8, -1}, .max = RELEASE_NONE};
    w.spec.effective_text = ">=12.8";
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDA_HOME", 0));
    contains(world_abstention(&w, "cuda-home"), "the pins say >=12.8");
    world_close(&w);
}
END_TEST

START_TEST(finds_the_root_of_cuda_13_wheels)
{
    struct world w;
    world_open(&w);
    use_site_packages(&w);
    world_file(&w, "lib/python3.11/site-packages/nvidia/cu13/bin/nvcc", "", 0755);
    world_file(&w, "lib/python3.11/site-packages/nvidia/cu13/lib/libcudart.so.13", "", 0644);
    world_record(&w, RECORD_PIP, "nvidia-cuda-nvcc", "13.0.88");
    world_record(&w, RECORD_PIP, "nvidia-cuda-runtime", "13.0.96");
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), "$CONDA_PREFIX/lib/python3.11/site-packages/nvidia/cu13");
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0),
                     "$CONDA_PREFIX/lib/python3.11/site-packages/nvidia/cu13/lib");
    contains(world_op(&w, "LD_LIBRARY_PATH", 0)->why, "nvidia-cuda-runtime 13.0.96 (pip)");
    world_close(&w);
}
END_TEST

START_TEST(cuda_home_as_configured)
{
    struct world w;
    world_open(&w);
    w.config.file = "condagpu.yml";
    w.config.cuda_home = (struct setting){"none", 3, 12};
    ck_assert(world_plan(&w));
    contains(world_abstention(&w, "cuda-home"), "condagpu.yml:3");
    w.config.cuda_home.value = "/nonexistent/cuda";
    ck_assert(!world_plan(&w));
    ck_assert_int_eq(w.err.kind, ERR_INPUT);
    ck_assert_uint_eq(w.err.line, 3);
    ck_assert_uint_eq(w.err.column, 12);
    w.config.cuda_home.value = "$CONDA_PREFIX";
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_HOME", 0), "$CONDA_PREFIX");
    world_close(&w);
}
END_TEST

START_TEST(exposes_the_narrow_directory_of_targets)
{
    struct world w;
    world_open(&w);
    world_file(&w, "targets/x86_64-linux/lib/libcudart.so.12.4.127", "", 0644);
    world_file(&w, "targets/x86_64-linux/lib/stubs/libcuda.so", "", 0644);
    world_file(&w, "targets/sbsa-linux/lib/libcudart.so.12.4.127", "", 0644);
    strv_add(w.arena, &w.inventory.targets, "sbsa-linux");
    strv_add(w.arena, &w.inventory.targets, "x86_64-linux");
    world_record(&w, RECORD_CONDA, "cuda-cudart", "12.4.127");
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), "$CONDA_PREFIX/targets/x86_64-linux/lib");
    contains(world_op(&w, "LD_LIBRARY_PATH", 0)->why, "cuda-cudart 12.4.127 (conda)");
    contains(world_op(&w, "LD_LIBRARY_PATH", 0)->why, "environment.yml:7");
    world_close(&w);
}
END_TEST

START_TEST(makes_no_links_where_lib_holds_links_to_targets_only)
{
    struct world w;
    world_open(&w);
    world_file(&w, "targets/x86_64-linux/lib/libcudart.so.12.4.127", "", 0644);
    world_file(&w, "lib/libz.so.1", "", 0644);
    world_link(&w, "lib/libcudart.so.12", "../targets/x86_64-linux/lib/libcudart.so.12.4.127");
    strv_add(w.arena, &w.inventory.targets, "x86_64-linux");
    ck_assert(world_plan(&w));
    ck_assert_uint_eq(w.plan.links.n, 0);
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), "$CONDA_PREFIX/targets/x86_64-linux/lib");
    ck_assert_ptr_null(world_op(&w, "LD_LIBRARY_PATH", 1));
    world_close(&w);
}
END_TEST

START_TEST(links_cuda_libraries_only_in_a_flat_layout)
{
    struct world w;
    world_open(&w);
    static const char *const files[] = {
        "lib/libcudart.so.11.8.89",      "lib/libcublasLt.so.11", "lib/libnppc.so.11",  "lib/libcudnn_ops_infer.so.8",
        "lib/libnvrtc-builtins.so.11.8", "lib/libtinfo.so.6",     "lib/libstdc++.so.6", "lib/libssl.so.3",
        "lib/libcudart_static.a",        "lib/libcuda.so.1"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        world_file(&w, files[i], "", 0644);
    world_link(&w, "lib/libcudart.so.11.0", "libcudart.so.11.8.89");
    world_record(&w, RECORD_CONDA, "cudatoolkit", "11.8.0");
    world_pin(&w, MANAGER_CONDA, "cudatoolkit=11.8", 11, 8);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), "$CONDA_PREFIX/lib/condagpu");
    ck_assert_uint_eq(w.plan.links.n, 6);
    ck_assert_str_eq(w.plan.links.v[0].name, "libcublasLt.so.11");
    ck_assert_str_eq(w.plan.links.v[0].target, "../libcublasLt.so.11");
    bool has_soname = false;
    for (size_t i = 0; i < w.plan.links.n; i++)
        has_soname |= strcmp(w.plan.links.v[i].name, "libcudart.so.11.0") == 0;
    ck_assert(has_soname);
    world_close(&w);
}
END_TEST

static void both_runtimes(struct world *w)
{
    use_site_packages(w);
    world_file(w, "targets/x86_64-linux/lib/libcudart.so.12.4.127", "", 0644);
    strv_add(w->arena, &w->inventory.targets, "x86_64-linux");
    world_file(w, "lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12", "", 0644);
    world_file(w, "lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9", "", 0644);
    world_file(w, "lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12", "", 0644);
    world_file(w, "lib/python3.11/site-packages/nvidia/other/lib/notes.txt", "", 0644);
    world_record(w, RECORD_CONDA, "cuda-cudart", "12.4.127");
    world_record(w, RECORD_PIP, "nvidia-cuda-runtime-cu12", "12.1.105");
    world_record(w, RECORD_PIP, "nvidia-cudnn-cu12", "9.1.0.70");
}

START_TEST(puts_the_pinned_runtime_first)
{
    struct world w;
    world_open(&w);
    both_runtimes(&w);
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), "$CONDA_PREFIX/targets/x86_64-linux/lib");
    contains(world_value(&w, "LD_LIBRARY_PATH", 1), "nvidia/cudnn/lib");
    contains(world_value(&w, "LD_LIBRARY_PATH", 2), "nvidia/cublas/lib");
    contains(world_value(&w, "LD_LIBRARY_PATH", 3), "nvidia/cuda_runtime/lib");
    ck_assert_ptr_null(world_op(&w, "LD_LIBRARY_PATH", 4));
    w.spec.pins.n = 0;
    world_pin(&w, MANAGER_PIP, "nvidia-cuda-runtime-cu12==12.1.105", 12, 1);
    ck_assert(world_plan(&w));
    contains(world_value(&w, "LD_LIBRARY_PATH", 0), "nvidia/cuda_runtime/lib");
    contains(world_op(&w, "LD_LIBRARY_PATH", 0)->why, "nvidia-cuda-runtime-cu12 12.1.105 (pip)");
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 3), "$CONDA_PREFIX/targets/x86_64-linux/lib");
    world_close(&w);
}
END_TEST

START_TEST(library_path_modes)
{
    struct world w;
    world_open(&w);
    both_runtimes(&w);
    w.config.library_mode = LIBRARY_APPEND;
    ck_assert(world_plan(&w));
    ck_assert_int_eq(world_op(&w, "LD_LIBRARY_PATH", 0)->kind, OP_APPEND);
    w.config.library_mode = LIBRARY_PREFIX;
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "LD_LIBRARY_PATH", 0), "$CONDA_PREFIX/lib");
    w.config.library_mode = LIBRARY_NONE;
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "LD_LIBRARY_PATH", 0));
    contains(world_abstention(&w, "library-path"), "switched off");
    world_close(&w);
}
END_TEST

START_TEST(appends_the_driver_of_wsl_last)
{
    struct world w;
    world_open(&w);
    both_runtimes(&w);
    w.machine.wsl = true;
    ck_assert(world_plan(&w));
    const struct op *last = &w.plan.ops.v[0];
    for (size_t i = 0; i < w.plan.ops.n; i++)
        if (strcmp(w.plan.ops.v[i].name, "LD_LIBRARY_PATH") == 0)
            last = &w.plan.ops.v[i];
    ck_assert_str_eq(last->value, "/usr/lib/wsl/lib");
    ck_assert_int_eq(last->kind, OP_APPEND);
    world_close(&w);
}
END_TEST

START_TEST(refuses_a_directory_that_no_hook_can_hold)
{
    struct world w, t;
    static const char *const names[] = {"cu$da", "cu'da", "cu:da", "cu;da", "cu`da", "cu!da", "cu\\da", "cu\nda", NULL};
    world_open(&t);
    for (const char *const *name = names; *name; name++) {
        world_open(&w);
        const char *root = path_join(t.arena, t.prefix, *name);
        world_file(&t, path_join(t.arena, *name, "bin/nvcc"), "", 0755);
        world_toolkit(&w, root, root, 12, 4);
        world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
        ck_assert_msg(!world_plan(&w), "%s was taken", root);
        ck_assert_int_eq(w.err.kind, ERR_INPUT);
        contains(w.err.why, "it holds");
        world_close(&w);
    }
    world_close(&t);
}
END_TEST

struct thread_case {
    struct cpu cpu;
    size_t gpus;
    const char *count, *numexpr;
};

static const struct thread_case thread_cases[] = {
    {{.affinity = 16, .cores = 8, .usable = 8}, 0, "8", ""},
    {{.affinity = 16, .cores = 8, .usable = 8}, 2, "4", ""},
    {{.affinity = 16, .cores = 8, .usable = 8}, 3, "2", ""},
    {{.affinity = 2, .cores = 2, .usable = 2}, 8, "1", ""},
    {{.affinity = 256, .cores = 128, .usable = 128}, 1, "128", "128"},
    {{.affinity = 128, .cores = 64, .usable = 64}, 1, "64", ""},
    {{.affinity = 128, .cores = 64, .quota = 4, .usable = 4}, 1, "4", ""},
    {{.affinity = 128, .cores = 64, .usable = 64, .pids_max = 64}, 1, "32", ""},
    {{.affinity = 128, .cores = 64, .usable = 64, .pids_max = 1}, 1, "1", ""},
    {{0}, 1, "", ""},
};

START_TEST(counts_threads)
{
    for (size_t i = 0; i < sizeof thread_cases / sizeof *thread_cases; i++) {
        struct world w;
        world_open(&w);
        w.machine.cpu = thread_cases[i].cpu;
        for (size_t gpu = 0; gpu < thread_cases[i].gpus; gpu++)
            world_gpu(&w, 8, 0);
        ck_assert(world_plan(&w));
        ck_assert_str_eq(world_value(&w, "OMP_NUM_THREADS", 0), thread_cases[i].count);
        ck_assert_str_eq(world_value(&w, "MKL_NUM_THREADS", 0), thread_cases[i].count);
        ck_assert_str_eq(world_value(&w, "NUMEXPR_MAX_THREADS", 0), thread_cases[i].numexpr);
        const struct op *op = world_op(&w, "OMP_NUM_THREADS", 0);
        ck_assert(!op || (op->kind == OP_DEFAULT && strcmp(op->lead, "SLURM_CPUS_PER_TASK") == 0));
        world_close(&w);
    }
}
END_TEST

START_TEST(counts_threads_for_configured_ranks)
{
    struct world w;
    world_open(&w);
    w.config.ranks = (struct setting){"4", 2, 10};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "OMP_NUM_THREADS", 0), "2");
    w.config.ranks.value = NULL;
    w.config.visible = (struct setting){"0,1,2,3", 4, 10};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "OMP_NUM_THREADS", 0), "2");
    w.config.threads = (struct setting){"3", 3, 10};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "OMP_NUM_THREADS", 0), "3");
    ck_assert_ptr_null(world_op(&w, "OMP_NUM_THREADS", 0)->lead);
    world_close(&w);
}
END_TEST

struct allocator_case {
    const char *torch, *cuda, *kernel;
    bool wsl;
    const char *value;
};

static const struct allocator_case allocator_cases[] = {
    {"2.5.0+cu124", "12.4", "6.1.0-13-amd64", false, "expandable_segments:True"},
    {"2.14.0", "13.0", "5.6.0", false, "expandable_segments:True"},
    {"2.5.0", "12.4", "5.5.19", false, "garbage_collection_threshold:0.8"},
    {"2.5.0", "12.4", "5.15.90.1-microsoft-standard-WSL2", true, "garbage_collection_threshold:0.8"},
    {"2.4.1", "12.4", "6.1.0", false, "garbage_collection_threshold:0.8"},
    {"2.0.0", "11.8", "6.1.0", false, "garbage_collection_threshold:0.8"},
    {"1.13.1", "11.7", "6.1.0", false, ""},
    {"2.5.0+cpu", NULL, "6.1.0", false, ""},
};

START_TEST(chooses_allocator_options_that_this_torch_takes)
{
    for (size_t i = 0; i < sizeof allocator_cases / sizeof *allocator_cases; i++) {
        struct world w;
        world_open(&w);
        world_torch(&w, allocator_cases[i].torch, allocator_cases[i].cuda);
        w.machine.kernel = allocator_cases[i].kernel;
        w.machine.wsl = allocator_cases[i].wsl;
        ck_assert(world_plan(&w));
        ck_assert_str_eq(world_value(&w, "PYTORCH_CUDA_ALLOC_CONF", 0), allocator_cases[i].value);
        const struct op *op = world_op(&w, "PYTORCH_CUDA_ALLOC_CONF", 0);
        contains(op ? op->why : world_abstention(&w, "allocator"), allocator_cases[i].torch);
        world_close(&w);
    }
}
END_TEST

START_TEST(takes_torch_from_the_pins_where_none_is_installed)
{
    static const struct {
        const char *name, *version, *value;
    } cases[] = {
        {"torch", "==2.6.0", "expandable_segments:True"},
        {"pytorch", "2.1.*", "garbage_collection_threshold:0.8"},
        {"pytorch", "=2.5", "expandable_segments:True"},
        {"torch", ">=2.6", ""},
        {"pytorch", "1.12.1", ""},
        {"numpy", "==2.6.0", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        world_open(&w);
        struct dep *dep = vec_add(w.arena, &w.spec.deps);
        *dep = (struct dep){.name = cases[i].name,
                            .version = cases[i].version,
                            .text = "the dependency",
                            .file = "environment.yml",
                            .line = 9};
        w.facts.spec = &w.spec;
        ck_assert(world_plan(&w));
        ck_assert_str_eq(world_value(&w, "PYTORCH_CUDA_ALLOC_CONF", 0), cases[i].value);
        world_close(&w);
    }
}
END_TEST

START_TEST(refuses_configured_options_that_this_torch_does_not_take)
{
    struct world w;
    world_open(&w);
    world_torch(&w, "2.8.0", "12.8");
    w.config.file = "condagpu.yml";
    w.config.allocator = (struct setting){"per_process_memory_fraction:0.5", 4, 13};
    ck_assert(!world_plan(&w));
    ck_assert_uint_eq(w.err.line, 4);
    contains(w.err.why, "torch 2.10");
    w.config.allocator.value = "max_split_size_mb:512";
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "PYTORCH_CUDA_ALLOC_CONF", 0), "max_split_size_mb:512");
    world_close(&w);
}
END_TEST

static void nvcc_in_prefix(struct world *w, const char *version)
{
    world_file(w, "bin/nvcc", "#!/bin/sh\n", 0755);
    world_record(w, RECORD_CONDA, "cuda-nvcc", version);
}

struct arch_case {
    const char *nvcc, *torch;
    int capabilities[3][2];
    const char *torch_list, *cmake_list;
};

static const struct arch_case arch_cases[] = {
    {"12.4.131", NULL, {{8, 6}, {8, 0}, {8, 6}}, "8.0;8.6+PTX", "80-real;86"},
    {"12.4.131", NULL, {{9, 0}}, "9.0+PTX", "90"},
    {"12.4.131", NULL, {{12, 0}}, "", ""},
    {"12.8.61", "2.4.0", {{8, 0}, {12, 0}}, "8.0+PTX", "80-real;120"},
    {"12.9.41", "2.9.0", {{12, 1}}, "12.1+PTX", "121"},
    {"13.0.88", NULL, {{7, 0}, {7, 5}}, "7.5+PTX", "75"},
    {"11.7.99", NULL, {{8, 9}}, "", ""},
};

START_TEST(lists_architectures_in_each_readers_spelling)
{
    for (size_t i = 0; i < sizeof arch_cases / sizeof *arch_cases; i++) {
        struct world w;
        world_open(&w);
        nvcc_in_prefix(&w, arch_cases[i].nvcc);
        if (arch_cases[i].torch)
            world_torch(&w, arch_cases[i].torch, "12.8");
        for (size_t gpu = 0; gpu < 3 && arch_cases[i].capabilities[gpu][0]; gpu++)
            world_gpu(&w, arch_cases[i].capabilities[gpu][0], arch_cases[i].capabilities[gpu][1]);
        ck_assert(world_plan(&w));
        ck_assert_str_eq(world_value(&w, "TORCH_CUDA_ARCH_LIST", 0), arch_cases[i].torch_list);
        ck_assert_str_eq(world_value(&w, "CUDAARCHS", 0), arch_cases[i].cmake_list);
        ck_assert(arch_cases[i].cmake_list[0] || world_abstention(&w, "arch")[0]);
        world_close(&w);
    }
}
END_TEST

START_TEST(sets_no_architectures_where_nothing_compiles)
{
    struct world w;
    world_open(&w);
    world_gpu(&w, 8, 0);
    ck_assert(world_plan(&w));
    ck_assert_ptr_null(world_op(&w, "CUDAARCHS", 0));
    contains(world_abstention(&w, "arch"), "no nvcc");
    world_close(&w);
}
END_TEST

START_TEST(configured_architectures_are_held_against_nvcc)
{
    struct world w;
    world_open(&w);
    nvcc_in_prefix(&w, "12.4.131");
    w.config.arch = (struct setting){"9.0a;8.6", 2, 7};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "TORCH_CUDA_ARCH_LIST", 0), "8.6;9.0a");
    ck_assert_str_eq(world_value(&w, "CUDAARCHS", 0), "86-real;90a");
    w.config.arch.value = "12.0";
    ck_assert(!world_plan(&w));
    contains(w.err.why, "12.0 needs CUDA 12.8");
    world_close(&w);
}
END_TEST

START_TEST(devices_and_nccl_are_left_to_the_user)
{
    struct world w;
    world_open(&w);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_DEVICE_ORDER", 0), "PCI_BUS_ID");
    ck_assert_int_eq(world_op(&w, "CUDA_DEVICE_ORDER", 0)->kind, OP_DEFAULT);
    ck_assert_ptr_null(world_op(&w, "CUDA_VISIBLE_DEVICES", 0));
    for (size_t i = 0; i < w.plan.ops.n; i++)
        ck_assert(strncmp(w.plan.ops.v[i].name, "NCCL_", 5) != 0);
    w.config.visible = (struct setting){"0,1", 1, 1};
    w.config.nccl_ib_disable = (struct setting){"true", 2, 1};
    w.config.nccl_debug = (struct setting){"WARN", 3, 1};
    w.config.nccl_socket_ifname = (struct setting){"eth0", 4, 1};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "CUDA_VISIBLE_DEVICES", 0), "0,1");
    ck_assert_int_eq(world_op(&w, "CUDA_VISIBLE_DEVICES", 0)->kind, OP_DEFAULT);
    ck_assert_str_eq(world_value(&w, "NCCL_IB_DISABLE", 0), "1");
    ck_assert_str_eq(world_value(&w, "NCCL_SOCKET_IFNAME", 0), "eth0");
    w.config.nccl_debug.value = "DEBUG";
    ck_assert(!world_plan(&w));
    ck_assert_uint_eq(w.err.line, 3);
    w.config.nccl_debug.value = "WARN";
    w.config.visible.value = "0,0";
    ck_assert(!world_plan(&w));
    world_close(&w);
}
END_TEST

START_TEST(shows_tensorflow_its_libdevice)
{
    struct world w;
    world_open(&w);
    world_record(&w, RECORD_CONDA, "tensorflow", "2.15.0");
    ck_assert(world_plan(&w));
    contains(world_abstention(&w, "xla"), "libdevice");
    world_file(&w, "nvvm/libdevice/libdevice.10.bc", "", 0644);
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "XLA_FLAGS", 0), "--xla_gpu_cuda_data_dir=$CONDA_PREFIX");
    world_close(&w);
}
END_TEST

START_TEST(own_variables_win_over_the_rules)
{
    struct world w;
    world_open(&w);
    w.config.file = "condagpu.yml";
    struct config_variable *variable = vec_add(w.arena, &w.config.variables);
    *variable = (struct config_variable){"OMP_NUM_THREADS", "3", 5, 3};
    ck_assert(world_plan(&w));
    ck_assert_str_eq(world_value(&w, "OMP_NUM_THREADS", 0), "3");
    ck_assert_int_eq(world_op(&w, "OMP_NUM_THREADS", 0)->kind, OP_SET);
    ck_assert_ptr_null(world_op(&w, "OMP_NUM_THREADS", 1));
    contains(world_op(&w, "OMP_NUM_THREADS", 0)->why, "condagpu.yml:5");
    variable->value = "4,2";
    ck_assert(!world_plan(&w));
    ck_assert_uint_eq(w.err.line, 5);
    world_close(&w);
}
END_TEST

/* Everything that a plan says passes the grammars and the rule of characters, and has a why. */
START_TEST(every_generated_value_passes_its_grammar)
{
    struct world w;
    world_open(&w);
    both_runtimes(&w);
    nvcc_in_prefix(&w, "12.4.131");
    world_torch(&w, "2.4.0+cu124", "12.4");
    world_gpu(&w, 8, 0);
    world_gpu(&w, 9, 0);
    world_record(&w, RECORD_CONDA, "tensorflow", "2.15.0");
    world_file(&w, "nvvm/libdevice/libdevice.10.bc", "", 0644);
    w.machine.cpu.usable = 300;
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    ck_assert(world_plan(&w));
    ck_assert_uint_ge(w.plan.ops.n, 12);
    struct grammar grammar = {w.arena, w.facts.data, {2, 4, 0}, RELEASE_NONE, RELEASE_NONE};
    for (size_t i = 0; i < w.plan.ops.n; i++) {
        const struct op *op = &w.plan.ops.v[i];
        struct verdict verdict = grammar_check(&grammar, op->name, op->value);
        ck_assert_msg(verdict.level == VALUE_GOOD, "%s=%s: %s", op->name, op->value, verdict.why);
        ck_assert_ptr_null(value_problem(w.arena, op->value));
        ck_assert(op->why && op->why[0] && !strchr(op->why, '\n') && op->rule && op->rule[0]);
    }
    world_close(&w);
}
END_TEST

START_TEST(every_rule_speaks)
{
    static const char *const rules[] = {"cuda-home", "path",    "library-path", "threads", "allocator", "frameworks",
                                        "arch",      "devices", "nccl",         "xla",     "malloc"};
    struct world w;
    world_open(&w);
    ck_assert(world_plan(&w));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        bool speaks = world_abstention(&w, rules[i])[0] != '\0';
        for (size_t j = 0; j < w.plan.ops.n; j++)
            speaks |= strcmp(w.plan.ops.v[j].rule, rules[i]) == 0;
        ck_assert_msg(speaks, "rule %s is silent", rules[i]);
    }
    world_close(&w);
}
END_TEST

/* Exactly the properties that the schema lists and requires. */
static void holds_properties(const json_t *schema, const json_t *object)
{
    const json_t *properties = json_object_get(schema, "properties"), *required = json_object_get(schema, "required");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
        ck_assert_msg(json_object_get(properties, key) != NULL, "%s is not in the schema", key);
    ck_assert_uint_gt(json_array_size(required), 0);
    for (size_t i = 0; i < json_array_size(required); i++)
        ck_assert(json_object_get(object, json_string_value(json_array_get(required, i))));
}

static void hold_items(const json_t *schema, const json_t *document, const char *name)
{
    const json_t *items = json_object_get(json_object_get(json_object_get(schema, "properties"), name), "items");
    const json_t *list = json_object_get(document, name);
    ck_assert_uint_gt(json_array_size(list), 0);
    for (size_t i = 0; i < json_array_size(list); i++)
        holds_properties(items, json_array_get(list, i));
}

START_TEST(document_has_the_fields_of_its_schema)
{
    struct world w;
    json_error_t error;
    world_open(&w);
    const char *source = getenv("top_srcdir");
    json_t *schema =
        json_load_file(path_join(w.arena, source ? source : "..", "src/report/schemas/plan.json"), 0, &error);
    ck_assert_msg(schema != NULL, "%s", error.text);
    world_file(&w, "lib/libcudart.so.11.0", "", 0644);
    both_runtimes(&w);
    ck_assert(world_plan(&w));
    json_t *document = plan_to_json(&w.plan, &w.facts);
    ck_assert_str_eq(json_string_value(json_object_get(document, "schema")), "condagpu.plan/1");
    ck_assert_uint_eq(json_array_size(json_object_get(document, "ops")), w.plan.ops.n);
    holds_properties(schema, document);
    hold_items(schema, document, "ops");
    hold_items(schema, document, "abstentions");
    hold_items(schema, document, "links");
    json_t *op = json_array_get(json_object_get(document, "ops"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(op, "op")), "prepend");
    ck_assert_str_eq(json_string_value(json_object_get(op, "rule")), "library-path");
    ck_assert(json_is_null(json_object_get(op, "lead")));
    json_decref(document);
    json_decref(schema);
    world_close(&w);
}
END_TEST

START_TEST(text_is_aligned_wrapped_and_escaped)
{
    struct world w;
    char *text = NULL;
    size_t size = 0;
    world_open(&w);
    world_pin(&w, MANAGER_CONDA, "cuda-version=12.4", 12, 4);
    world_toolkit(&w, "/usr/local/cuda\033[31m", "/usr/local/cuda-12.1", 12, 1);
    ck_assert(world_plan(&w));
    FILE *stream = open_memstream(&text, &size);
    plan_print(&w.plan, false, stream);
    fclose(stream);
    contains(text, "default OMP_NUM_THREADS    8  (SLURM_CPUS_PER_TASK leads)\n      8 usable CPUs");
    contains(text, "default CUDA_DEVICE_ORDER  PCI_BUS_ID\n");
    contains(text, "\nleft alone:\n  cuda-home     no nvcc in the prefix; ");
    ck_assert_ptr_null(strchr(text, '\033'));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "%s", line);
    free(text);
    world_close(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sets_cuda_home_to_a_prefix_with_the_pinned_nvcc,
        never_makes_the_nvcc_wrapper_of_cuda_11_call_itself,
        abstains_without_nvcc_and_says_what_was_found_and_what_helps,
        takes_a_system_toolkit_of_exactly_the_pinned_release,
        never_names_a_missing_toolkit_or_another_release,
        passes_over_a_prefix_nvcc_of_another_release,
        finds_the_root_of_cuda_13_wheels,
        cuda_home_as_configured,
        exposes_the_narrow_directory_of_targets,
        makes_no_links_where_lib_holds_links_to_targets_only,
        links_cuda_libraries_only_in_a_flat_layout,
        puts_the_pinned_runtime_first,
        library_path_modes,
        appends_the_driver_of_wsl_last,
        refuses_a_directory_that_no_hook_can_hold,
        counts_threads,
        counts_threads_for_configured_ranks,
        chooses_allocator_options_that_this_torch_takes,
        takes_torch_from_the_pins_where_none_is_installed,
        refuses_configured_options_that_this_torch_does_not_take,
        lists_architectures_in_each_readers_spelling,
        sets_no_architectures_where_nothing_compiles,
        configured_architectures_are_held_against_nvcc,
        devices_and_nccl_are_left_to_the_user,
        shows_tensorflow_its_libdevice,
        own_variables_win_over_the_rules,
        every_generated_value_passes_its_grammar,
        every_rule_speaks,
        document_has_the_fields_of_its_schema,
        text_is_aligned_wrapped_and_escaped,
        NULL,
    };
    return unit_run(unit_suite("plan", tests));
}
