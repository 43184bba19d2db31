/* The grammars of environment variables, and the checks that use them. Each row is an example whose outcome the
 * reader's source or a run of the reader gave. */
#include "world.h"

#include "check/variables.h"
#include "unit.h"

struct row {
    const char *name, *value;
    struct release version; /* of torch, NCCL or glibc, by the name's family */
    enum value_level level;
    const char *part; /* what the why must hold; NULL */
};

#define ANY                                                                                                            \
    {                                                                                                                  \
        -1, -1, -1                                                                                                     \
    }
#define B28                                                                                                            \
    {                                                                                                                  \
        2, 8, 0                                                                                                        \
    }
#define C210                                                                                                           \
    {                                                                                                                  \
        2, 10, 0                                                                                                       \
    }
#define A113                                                                                                           \
    {                                                                                                                  \
        1, 13, 1                                                                                                       \
    }
#define ALLOC "PYTORCH_CUDA_ALLOC_CONF"

static const struct row alloc_rows[] = {
    {ALLOC, "expandable_segments:True", B28, VALUE_GOOD, NULL},
    {ALLOC, "expandable_segments:true", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "expandable_segments:true", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "expandable_segments:1", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "expandable_segments=True", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "max_split_size_mb=128", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "max_split_size_mb=128", A113, VALUE_BAD, "skipped without a word"},
    {ALLOC, "max_split_size_mb:20", B28, VALUE_BAD, "above 20"},
    {ALLOC, "max_split_size_mb:20", C210, VALUE_DOUBTFUL, "other releases"},
    {ALLOC, "max_split_size_mb:21", B28, VALUE_GOOD, NULL},
    {ALLOC, "max_split_size_mb:19", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "max_split_size_mb:19", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "max_split_size_mb:-1", B28, VALUE_BAD, "unlimited"},
    {ALLOC, "max_split_size_mb:128MB", C210, VALUE_BAD, "dropped"},
    {ALLOC, "max_split_size_mb:99999999999", B28, VALUE_BAD, "stoi"},
    {ALLOC, "max_split_size_mb:99999999999", C210, VALUE_DOUBTFUL, NULL},
    {ALLOC, "max_split_size_mb", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "max_split_size_mb:", C210, VALUE_BAD, "assertion"},
    {ALLOC, "max_split_size_mb:128;backend:native", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "max_split_size_mb:128 backend:native", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "'expandable_segments:True'", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "\"expandable_segments:True\"", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "garbage_collection_threshold:0.8", B28, VALUE_GOOD, NULL},
    {ALLOC, "garbage_collection_threshold:0", B28, VALUE_BAD, "RuntimeError"},
    {ALLOC, "garbage_collection_threshold:1.0", C210, VALUE_BAD, "ValueError"},
    {ALLOC, "garbage_collection_threshold:80%", B28, VALUE_BAD, NULL},
    {ALLOC, "garbage_collection_threshold:0,8", B28, VALUE_BAD, NULL},
    {ALLOC, "roundup_power2_divisions:3", B28, VALUE_BAD, "power of two"},
    {ALLOC, "roundup_power2_divisions:0", B28, VALUE_BAD, "power of two"},
    {ALLOC, "roundup_power2_divisions:8", A113, VALUE_GOOD, NULL},
    {ALLOC, "roundup_power2_divisions:1", B28, VALUE_DOUBTFUL, "no effect"},
    {ALLOC, "roundup_power2_divisions:[>:1]", B28, VALUE_DOUBTFUL, "no effect"},
    {ALLOC, "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", B28, VALUE_GOOD, NULL},
    {ALLOC, "roundup_power2_divisions:[256:1,512:2,>:8],max_split_size_mb:64", B28, VALUE_GOOD, NULL},
    {ALLOC, "roundup_power2_divisions:[256:1,>:8]", A113, VALUE_BAD, "2.0"},
    {ALLOC, "roundup_power2_divisions:[300:1]", B28, VALUE_BAD, "power of two"},
    {ALLOC, "roundup_power2_divisions:[256:1,512:2", B28, VALUE_BAD, "undefined behaviour"},
    {ALLOC, "roundup_power2_divisions:[256:1,512:2", C210, VALUE_BAD, "assertion"},
    {ALLOC, "roundup_power2_divisions:[256:1", B28, VALUE_BAD, "bracket"},
    {ALLOC, "backend:cudaMallocAsync", B28, VALUE_GOOD, NULL},
    {ALLOC, "backend:native", C210, VALUE_GOOD, NULL},
    {ALLOC, "backend:cudamallocasync", B28, VALUE_BAD, NULL},
    {ALLOC, "backend : cudaMallocAsync", B28, VALUE_BAD, NULL},
    {ALLOC, "backend:cudaMallocAsync,max_split_size_mb:128", B28, VALUE_DOUBTFUL, "ignores"},
    {ALLOC, "backend:native", A113, VALUE_BAD, "2.0"},
    {ALLOC, "per_process_memory_fraction:0.5", B28, VALUE_BAD, "2.10"},
    {ALLOC, "per_process_memory_fraction:0.5", C210, VALUE_GOOD, NULL},
    {ALLOC, "per_process_memory_fraction:1", C210, VALUE_GOOD, NULL},
    {ALLOC, "per_process_memory_fraction:1.1", C210, VALUE_BAD, NULL},
    {ALLOC, "roundup_bypass_threshold_mb:5", A113, VALUE_GOOD, NULL},
    {ALLOC, "roundup_bypass_threshold_mb:5", B28, VALUE_BAD, "1.13"},
    {ALLOC, "max_split_size:128", B28, VALUE_BAD, "max_split_size_mb"},
    {ALLOC, "Expandable_Segments:True", B28, VALUE_BAD, NULL},
    {ALLOC, "expandable_segments:True", {2, 0, 1}, VALUE_BAD, "2.1"},
    {ALLOC, "expandable_segments:True,max_split_size_mb:128", {2, 4, 0}, VALUE_DOUBTFUL, "2.5"},
    {ALLOC, "expandable_segments:True,max_split_size_mb:128", {2, 5, 0}, VALUE_GOOD, NULL},
    {ALLOC, "pinned_num_register_threads:8", B28, VALUE_DOUBTFUL, "pinned_use_cuda_host_register"},
    {ALLOC, "pinned_use_cuda_host_register:True,pinned_num_register_threads:8", B28, VALUE_GOOD, NULL},
    {ALLOC, "pinned_use_cuda_host_register:True,pinned_num_register_threads:3", B28, VALUE_BAD, "power of two"},
    {ALLOC, "pinned_use_cuda_host_register:True,pinned_num_register_threads:256", B28, VALUE_BAD, "too large"},
    {ALLOC, "max_non_split_rounding_mb:20", B28, VALUE_BAD, NULL},
    {ALLOC, ",max_split_size_mb:128", B28, VALUE_BAD, "empty item"},
    {ALLOC, "max_split_size_mb:128,,backend:native", B28, VALUE_BAD, "empty item"},
    {ALLOC, "max_split_size_mb:128,", B28, VALUE_DOUBTFUL, "comma"},
    {ALLOC, "max_split_size_mb:128, backend:native", B28, VALUE_DOUBTFUL, "blank"},
    {ALLOC, "", B28, VALUE_BAD, "unset"},
    {"PYTORCH_ALLOC_CONF", "expandable_segments:True", {2, 9, 1}, VALUE_BAD, "silently ignored"},
    {"PYTORCH_ALLOC_CONF", "expandable_segments:True", C210, VALUE_GOOD, NULL},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "0", B28, VALUE_DOUBTFUL, "any value"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "", B28, VALUE_DOUBTFUL, "any value"},
};

static const struct row arch_rows[] = {
    {"TORCH_CUDA_ARCH_LIST", "8.0;9.0+PTX", B28, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.0 8.6", B28, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "9.0a", B28, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.0;", B28, VALUE_BAD, "empty item"},
    {"TORCH_CUDA_ARCH_LIST", "8.0  8.6", B28, VALUE_BAD, "empty item"},
    {"TORCH_CUDA_ARCH_LIST", "80", B28, VALUE_BAD, "Unknown CUDA arch"},
    {"TORCH_CUDA_ARCH_LIST", "86", ANY, VALUE_BAD, "Unknown CUDA arch"},
    {"TORCH_CUDA_ARCH_LIST", "sm_80", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.0,8.6", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.0-real", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "All", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "Common", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "Auto", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "10.0f", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "9.0A", B28, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "3.0", A113, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.9", A113, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.9", {2, 0, 1}, VALUE_DOUBTFUL, NULL},
    {"TORCH_CUDA_ARCH_LIST", "8.9", {2, 1, 0}, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "12.0", {2, 4, 0}, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "12.0", {2, 7, 0}, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "10.1", {2, 8, 0}, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "10.1", {2, 9, 0}, VALUE_BAD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "12.1+PTX", {2, 9, 0}, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "native", {2, 8, 0}, VALUE_BAD, "2.9"},
    {"TORCH_CUDA_ARCH_LIST", "native", {2, 9, 0}, VALUE_GOOD, NULL},
    {"TORCH_CUDA_ARCH_LIST", "Ampere", B28, VALUE_DOUBTFUL, NULL},
    {"TORCH_CUDA_ARCH_LIST", "", B28, VALUE_BAD, NULL},
    {"CUDAARCHS", "86", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "86;90a", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "80-real;90", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "100f-virtual", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "native", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "all-major", ANY, VALUE_GOOD, NULL},
    {"CUDAARCHS", "8.6", ANY, VALUE_BAD, "fatal"},
    {"CUDAARCHS", "sm_86", ANY, VALUE_BAD, NULL},
    {"CUDAARCHS", "86,90", ANY, VALUE_BAD, NULL},
    {"CUDAARCHS", "86;", ANY, VALUE_BAD, NULL},
    {"CUDAARCHS", "\"86\"", ANY, VALUE_BAD, NULL},
};

static const struct row device_rows[] = {
    {"CUDA_VISIBLE_DEVICES", "0", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0,1,7", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "-1", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "GPU-8932f937,GPU-11111111", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "MIG-8932f937-d72c-4106-c12f-20bd9faed9f6", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "MIG-GPU-8932f937-d72c-4106-c12f-20bd9faed9f6/1/0", ANY, VALUE_GOOD, NULL},
    {"CUDA_VISIBLE_DEVICES", "MIG-8932f937,MIG-11111111", ANY, VALUE_DOUBTFUL, "first"},
    {"CUDA_VISIBLE_DEVICES", "0,0", ANY, VALUE_BAD, "twice"},
    {"CUDA_VISIBLE_DEVICES", "0,1,1", ANY, VALUE_BAD, "twice"},
    {"CUDA_VISIBLE_DEVICES", "GPU-8932f937,GPU-8932f937", ANY, VALUE_BAD, "twice"},
    {"CUDA_VISIBLE_DEVICES", " 0, 1 ", ANY, VALUE_BAD, "blank"},
    {"CUDA_VISIBLE_DEVICES", "0, GPU-8932f937", ANY, VALUE_BAD, "blank"},
    {"CUDA_VISIBLE_DEVICES", "GPU-8932f937, GPU-11111111", ANY, VALUE_BAD, "blank"},
    {"CUDA_VISIBLE_DEVICES", "GPU-12345678,2", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "", ANY, VALUE_BAD, "empty"},
    {"CUDA_VISIBLE_DEVICES", "none", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "all", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "void", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "NoDevFiles", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "cuda:0", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "GPU0", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", ",0", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0,-1,1", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0,,1", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0;1", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0 1", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "0x1", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "1gpu2,2ampere", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "+3,-0", ANY, VALUE_BAD, NULL},
    {"CUDA_VISIBLE_DEVICES", "1,", ANY, VALUE_BAD, NULL},
    {"CUDA_DEVICE_ORDER", "PCI_BUS_ID", ANY, VALUE_GOOD, NULL},
    {"CUDA_DEVICE_ORDER", "FASTEST_FIRST", ANY, VALUE_GOOD, NULL},
    {"CUDA_DEVICE_ORDER", "pci_bus_id", ANY, VALUE_BAD, "silently"},
    {"CUDA_MODULE_LOADING", "LAZY", ANY, VALUE_GOOD, NULL},
    {"CUDA_MODULE_LOADING", "lazy", ANY, VALUE_BAD, NULL},
};

static const struct row thread_rows[] = {
    {"OMP_NUM_THREADS", "4", ANY, VALUE_GOOD, NULL},
    {"OMP_NUM_THREADS", "128", ANY, VALUE_GOOD, NULL},
    {"OMP_NUM_THREADS", "", ANY, VALUE_BAD, "unset"},
    {"OMP_NUM_THREADS", "0", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "-1", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "abc", ANY, VALUE_BAD, "aborts"},
    {"OMP_NUM_THREADS", "4x", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "+4", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "0x4", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "4.0", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "4 2", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "auto", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "010", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "2147483648", ANY, VALUE_BAD, NULL},
    {"OMP_NUM_THREADS", "4,2", ANY, VALUE_BAD, "numexpr"},
    {"OMP_NUM_THREADS", "4,3,2", ANY, VALUE_BAD, "numexpr"},
    {"OMP_NUM_THREADS", "4,", ANY, VALUE_BAD, NULL},
    {"OMP_PROC_BIND", "close", ANY, VALUE_GOOD, NULL},
    {"OMP_PROC_BIND", "spread,close", ANY, VALUE_GOOD, NULL},
    {"OMP_PROC_BIND", "yes", ANY, VALUE_BAD, NULL},
    {"OMP_PLACES", "cores", ANY, VALUE_GOOD, NULL},
    {"OMP_PLACES", "cores(4)", ANY, VALUE_GOOD, NULL},
    {"OMP_PLACES", "{0,1},{2,3}", ANY, VALUE_GOOD, NULL},
    {"OMP_PLACES", "foo", ANY, VALUE_BAD, NULL},
    {"KMP_BLOCKTIME", "infinite", ANY, VALUE_GOOD, NULL},
    {"KMP_BLOCKTIME", "0", ANY, VALUE_GOOD, NULL},
    {"KMP_BLOCKTIME", "1ms", ANY, VALUE_BAD, NULL},
    {"TOKENIZERS_PARALLELISM", "false", ANY, VALUE_GOOD, NULL},
    {"TOKENIZERS_PARALLELISM", "disable", ANY, VALUE_DOUBTFUL, NULL},
};

static const struct row nccl_rows[] = {
    {"NCCL_IB_DISABLE", "1", ANY, VALUE_GOOD, NULL},
    {"NCCL_IB_DISABLE", "0", ANY, VALUE_GOOD, NULL},
    {"NCCL_IB_DISABLE", "true", ANY, VALUE_BAD, "as 0"},
    {"NCCL_IB_DISABLE", "yes", ANY, VALUE_BAD, "as 0"},
    {"NCCL_IB_DISABLE", "010", ANY, VALUE_BAD, "as 8"},
    {"NCCL_IB_DISABLE", "0x1", ANY, VALUE_BAD, "as 1"},
    {"NCCL_IB_DISABLE", "1abc", ANY, VALUE_BAD, "as 1"},
    {"NCCL_BUFFSIZE", "-2", ANY, VALUE_GOOD, NULL},
    {"NCCL_BUFFSIZE", "4M", ANY, VALUE_BAD, "as 4"},
    {"NCCL_P2P_DISABLE", "1", ANY, VALUE_GOOD, NULL},
    {"NCCL_P2P_DISABLE", "2", ANY, VALUE_BAD, "1 only"},
    {"NCCL_SHM_DISABLE", "2", ANY, VALUE_BAD, "1 only"},
    {"NCCL_SHM_DISABLE", "true", ANY, VALUE_BAD, NULL},
    {"NCCL_P2P_LEVEL", "NVL", ANY, VALUE_GOOD, NULL},
    {"NCCL_P2P_LEVEL", "SYS", ANY, VALUE_GOOD, NULL},
    {"NCCL_P2P_LEVEL", "5", ANY, VALUE_GOOD, NULL},
    {"NCCL_P2P_LEVEL", "6", ANY, VALUE_BAD, NULL},
    {"NCCL_P2P_LEVEL", "nvl", ANY, VALUE_BAD, "silently"},
    {"NCCL_P2P_LEVEL", "NVLINK", ANY, VALUE_BAD, "silently"},
    {"NCCL_P2P_LEVEL", "PIX ", ANY, VALUE_BAD, "silently"},
    {"NCCL_P2P_LEVEL", "C2C", {2, 25, 1}, VALUE_BAD, "2.26"},
    {"NCCL_P2P_LEVEL", "C2C", {2, 26, 2}, VALUE_GOOD, NULL},
    {"NCCL_P2P_LEVEL", "P2C", {2, 26, 2}, VALUE_BAD, "2.27"},
    {"NCCL_NET_GDR_LEVEL", "PHB", ANY, VALUE_GOOD, NULL},
    {"NCCL_SOCKET_IFNAME", "eth0", ANY, VALUE_GOOD, NULL},
    {"NCCL_SOCKET_IFNAME", "=eth0,eth1", ANY, VALUE_GOOD, NULL},
    {"NCCL_SOCKET_IFNAME", "^docker,lo", ANY, VALUE_GOOD, NULL},
    {"NCCL_SOCKET_IFNAME", "^=docker0", ANY, VALUE_GOOD, NULL},
    {"NCCL_SOCKET_IFNAME", "=eth0,=eth1", ANY, VALUE_BAD, NULL},
    {"NCCL_SOCKET_IFNAME", "eth0, eth1", ANY, VALUE_BAD, "blanks"},
    {"NCCL_SOCKET_IFNAME", "=^lo", ANY, VALUE_BAD, NULL},
    {"NCCL_SOCKET_IFNAME", "e", ANY, VALUE_BAD, "short"},
    {"NCCL_SOCKET_IFNAME", "a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,b3,b4,b5,b6", ANY, VALUE_BAD, "17"},
    {"NCCL_IB_HCA", "mlx5_0:1,mlx5_1:1", ANY, VALUE_GOOD, NULL},
    {"NCCL_IB_HCA", "=mlx5_0", ANY, VALUE_GOOD, NULL},
    {"NCCL_DEBUG", "WARN", ANY, VALUE_GOOD, NULL},
    {"NCCL_DEBUG", "version", ANY, VALUE_GOOD, NULL},
    {"NCCL_DEBUG", "INFO", ANY, VALUE_DOUBTFUL, "debugging"},
    {"NCCL_DEBUG", "TRACE", ANY, VALUE_DOUBTFUL, NULL},
    {"NCCL_DEBUG", "DEBUG", ANY, VALUE_BAD, NULL},
    {"NCCL_DEBUG", "1", ANY, VALUE_BAD, NULL},
    {"NCCL_RINGS", "0 1", ANY, VALUE_DOUBTFUL, "2.4.8"},
    {"NCCL_ALGO", "Ring", ANY, VALUE_DOUBTFUL, "2.24.3"},
    {"NCCL_CONF_FILE", "/etc/x", {2, 22, 3}, VALUE_DOUBTFUL, "2.23.4"},
    {"NCCL_CONF_FILE", "/etc/x", {2, 23, 4}, VALUE_GOOD, NULL},
};

static const struct row framework_rows[] = {
    {"MALLOC_CONF", "background_thread:true,metadata_thp:auto", ANY, VALUE_GOOD, NULL},
    {"MALLOC_CONF", "background_thread=true", ANY, VALUE_BAD, "jemalloc"},
    {"MALLOC_CONF", "background_thread:yes", ANY, VALUE_BAD, "true or false"},
    {"GLIBC_TUNABLES", "glibc.malloc.arena_max=4:glibc.malloc.tcache_count=0", ANY, VALUE_GOOD, NULL},
    {"GLIBC_TUNABLES", "arena_max=4", {2, 39, -1}, VALUE_BAD, "2.39"},
    {"GLIBC_TUNABLES", "arena_max=4", {2, 36, -1}, VALUE_DOUBTFUL, "ignores"},
    {"XLA_PYTHON_CLIENT_ALLOCATOR", "platform", ANY, VALUE_GOOD, NULL},
    {"XLA_PYTHON_CLIENT_ALLOCATOR", "Platform", ANY, VALUE_GOOD, NULL},
    {"XLA_PYTHON_CLIENT_ALLOCATOR", "cuda", ANY, VALUE_BAD, "ValueError"},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "false", ANY, VALUE_GOOD, NULL},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "FALSE", ANY, VALUE_DOUBTFUL, NULL},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "no", ANY, VALUE_DOUBTFUL, NULL},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "off", ANY, VALUE_DOUBTFUL, NULL},
    {"XLA_PYTHON_CLIENT_MEM_FRACTION", ".75", ANY, VALUE_GOOD, NULL},
    {"XLA_PYTHON_CLIENT_MEM_FRACTION", "75%", ANY, VALUE_BAD, NULL},
    {"CUPY_GPU_MEMORY_LIMIT", "50%", ANY, VALUE_GOOD, NULL},
    {"CUPY_GPU_MEMORY_LIMIT", "1073741824", ANY, VALUE_GOOD, NULL},
    {"CUPY_GPU_MEMORY_LIMIT", "4GB", ANY, VALUE_BAD, "ValueError"},
    {"TF_FORCE_GPU_ALLOW_GROWTH", "true", ANY, VALUE_GOOD, NULL},
    {"TF_FORCE_GPU_ALLOW_GROWTH", "1", ANY, VALUE_BAD, NULL},
    {"SOME_OTHER_NAME", "whatever it is", ANY, VALUE_GOOD, NULL},
};

static void hold(const struct row *rows, size_t count)
{
    struct arena *arena = arena_new();
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        struct grammar grammar = {arena, data_new(arena, NULL), row->version, row->version, row->version};
        struct verdict verdict = grammar_check(&grammar, row->name, row->value);
        ck_assert_msg(verdict.level == row->level, "%s=%s is %d: %s", row->name, row->value, (int)verdict.level,
                      verdict.why ? verdict.why : "good");
        ck_assert((verdict.why == NULL) == (row->level == VALUE_GOOD));
        ck_assert_msg(!row->part || strstr(verdict.why, row->part), "%s=%s: \"%s\" does not hold \"%s\"", row->name,
                      row->value, verdict.why, row->part);
    }
    arena_free(arena);
}

#define HOLD(rows) hold(rows, sizeof(rows) / sizeof *(rows))

START_TEST(allocator_options_by_generation_of_torch)
{
    HOLD(alloc_rows);
}
END_TEST
START_TEST(architecture_lists_of_torch_and_cmake)
{
    HOLD(arch_rows);
}
END_TEST
START_TEST(visible_devices)
{
    HOLD(device_rows);
}
END_TEST
START_TEST(thread_counts_and_places)
{
    HOLD(thread_rows);
}
END_TEST
START_TEST(variables_of_nccl)
{
    HOLD(nccl_rows);
}
END_TEST
START_TEST(allocators_of_other_frameworks)
{
    HOLD(framework_rows);
}
END_TEST

/* Every row of alloc_conf.tsv is an option of its first release and none before. */
START_TEST(options_begin_and_end_with_their_release)
{
    struct arena *arena = arena_new();
    struct data *data = data_new(arena, NULL);
    struct err err;
    const struct table *table = data_table(data, "alloc_conf", &err);
    ck_assert_uint_gt(table->rows, 15);
    for (size_t i = 0; i < table->rows; i++) {
        struct release since = RELEASE_NONE;
        const char *option = table_cell(table, i, "option"), *type = table_cell(table, i, "type");
        const char *value = strncmp(type, "bool", 4) == 0                                         ? "True"
                            : strncmp(type, "enum", 4) == 0                                       ? "native"
                            : strncmp(type, "float", 5) == 0 || strncmp(type, "fraction", 8) == 0 ? "0.5"
                            : strncmp(type, "list", 4) == 0                                       ? "[small:0.5]"
                                                                                                  : "64";
        ck_assert(release_parse(str_of(table_cell(table, i, "since_torch")), &since));
        struct grammar grammar = {arena, data, since, RELEASE_NONE, RELEASE_NONE};
        const char *text = arena_printf(arena, "%s:%s", option, value);
        ck_assert_msg(grammar_alloc_conf(&grammar, ALLOC, text).level != VALUE_BAD, "%s", text);
        grammar.torch = (struct release){since.major, since.minor - 1, -1};
        if (since.minor > 0)
            ck_assert_msg(grammar_alloc_conf(&grammar, ALLOC, text).level == VALUE_BAD, "%s too early", text);
    }
    arena_free(arena);
}
END_TEST

START_TEST(misspelt_names_are_pointed_out)
{
    static const struct {
        const char *name, *nearest;
    } names[] = {
        {"CUDA_VISABLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
        {"CUDA_VISIBLE_DEVICE", "CUDA_VISIBLE_DEVICES"},
        {"NCCL_P2P5ISABLE", "NCCL_P2P_DISABLE"},
        {"OMP_NUM_THREAD", "OMP_NUM_THREADS"},
        {"PYTORCH_CUDA_ALOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"},
        {"CUDA_VISIBLE_DEVICES", NULL},
        {"NCCL_IB_DISABLE", NULL},
        {"CUDA_HOME_OLD", NULL},
        {"CUDA_HOME", NULL},
        {"CUDA_MPS_PIPE_DIRECTORY", NULL},
        {"SHELL", NULL},
    };
    struct arena *arena = arena_new();
    struct grammar grammar = {arena, data_new(arena, NULL), RELEASE_NONE, RELEASE_NONE, RELEASE_NONE};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *nearest = grammar_nearest(&grammar, names[i].name);
        ck_assert_msg(cstr_eq(nearest, names[i].nearest), "%s gives %s", names[i].name, nearest ? nearest : "none");
    }
    arena_free(arena);
}
END_TEST

START_TEST(interfaces_are_selected_as_nccl_does)
{
    static const struct {
        const char *value, *name;
        bool selects;
    } rows[] = {
        {"eth", "eth0", true},
        {"=eth", "eth0", false},
        {"=eth0", "eth0", true},
        {"^docker,lo", "eth0", true},
        {"^docker,lo", "docker0", false},
        {"^=lo", "lo1", true},
        {"mlx5_0:1", "mlx5_0", true},
        {"ib", "eth0", false},
    };
    struct arena *arena = arena_new();
    struct grammar grammar = {arena, NULL, RELEASE_NONE, RELEASE_NONE, RELEASE_NONE};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(grammar_nccl_selects(&grammar, rows[i].value, rows[i].name) == rows[i].selects, "%s",
                      rows[i].value);
    arena_free(arena);
}
END_TEST

typedef void check_function(const struct check_input *input, struct result *result);

/* Runs one check on an environment of up to three variables. */
static struct result run(struct world *w, check_function *function, const char *first, const char *second,
                         const char *third)
{
    const char **env = arena_alloc(w->arena, 4 * sizeof *env);
    const char *given[] = {first, second, third};
    for (size_t i = 0, n = 0; i < 3; i++)
        if (given[i])
            env[n++] = given[i];
    struct check_input input = {.arena = w->arena, .facts = &w->facts, .plan = &w->plan, .env = env};
    struct result result = {0};
    function(&input, &result);
    ck_assert_ptr_nonnull(result.message);
    return result;
}

#define expect(world, function, state, part, ...)                                                                      \
    do {                                                                                                               \
        struct result got = run(world, function, __VA_ARGS__);                                                         \
        ck_assert_msg(got.status == (state) && strstr(got.message, part), "%d: %s", (int)got.status, got.message);     \
    } while (0)

START_TEST(checks_threads_against_the_machine)
{
    struct world w;
    world_open(&w);
    expect(&w, check_threads, STATUS_PASS, "none is set in this process", NULL, NULL, NULL);
    expect(&w, check_threads, STATUS_PASS, "2 set", "OMP_NUM_THREADS=8", "MKL_NUM_THREADS=8", NULL);
    expect(&w, check_threads, STATUS_FAIL, "empty", "OMP_NUM_THREADS=", NULL, NULL);
    expect(&w, check_threads, STATUS_WARN, "differ", "OMP_NUM_THREADS=8", "MKL_NUM_THREADS=4", NULL);
    expect(&w, check_threads, STATUS_WARN, "only 16 CPUs", "OMP_NUM_THREADS=32", NULL, NULL);
    expect(&w, check_threads, STATUS_WARN, "4 local processes", "OMP_NUM_THREADS=8", "LOCAL_WORLD_SIZE=4", NULL);
    expect(&w, check_threads, STATUS_FAIL, "KMP_AFFINITY", "KMP_AFFINITY=compact", "OMP_PLACES=cores", NULL);
    w.machine.cpu.quota = 4;
    expect(&w, check_threads, STATUS_WARN, "only 4 CPUs", "OMP_NUM_THREADS=8", NULL, NULL);
    struct record *record = vec_add(w.arena, &w.inventory.records);
    *record = (struct record){.kind = RECORD_CONDA, .name = "libopenblas", .version = "0.3.28", .build = "openmp_h1"};
    expect(&w, check_threads, STATUS_WARN, "OpenMP build", "OPENBLAS_NUM_THREADS=2", NULL, NULL);
    world_close(&w);
}
END_TEST

START_TEST(checks_the_allocator_against_torch_and_kernel)
{
    struct world w;
    world_open(&w);
    world_torch(&w, "2.4.0+cu124", "12.4");
    expect(&w, check_allocator, STATUS_PASS, "1 set", ALLOC "=max_split_size_mb:128", NULL, NULL);
    expect(&w, check_allocator, STATUS_FAIL, "torch 2.4", ALLOC "=max_split_size_mb=128", NULL, NULL);
    expect(&w, check_allocator, STATUS_FAIL, "silently ignored", "PYTORCH_ALLOC_CONF=max_split_size_mb:128", NULL,
           NULL);
    expect(&w, check_allocator, STATUS_WARN, "PYTORCH_CUDA_ALLOC_CONF is meant", "PYTORCH_CUDA_ALOC_CONF=x", NULL,
           NULL);
    expect(&w, check_allocator, STATUS_FAIL, "both set", "XLA_CLIENT_MEM_FRACTION=.5",
           "XLA_PYTHON_CLIENT_MEM_FRACTION=.5", NULL);
    world_torch(&w, "2.10.0", "12.8");
    expect(&w, check_allocator, STATUS_FAIL, "differ", ALLOC "=backend:native",
           "PYTORCH_ALLOC_CONF=max_split_size_mb:64", NULL);
    expect(&w, check_allocator, STATUS_WARN, "same value", ALLOC "=backend:native", "PYTORCH_ALLOC_CONF=backend:native",
           NULL);
    w.machine.kernel = "4.18.0-553.el8.x86_64";
    expect(&w, check_allocator, STATUS_WARN, "pidfd_getfd", ALLOC "=expandable_segments:True", NULL, NULL);
    w.machine.wsl = true;
    expect(&w, check_allocator, STATUS_WARN, "WSL", ALLOC "=expandable_segments:True", NULL, NULL);
    world_close(&w);
}
END_TEST

START_TEST(checks_architectures_against_gpu_and_nvcc)
{
    struct world w;
    world_open(&w);
    world_gpu(&w, 8, 6);
    world_record(&w, RECORD_CONDA, "cuda-nvcc", "12.4.131");
    expect(&w, check_arch, STATUS_PASS, "1 set", "TORCH_CUDA_ARCH_LIST=8.6+PTX", NULL, NULL);
    expect(&w, check_arch, STATUS_PASS, "1 set", "TORCH_CUDA_ARCH_LIST=8.0", NULL, NULL);
    expect(&w, check_arch, STATUS_PASS, "1 set", "TORCH_CUDA_ARCH_LIST=7.5+PTX", NULL, NULL);
    expect(&w, check_arch, STATUS_WARN, "no kernel image", "TORCH_CUDA_ARCH_LIST=7.5", NULL, NULL);
    expect(&w, check_arch, STATUS_WARN, "no kernel image", "TORCH_CUDA_ARCH_LIST=9.0+PTX", NULL, NULL);
    expect(&w, check_arch, STATUS_WARN, "needs CUDA 12.8", "TORCH_CUDA_ARCH_LIST=8.6;12.0", NULL, NULL);
    expect(&w, check_arch, STATUS_WARN, "needs CUDA 12.8", "CUDAARCHS=86;120a", NULL, NULL);
    expect(&w, check_arch, STATUS_FAIL, "CMake", "CUDAARCHS=8.6", NULL, NULL);
    world_close(&w);
}
END_TEST

START_TEST(checks_visible_devices_against_the_gpus)
{
    struct world w;
    world_open(&w);
    world_gpu(&w, 8, 0);
    world_gpu(&w, 8, 6)->name = "another";
    expect(&w, check_visible_devices, STATUS_PASS, "2 set", "CUDA_VISIBLE_DEVICES=1", "CUDA_DEVICE_ORDER=PCI_BUS_ID",
           NULL);
    expect(&w, check_visible_devices, STATUS_WARN, "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=1", NULL, NULL);
    expect(&w, check_visible_devices, STATUS_WARN, "no GPU 7", "CUDA_VISIBLE_DEVICES=7", "CUDA_DEVICE_ORDER=PCI_BUS_ID",
           NULL);
    expect(&w, check_visible_devices, STATUS_WARN, "no GPU GPU-ffffffff", "CUDA_VISIBLE_DEVICES=GPU-ffffffff", NULL,
           NULL);
    expect(&w, check_visible_devices, STATUS_PASS, "1 set", "CUDA_VISIBLE_DEVICES=GPU-00000000", NULL, NULL);
    expect(&w, check_visible_devices, STATUS_FAIL, "empty", "CUDA_VISIBLE_DEVICES=", NULL, NULL);
    expect(&w, check_visible_devices, STATUS_WARN, "CUDA_VISIBLE_DEVICES is meant", "CUDA_VISABLE_DEVICES=0", NULL,
           NULL);
    world_close(&w);
}
END_TEST

START_TEST(checks_nccl_against_interfaces_and_ports)
{
    struct world w;
    world_open(&w);
    *(struct nic *)vec_add(w.arena, &w.machine.nics) = (struct nic){.name = "eth0", .running = true};
    expect(&w, check_nccl_iface, STATUS_PASS, "1 set", "NCCL_SOCKET_IFNAME=eth", NULL, NULL);
    expect(&w, check_nccl_iface, STATUS_WARN, "no running interface", "NCCL_SOCKET_IFNAME=ens3", NULL, NULL);
    expect(&w, check_nccl_iface, STATUS_FAIL, "as 0", "NCCL_CHECK_POINTERS=true", NULL, NULL);
    expect(&w, check_nccl_iface, STATUS_WARN, "NCCL_P2P_DISABLE is meant", "NCCL_P2P5ISABLE=1", NULL, NULL);
    expect(&w, check_nccl_iface, STATUS_WARN, "ignored", "NCCL_P2P_LEVEL=NVL", "NCCL_P2P_DISABLE=1", NULL);
    expect(&w, check_nccl_iface, STATUS_PASS, "none", "NCCL_IB_DISABLE=true", NULL, NULL);
    expect(&w, check_nccl_ib, STATUS_FAIL, "as 0", "NCCL_IB_DISABLE=true", NULL, NULL);
    expect(&w, check_nccl_ib, STATUS_PASS, "1 set", "NCCL_IB_DISABLE=1", NULL, NULL);
    *(struct ib_port *)vec_add(w.arena, &w.machine.infiniband) =
        (struct ib_port){.device = "mlx5_0", .port = 1, .active = true};
    expect(&w, check_nccl_ib, STATUS_WARN, "lies idle", "NCCL_IB_DISABLE=1", NULL, NULL);
    expect(&w, check_nccl_ib, STATUS_WARN, "no active port", "NCCL_IB_HCA=mlx5_3", NULL, NULL);
    expect(&w, check_nccl_ib, STATUS_PASS, "1 set", "NCCL_IB_HCA=mlx5", NULL, NULL);
    world_close(&w);
}
END_TEST

START_TEST(the_activated_shell_counts_before_this_process)
{
    static const char *const env[] = {"OMP_NUM_THREADS=", NULL}, *const activated[] = {"OMP_NUM_THREADS=4", NULL};
    struct world w;
    world_open(&w);
    struct check_input input = {
        .arena = w.arena, .facts = &w.facts, .plan = &w.plan, .env = env, .activated = activated};
    struct result result = {0};
    check_threads(&input, &result);
    ck_assert_int_eq(result.status, STATUS_PASS);
    ck_assert_ptr_nonnull(strstr(result.message, "the activated shell"));
    world_close(&w);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        allocator_options_by_generation_of_torch,
        architecture_lists_of_torch_and_cmake,
        visible_devices,
        thread_counts_and_places,
        variables_of_nccl,
        allocators_of_other_frameworks,
        options_begin_and_end_with_their_release,
        misspelt_names_are_pointed_out,
        interfaces_are_selected_as_nccl_does,
        checks_threads_against_the_machine,
        checks_the_allocator_against_torch_and_kernel,
        checks_architectures_against_gpu_and_nvcc,
        checks_visible_devices_against_the_gpus,
        checks_nccl_against_interfaces_and_ports,
        the_activated_shell_counts_before_this_process,
        NULL,
    };
    return unit_run(unit_suite("variables", tests));
}
