#include "plan/grammar.h"

#include <regex.h>
#include <stdarg.h>
#include <string.h>

#include "util/text.h"

/* One row a variable: the words that it takes, or the function that reads it. */
struct variable_grammar {
    const char *name;
    struct verdict (*function)(const struct grammar *grammar, const char *name, const char *value);
    const char *words;      /* "a|b": exactly these */
    const char *otherwise;  /* what the reader does with another word */
    enum value_level level; /* how bad another word is */
};

static const struct variable_grammar variable_grammars[] = {
    {"PYTORCH_CUDA_ALLOC_CONF", grammar_alloc_conf, NULL, NULL, 0},
    {"PYTORCH_ALLOC_CONF", grammar_alloc_conf, NULL, NULL, 0},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", grammar_presence, NULL, "torch switches its caching off for any value, also 0",
     0},
    {"TORCH_CUDA_ARCH_LIST", grammar_torch_arch_list, NULL, NULL, 0},
    {"CUDAARCHS", grammar_cudaarchs, NULL, NULL, 0},
    {"CUDA_VISIBLE_DEVICES", grammar_visible_devices, NULL, NULL, 0},
    {"CUDA_DEVICE_ORDER", NULL, "FASTEST_FIRST|PCI_BUS_ID", "the driver silently uses FASTEST_FIRST", VALUE_BAD},
    {"CUDA_MODULE_LOADING", NULL, "EAGER|LAZY|DEFAULT", "the driver silently uses its default", VALUE_BAD},
    {"CUDA_LAUNCH_BLOCKING", NULL, "0|1", "its readers disagree on what it means", VALUE_DOUBTFUL},
    {"OMP_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"MKL_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"OPENBLAS_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"BLIS_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"NUMEXPR_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"NUMEXPR_MAX_THREADS", grammar_threads, NULL, NULL, 0},
    {"NUMBA_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"RAYON_NUM_THREADS", grammar_threads, NULL, NULL, 0},
    {"LOKY_MAX_CPU_COUNT", grammar_threads, NULL, NULL, 0},
    {"OMP_PROC_BIND", grammar_proc_bind, NULL, NULL, 0},
    {"OMP_PLACES", grammar_places, NULL, NULL, 0},
    {"KMP_BLOCKTIME", grammar_blocktime, NULL, NULL, 0},
    {"TOKENIZERS_PARALLELISM", NULL, "true|false",
     "tokenizers switch parallelism on for any word but false, off, no, n, f, 0", VALUE_DOUBTFUL},
    {"NCCL_P2P_DISABLE", grammar_nccl_switch, NULL, NULL, 0},
    {"NCCL_SHM_DISABLE", grammar_nccl_switch, NULL, NULL, 0},
    {"NCCL_IB_DISABLE", grammar_nccl_integer, NULL, NULL, 0},
    {"NCCL_P2P_LEVEL", grammar_nccl_level, NULL, NULL, 0},
    {"NCCL_NET_GDR_LEVEL", grammar_nccl_level, NULL, NULL, 0},
    {"NCCL_SOCKET_IFNAME", grammar_nccl_names, NULL, NULL, 0},
    {"NCCL_IB_HCA", grammar_nccl_names, NULL, NULL, 0},
    {"NCCL_DEBUG", grammar_nccl_debug, NULL, NULL, 0},
    {"MALLOC_ARENA_MAX", grammar_threads, NULL, NULL, 0},
    {"MALLOC_CONF", grammar_malloc_conf, NULL, NULL, 0},
    {"GLIBC_TUNABLES", grammar_glibc_tunables, NULL, NULL, 0},
    {"XLA_PYTHON_CLIENT_ALLOCATOR", grammar_xla_allocator, NULL, NULL, 0},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", NULL, "true|false|True|False|0|1",
     "JAX preallocates for any word but false, False and 0", VALUE_DOUBTFUL},
    {"XLA_PYTHON_CLIENT_MEM_FRACTION", grammar_fraction, NULL, NULL, 0},
    {"XLA_CLIENT_MEM_FRACTION", grammar_fraction, NULL, NULL, 0},
    {"TF_FORCE_GPU_ALLOW_GROWTH", NULL, "true|false", "TensorFlow logs an error and ignores it", VALUE_BAD},
    {"TF_GPU_ALLOCATOR", NULL, "cuda_malloc_async", "TensorFlow keeps its own allocator", VALUE_DOUBTFUL},
    {"CUPY_GPU_MEMORY_LIMIT", grammar_cupy_limit, NULL, NULL, 0},
};
enum { VARIABLE_GRAMMARS = sizeof variable_grammars / sizeof *variable_grammars };

/* Names that have no grammar but that people misspell or that come near a known one. */
static const char *const other_names[] = {
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_CACHE_PATH",
    "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_MAXSIZE",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CUDA_INC_PATH",
    "KMP_AFFINITY",
    "OMP_SCHEDULE",
    "OMP_DYNAMIC",
    "OMP_THREAD_LIMIT",
    "MKL_DYNAMIC",
    "XLA_FLAGS",
    "CUDA_ROOT",
    "GOTO_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "CUDA_VERSION",
    "CUDACXX",
    "NCCL_VERSION",
    "NCCL_HOME",
    "NCCL_ROOT",
    "OMP_NESTED",
    "OMP_STACKSIZE",
    "OMP_WAIT_POLICY",
    "CUDA_ARCH",
    "NUMEXPR_MAX_THREADS",
    "CUDA_BIN_PATH",
};
enum { OTHER_NAMES = sizeof other_names / sizeof *other_names };

struct verdict verdict_good(void)
{
    return (struct verdict){VALUE_GOOD, NULL};
}

struct verdict verdict_of(const struct grammar *grammar, enum value_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(grammar->arena, format, args);
    va_end(args);
    return (struct verdict){level, why};
}

struct verdict verdict_worse(struct verdict first, struct verdict second)
{
    return second.level > first.level ? second : first;
}

bool grammar_is_number(struct str text)
{
    if (text.n == 0 || (text.n > 1 && text.s[0] == '0'))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] < '0' || text.s[i] > '9')
            return false;
    return true;
}

bool grammar_matches(const char *expression, const char *value)
{
    regex_t regex;
    if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool matches = regexec(&regex, value, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

static const struct variable_grammar *find(const char *name)
{
    for (size_t i = 0; i < VARIABLE_GRAMMARS; i++)
        if (strcmp(variable_grammars[i].name, name) == 0)
            return &variable_grammars[i];
    return NULL;
}

static bool is_word(const char *words, const char *value)
{
    struct str rest = str_of(words), word;
    while (str_cut(&rest, '|', &word))
        if (str_eq_c(word, value))
            return true;
    return false;
}

struct verdict grammar_check(const struct grammar *grammar, const char *name, const char *value)
{
    const struct variable_grammar *row = find(name);
    if (row && row->function == grammar_presence)
        return verdict_of(grammar, VALUE_DOUBTFUL, "%s is set: %s", name, row->otherwise);
    if (value[0] == '\0')
        return verdict_of(grammar, VALUE_BAD, "%s is empty, which is not the same as unset: unset it instead", name);
    if (row && row->function)
        return row->function(grammar, name, value);
    if (row && !is_word(row->words, value))
        return verdict_of(grammar, row->level, "%s=%s is not one of %s: %s", name, value, row->words, row->otherwise);
    return strncmp(name, "NCCL_", 5) == 0 ? grammar_nccl_any(grammar, name, value) : verdict_good();
}

struct verdict grammar_presence(const struct grammar *grammar, const char *name, const char *value)
{
    return grammar_check(grammar, name, value);
}

/* All known names, NULL-terminated. */
static const char *const *known_names(const struct grammar *grammar)
{
    struct strv names = {0};
    for (size_t i = 0; i < VARIABLE_GRAMMARS; i++)
        strv_add(grammar->arena, &names, variable_grammars[i].name);
    for (size_t i = 0; i < OTHER_NAMES; i++)
        strv_add(grammar->arena, &names, other_names[i]);
    struct err err;
    const struct table *table = data_table(grammar->data, "nccl_env", &err);
    for (size_t i = 0; table && i < table->rows; i++)
        strv_add(grammar->arena, &names, table_cell(table, i, "variable"));
    strv_add(grammar->arena, &names, NULL);
    return names.v;
}

bool grammar_knows(const struct grammar *grammar, const char *name)
{
    for (const char *const *known = known_names(grammar); *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    return false;
}

/* Whether two names differ in one place only, by at most two letters on either side: CUDA_HOME_OLD is a name of its
 * own, CUDA_VISABLE_DEVICES is not. */
static bool differ_in_one_place(const char *left, const char *right)
{
    size_t start = 0, end = 0, left_length = strlen(left), right_length = strlen(right);
    while (left[start] && left[start] == right[start])
        start++;
    while (end < left_length - start && end < right_length - start
           && left[left_length - 1 - end] == right[right_length - 1 - end])
        end++;
    size_t shorter = left_length < right_length ? left_length : right_length;
    size_t most = shorter - start - end, longest = left_length + right_length - shorter - start - end;
    bool is_extension = most == 0 && end == 0 && left_length != right_length && longest > 1;
    return longest <= 2 && !is_extension;
}

const char *grammar_nearest(const struct grammar *grammar, const char *name)
{
    if (strlen(name) < 8 || grammar_knows(grammar, name))
        return NULL;
    const char *nearest = text_nearest(name, known_names(grammar));
    return nearest && differ_in_one_place(name, nearest) ? nearest : NULL;
}
