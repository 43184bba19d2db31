#include "check/cudnn.h"

#include <string.h>

#include "check/common.h"
#include "check/twins.h"
#include "util/file.h"
#include "util/path.h"

const char explain_cudnn_match[] =
    "What it means: the cuDNN that torch, TensorFlow, jax or onnxruntime gets in this environment is of the major that "
    "it was built with, not older within that major, and all parts of it (libcudnn_ops and so on) come from one "
    "directory. What a framework wants is read from its own record (Requires-Dist, conda's depends), else from "
    "src/data/cudnn.tsv; for torch the loader's rules tell which file it gets.\n\n"
    "Why it matters: cuDNN 8 and 9 do not replace each other, and frameworks refuse one that is older than what they "
    "were compiled with (\"Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0\").\n\n"
    "How to mend it: install the cuDNN that the finding names with the installer that brought the framework, and take "
    "other directories with cuDNN out of LD_LIBRARY_PATH.\n\n"
    "Source: NVIDIA's cuDNN support matrix and API compatibility; the frameworks' own build matrices.";

/* Who uses cuDNN, by the names of its packages. What tells the built release best comes first. */
static const struct framework {
    const char *name; /* in src/data/cudnn.tsv */
    const char *pip[3], *conda[3];
} frameworks[] = {
    {"torch", {"torch"}, {"pytorch", "libtorch"}},
    {"tensorflow", {"tensorflow"}, {"tensorflow-base", "tensorflow"}},
    {"jax", {"jax-cuda13-plugin", "jax-cuda12-plugin"}, {"jaxlib"}},
    {"onnxruntime-gpu", {"onnxruntime-gpu"}, {NULL}},
};

/* A version that is wanted or found. */
struct cudnn {
    int major, minor; /* minor is -1 when only the major is known */
    const char *text, *source;
};

static const struct record *find_record(const struct check_input *input, const struct framework *framework)
{
    const struct inventory *inventory = input->facts->inventory;
    const struct record *record = NULL;
    for (size_t i = 0; !record && i < 3 && framework->pip[i]; i++)
        record = inventory_find(inventory, RECORD_PIP, framework->pip[i]);
    for (size_t i = 0; !record && i < 3 && framework->conda[i]; i++)
        record = inventory_find(inventory, RECORD_CONDA, framework->conda[i]);
    return record;
}

static bool parse_cudnn(struct str text, struct cudnn *cudnn)
{
    struct release release;
    while (text.n && (text.s[text.n - 1] == '.' || text.s[text.n - 1] == '*'))
        text.n--;
    if (!release_parse(text, &release))
        return false;
    cudnn->major = release.major;
    cudnn->minor = release.minor;
    return true;
}

/* The lower bound of "cudnn >=9.1.0,<10", "nvidia-cudnn-cu12 (==8.9.2.26) ; …" or "cudnn 8.9.*". */
static bool from_requirement(const struct check_input *input, const struct record *record, struct cudnn *wanted)
{
    static const char *const starts[] = {"nvidia-cudnn-cu", "libcudnn ", "cudnn "};
    const char *text = NULL;
    for (size_t i = 0; !text && i < sizeof starts / sizeof *starts; i++)
        text = inventory_requirement(input->arena, record, starts[i]);
    if (!text)
        return false;
    size_t name = strcspn(text, " <>=!~([;"), end = strcspn(text, ";");
    struct str rest = str_slice(str_of(text), name, end), clause;
    wanted->text = str_dup(input->arena, str_trim(str_slice(str_of(text), 0, end)));
    wanted->source = arena_printf(input->arena, "the record of %s", record->name);
    while (str_cut(&rest, ',', &clause)) {
        size_t mark = strcspn(clause.s, "<!0123456789"); /* neither an upper bound nor an exclusion tells a version */
        if (mark < clause.n && clause.s[mark] != '<' && clause.s[mark] != '!')
            return parse_cudnn((struct str){clause.s + mark, strspn(clause.s + mark, "0123456789.")}, wanted);
    }
    return false;
}

/* The pytorch channel's builds hold their cuDNN, and their build string tells which: py3.10_cuda11.7_cudnn8.5.0_0. */
static bool from_build(const struct check_input *input, const struct record *record, struct cudnn *wanted)
{
    const char *word = record->build ? strstr(record->build, "cudnn") : NULL;
    if (!word)
        return false;
    wanted->text = arena_printf(input->arena, "cuDNN %.*s", (int)strspn(word + 5, "0123456789."), word + 5);
    wanted->source = arena_printf(input->arena, "build %s", record->build);
    return parse_cudnn((struct str){word + 5, strspn(word + 5, "0123456789.")}, wanted);
}

static bool in_row(const struct table *table, size_t row, struct release version, const char *cuda)
{
    struct release from, to;
    const char *last = table_cell(table, row, "to"), *built = table_cell(table, row, "cuda");
    version.patch = -1;
    if (!release_parse(str_of(table_cell(table, row, "from")), &from) || release_cmp(version, from) < 0)
        return false;
    if (last && release_parse(str_of(last), &to) && release_cmp(version, to) > 0)
        return false;
    return !built || cstr_eq(built, cuda);
}

static bool from_table(const struct check_input *input, const char *framework, const char *version, const char *cuda,
                       struct cudnn *wanted)
{
    struct err err;
    struct release release;
    const struct table *table = data_table(input->facts->data, "cudnn", &err);
    size_t length = strspn(version, "0123456789.");
    if (!table || !release_parse((struct str){version, length}, &release))
        return false;
    for (size_t row = 0; row < table->rows; row++) {
        if (!cstr_eq(table_cell(table, row, "framework"), framework) || !in_row(table, row, release, cuda))
            continue;
        const char *exact = table_cell(table, row, "cudnn"), *major = table_cell(table, row, "cudnn_major");
        wanted->text = arena_printf(input->arena, "cuDNN %s", exact ? exact : major);
        wanted->source = arena_printf(input->arena, "cudnn.tsv: %s", table_cell(table, row, "source"));
        return parse_cudnn(str_of(exact ? exact : major), wanted);
    }
    return false;
}

static const struct record *cudnn_record(const struct inventory *inventory, bool by_pip)
{
    size_t from = 0;
    if (by_pip)
        return inventory_next(inventory, RECORD_PIP, "nvidia-cudnn-cu", &from);
    const struct record *record = inventory_find(inventory, RECORD_CONDA, "libcudnn");
    return record ? record : inventory_find(inventory, RECORD_CONDA, "cudnn");
}

static bool describe_file(const struct check_input *input, const struct resolution *resolution, struct cudnn *got)
{
    struct twin twin;
    if (!resolution->path || !twin_read(input, resolution->path, &twin))
        return false;
    twin_find_version(input, &twin);
    const char *number = strstr(twin.soname, ".so.");
    got->text = arena_printf(input->arena, "%s (%s)", resolution->path, twin.version ? twin.version : twin.soname);
    got->source = check_rule_text(resolution);
    return parse_cudnn(str_of(twin.version ? twin.version : number ? number + 4 : ""), got);
}

/* torch's DT_NEEDED leads to the file itself. */
static bool loaded_by_torch(const struct check_input *input, struct resolution *resolution)
{
    const struct inventory *inventory = input->facts->inventory;
    struct loader_options options = check_loader_options(input, inventory->python);
    struct strv files = {0};
    for (size_t i = 0; i < inventory->site_packages.n; i++)
        strv_add(input->arena, &files,
                 path_join(input->arena, inventory->site_packages.v[i], "torch/lib/libtorch_cuda.so"));
    strv_add(input->arena, &files, path_join(input->arena, inventory->prefix, "lib/libtorch_cuda.so"));
    for (size_t i = 0; i < files.n; i++)
        if (file_exists(files.v[i])
            && loader_resolve(loader_new(input->arena, &options), files.v[i], "libcudnn.so", resolution))
            return resolution->path != NULL;
    return false;
}

/* Frameworks that open cuDNN by themselves take their installer's; the others' is better than none. */
static bool installed(const struct check_input *input, const struct framework *framework, bool by_pip,
                      struct resolution *torch, struct cudnn *got)
{
    if (strcmp(framework->name, "torch") == 0 && loaded_by_torch(input, torch) && describe_file(input, torch, got))
        return true;
    const struct record *record = cudnn_record(input->facts->inventory, by_pip);
    if (!record)
        record = cudnn_record(input->facts->inventory, !by_pip);
    if (!record || !parse_cudnn(str_of(record->version), got))
        return false;
    got->text = arena_printf(input->arena, "%s %s", record->name, record->version);
    got->source = "installed";
    return true;
}

static void compare(const struct check_input *input, struct result *result, const char *who, const struct cudnn *wanted,
                    const struct cudnn *got)
{
    check_evidence(input, result, NULL, 0, 0, "%s wants %s (%s)", who, wanted->text, wanted->source);
    check_evidence(input, result, NULL, 0, 0, "%s gets %s (%s)", who, got->text, got->source);
    if (wanted->major != got->major)
        check_fail(input, result, "%s wants cuDNN %d (%s), and gets %s", who, wanted->major, wanted->text, got->text);
    else if (got->minor >= 0 && wanted->minor > got->minor)
        check_fail(input, result, "%s wants at least cuDNN %d.%d (%s), and gets %s, which is older", who, wanted->major,
                   wanted->minor, wanted->text, got->text);
    else if (got->minor < 0 && wanted->minor >= 0)
        check_warn(input, result, "%s wants at least cuDNN %d.%d, and nothing tells the version of %s", who,
                   wanted->major, wanted->minor, got->text);
    else {
        check_pass(input, result, "%s gets %s and wants %s", who, got->text, wanted->text);
        return;
    }
    if (!result->fix)
        check_fix(input, result, "install the cuDNN that %s was built with: %s", who, wanted->text);
}

/* torch itself says what it was built for; its record leaves that out. False for a CPU build. */
static bool built_for(const struct check_input *input, const struct framework *framework, const char **version,
                      const char **cuda)
{
    struct torch_build torch = {0};
    *cuda = NULL;
    if (strcmp(framework->name, "torch") != 0)
        return true;
    inventory_torch(input->arena, input->facts->inventory, &torch);
    if (!torch.present)
        return true;
    *version = torch.version ? torch.version : *version;
    *cuda = torch.cuda;
    return torch.cuda != NULL;
}

/* What the frameworks of an environment came to. */
struct tally {
    size_t seen;         /* that use cuDNN */
    const char *missing; /* one that gets none */
};

static void judge_framework(const struct check_input *input, struct result *result, const struct framework *framework,
                            struct tally *tally)
{
    const struct record *record = find_record(input, framework);
    struct cudnn wanted = {.minor = -1}, got = {.minor = -1};
    struct resolution torch = {0};
    const char *version = record ? record->version : NULL, *cuda;
    if (!record || !built_for(input, framework, &version, &cuda))
        return;
    const char *who = arena_printf(input->arena, "%s %s", framework->name, version);
    bool by_pip = record->kind == RECORD_PIP;
    if (!from_requirement(input, record, &wanted) && !from_build(input, record, &wanted)
        && (!by_pip || !from_table(input, framework->name, version, cuda, &wanted)))
        return; /* a conda build that depends on no cuDNN uses none */
    tally->seen++;
    if (installed(input, framework, by_pip, &torch, &got))
        compare(input, result, who, &wanted, &got);
    else
        tally->missing = arena_printf(input->arena, "%s wants %s", who, wanted.text);
    if (torch.needed && !torch.path) {
        check_warn(input, result, "%s needs %s, which the loader does not find from libtorch_cuda.so", who,
                   torch.needed);
        check_fix(input, result,
                  "verify --import torch tells whether torch finds it by itself; else run condagpu init");
    }
}

/* libcudnn opens its parts by name. */
static void judge_parts(const struct check_input *input, struct result *result, const struct twin *whole)
{
    struct strv names = {0};
    const char *dir = path_dirname(input->arena, whole->path), *number = strstr(whole->soname, ".so.");
    struct loader_options options = check_loader_options(input, input->facts->inventory->python);
    if (!number || !dir_list(input->arena, dir, &names))
        return;
    for (size_t i = 0; i < names.n; i++) {
        struct resolution resolution;
        struct twin part, own;
        if (!str_starts(str_of(names.v[i]), "libcudnn_") || !str_ends(str_of(names.v[i]), number))
            continue;
        loader_dlopen(loader_new(input->arena, &options), whole->path, names.v[i], &resolution);
        if (!resolution.path || !twin_read(input, resolution.path, &part)
            || !twin_read(input, path_join(input->arena, dir, names.v[i]), &own) || cstr_eq(part.real, own.real)
            || twins_are_copies(input, &part, &own))
            continue;
        twin_find_version(input, &part);
        twin_find_version(input, &own);
        if (part.version && own.version && twins_compare(&part, &own) == 0)
            continue;
        check_fail(input, result, "%s opens %s and gets %s, a part of another cuDNN", whole->path, names.v[i],
                   resolution.path);
        check_fix(input, result, "take %s out of the way (%s)", path_dirname(input->arena, resolution.path),
                  check_rule_text(&resolution));
        return;
    }
}

void check_cudnn_match(const struct check_input *input, struct result *result)
{
    struct twins twins = {0};
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        judge_framework(input, result, &frameworks[i], &tally);
    twins_find(input, &twins);
    for (size_t i = 0; i < twins.n; i++)
        if (twins.v[i].in_prefix && str_starts(str_of(twins.v[i].soname), "libcudnn.so."))
            judge_parts(input, result, &twins.v[i]);
    if (tally.missing)
        check_skip(input, result, "%s, and cuDNN is not installed in the environment", tally.missing);
    if (tally.seen == 0)
        check_skip(input, result,
                   "nothing that uses cuDNN is installed: torch, TensorFlow, jax or onnxruntime for a GPU");
}
