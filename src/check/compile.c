#include "check/compile.h"

#include <stdlib.h>
#include <string.h>

#include "check/common.h"
#include "check/cudart.h"
#include "check/toolkit.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

const char explain_nvcc_compile[] =
    "What it means: with --compile, the nvcc of the activated environment builds a small program twice in a temporary "
    "directory, with -cudart shared and with -cudart static. The shared one must need libcudart of the pinned release "
    "and find it; the release of the runtime inside the static one is decoded from its code. Where there is a GPU both "
    "are run.\n\n"
    "Why it matters: nvcc may be of the pinned release and still find the headers or the libraries of another, or a "
    "host compiler that it refuses (\"unsupported GNU version\").\n\n"
    "How to mend it: the finding shows what nvcc says. A host compiler that is too new is replaced with conda install "
    "gxx_linux-64=VERSION, or by pointing NVCC_CCBIN at an older one.\n\n"
    "Source: nvcc's manual (-cudart, -ccbin); src/data/host_compiler.tsv for the newest compilers that a release "
    "takes.";

enum {
    DEADLINES = 24, /* of what may hang: a compiler may take that many times longer */
    LARGEST_OUTPUT = 256 * 1024,
    LONGEST_LINE = 240,
};

static const char program[] = "#include <cuda_runtime.h>\n"
                              "#include <cstdio>\n"
                              "__global__ void touch(int *value) { *value = 1; }\n"
                              "int main()\n"
                              "{\n"
                              "    int version = 0, *value = 0;\n"
                              "    cudaRuntimeGetVersion(&version);\n"
                              "    cudaError_t error = cudaMalloc(&value, sizeof *value);\n"
                              "    if (error == cudaSuccess) {\n"
                              "        touch<<<1, 1>>>(value);\n"
                              "        error = cudaDeviceSynchronize();\n"
                              "    }\n"
                              "    std::printf(\"%d %d %s\\n\", version, (int)error, cudaGetErrorString(error));\n"
                              "}\n";

/* One build. */
struct build {
    const struct check_input *input;
    struct result *result;
    const char *nvcc, *dir;
    const char *const *env;
    struct release release; /* of nvcc */
    const char *cudart;     /* "shared" or "static" */
    const char *path;       /* of the program */
};

/* What -ccbin or NVCC_CCBIN names, as nvcc's manual has it; else gcc on PATH. */
static const char *host_compiler(const struct build *build)
{
    struct arena *arena = build->input->arena;
    const char *named = env_get(build->env, "NVCC_CCBIN"), *flags = env_get(build->env, "NVCC_PREPEND_FLAGS");
    const char *option = flags ? strstr(flags, "-ccbin") : NULL;
    if (option) {
        option += strlen("-ccbin");
        option += strspn(option, " =");
        named = arena_memdup(arena, option, strcspn(option, " "));
    }
    if (!named || !named[0])
        return "gcc";
    return file_is_dir(named) ? path_join(arena, named, "gcc") : named;
}

/* The number behind "#define NAME ". */
static int macro(const struct proc *proc, const char *name)
{
    const char *line = proc->out.n ? strstr(proc->out.s, name) : NULL;
    return line ? atoi(line + strlen(name)) : -1;
}

/* Names a host compiler that this nvcc does not take. clang defines __GNUC__ as well. */
static const char *too_new(const struct build *build)
{
    struct err err;
    struct proc proc;
    const struct check_input *input = build->input;
    struct release minor = {build->release.major, build->release.minor, -1};
    const struct table *known = data_table(input->facts->data, "host_compiler", &err);
    const char *host = host_compiler(build);
    size_t row = known ? table_find(known, "cuda_x_y", release_text(input->arena, minor)) : 0;
    if (!known || row == known->rows)
        return NULL;
    proc_run(input->arena, (const char *[]){host, "-dM", "-E", "-x", "c", "/dev/null", NULL}, build->env, build->dir,
             input->deadline_ms, LARGEST_OUTPUT, &proc);
    int clang = macro(&proc, "#define __clang_major__ "), gcc = macro(&proc, "#define __GNUC__ ");
    const char *most = table_cell(known, row, clang >= 0 ? "max_clang_major" : "max_gcc_major");
    int major = clang >= 0 ? clang : gcc;
    if (!most || major <= atoi(most))
        return NULL;
    return arena_printf(input->arena, "%s is %s %d, and nvcc %s takes %s up to %s", host, clang >= 0 ? "clang" : "gcc",
                        major, release_text(input->arena, minor), clang >= 0 ? "clang" : "gcc", most);
}

/* The first line that says what is wrong. */
static const char *complaint(const struct build *build, const struct proc *proc)
{
    struct str texts[] = {proc->err, proc->out}, line, first = {0};
    for (size_t i = 0; i < 2; i++)
        while (str_cut(&texts[i], '\n', &line)) {
            line = str_slice(str_trim(line), 0, LONGEST_LINE);
            const char *text = str_lower(build->input->arena, line);
            if (strstr(text, "error") || strstr(text, "fatal") || strstr(text, "not found"))
                return str_dup(build->input->arena, line);
            if (first.n == 0)
                first = line;
        }
    return first.n ? str_dup(build->input->arena, first)
                   : arena_printf(build->input->arena, "status %d and no message", proc->status);
}

static void build_failed(const struct build *build, const struct proc *proc)
{
    const struct check_input *input = build->input;
    const char *host = too_new(build);
    if (!proc->started)
        check_fail(input, build->result, "%s cannot be started: %s", build->nvcc, strerror(proc->errnum));
    else if (proc->timed_out)
        check_fail(input, build->result, "%s -cudart %s did not end within %u seconds", build->nvcc, build->cudart,
                   DEADLINES * input->deadline_ms / 1000);
    else {
        const char *what = complaint(build, proc);
        check_evidence(input, build->result, NULL, 0, 0, "nvcc -cudart %s: %s", build->cudart, what);
        check_fail(input, build->result, "%s -cudart %s fails: %s", build->nvcc, build->cudart, host ? host : what);
    }
    if (host)
        check_fix(input, build->result,
                  "conda install an older gxx_linux-64 into the environment, or set NVCC_CCBIN to an older compiler");
    else
        check_fix(input, build->result, "run it by hand in the activated environment: %s -cudart %s FILE.cu",
                  build->nvcc, build->cudart);
}

static bool compile(struct build *build)
{
    struct proc proc;
    const struct check_input *input = build->input;
    const char *name = build->cudart;
    build->path = path_join(input->arena, build->dir, name);
    proc_run(input->arena, (const char *[]){build->nvcc, "-cudart", name, "-o", name, "probe.cu", NULL}, build->env,
             build->dir, DEADLINES * input->deadline_ms, LARGEST_OUTPUT, &proc);
    if (proc.started && !proc.timed_out && proc.status == 0 && file_is_regular(build->path))
        return true;
    build_failed(build, &proc);
    return false;
}

/* Another major fails and another minor warns, as with nvcc itself. */
static void judge_release(const struct build *build, struct release release, const char *what)
{
    const struct check_input *input = build->input;
    const struct spec *spec = input->facts->spec;
    const char *text = release_text(input->arena, release);
    if (!spec || !spec->has_effective || range_may_hold(&spec->effective, release))
        return;
    if (spec->release.major == release.major)
        check_warn(input, build->result, "%s is %s, the pin is %s: another minor", what, text, spec->effective_text);
    else
        check_fail(input, build->result, "%s is %s, but the pin is %s", what, text, spec->effective_text);
    check_fix(input, build->result, "conda install cuda-nvcc=%s cuda-cudart-dev=%s", spec->effective_text,
              spec->effective_text);
}

static const char *needed_runtime(const struct elf *elf)
{
    for (size_t i = 0; i < elf->needed.n; i++)
        if (strncmp(elf->needed.v[i], "libcudart.so", 12) == 0)
            return elf->needed.v[i];
    return NULL;
}

static void judge_found(const struct build *build, const char *needed)
{
    const struct check_input *input = build->input;
    struct loader_options options = check_loader_options(input, NULL);
    struct resolution resolution = {0};
    struct identity identity;
    const struct pin *broken;
    if (!loader_resolve(loader_new(input->arena, &options), build->path, "libcudart.so", &resolution)
        || !resolution.path) {
        check_warn(input, build->result, "what nvcc builds with -cudart shared does not find %s when it is started",
                   needed);
        check_fix(input, build->result, "run condagpu init and activate the environment, or link with -Xlinker -rpath");
        return;
    }
    cudart_identify(input, resolution.path, 0, &identity);
    const char *text = release_text(input->arena, identity.release);
    check_evidence(input, build->result, NULL, 0, 0, "the program needs %s and gets %s by %s: %s", needed,
                   resolution.path, check_rule_text(&resolution), text);
    if (cudart_fits(input, &identity, &broken) == FIT_NO)
        check_fail(input, build->result, "what nvcc builds with -cudart shared loads %s, which is %s; the pin is %s",
                   resolution.path, text, broken->text);
}

static void judge_shared(const struct build *build)
{
    const struct check_input *input = build->input;
    struct strv sonames = {0};
    struct elf elf;
    const char *needed = elf_read(input->arena, build->path, &elf) ? needed_runtime(&elf) : NULL;
    if (!needed) {
        check_fail(input, build->result, "what nvcc builds with -cudart shared needs no libcudart");
        return;
    }
    cudart_sonames(input, &sonames);
    if (sonames.n && strv_find(&sonames, needed) == sonames.n) {
        check_fail(input, build->result, "what nvcc builds with -cudart shared needs %s, and the pinned release is %s",
                   needed, sonames.v[0]);
        check_fix(input, build->result, "install the headers and libraries of one release: cuda-cudart-dev, cuda-nvcc");
    } else
        judge_found(build, needed);
}

static void judge_static(const struct build *build)
{
    const struct check_input *input = build->input;
    const char *how;
    struct release release = cudart_decode_static(input->arena, build->path, &how);
    check_evidence(input, build->result, NULL, 0, 0, "the runtime inside the static program: %s (%s)",
                   release_text(input->arena, release), how);
    if (release.major < 0)
        check_warn(input, build->result, "the release of the static runtime that nvcc links cannot be told: %s", how);
    else
        judge_release(build, release, "the static runtime that nvcc links");
}

/* "13000 0 no error" */
static void run_program(const struct build *build)
{
    const struct check_input *input = build->input;
    struct proc proc;
    proc_run(input->arena, (const char *[]){build->path, NULL}, build->env, build->dir, input->deadline_ms,
             LARGEST_OUTPUT, &proc);
    struct str rest = str_trim(proc.out), version, status;
    if (proc.timed_out || proc.status != 0 || !str_cut(&rest, ' ', &version) || !str_cut(&rest, ' ', &status)) {
        check_fail(input, build->result, "the program built with -cudart %s does not run: %s", build->cudart,
                   proc.timed_out ? "it does not answer" : complaint(build, &proc));
        return;
    }
    struct release release = release_from_int(atoi(version.s));
    check_evidence(input, build->result, NULL, 0, 0, "run with -cudart %s: release %s, %.*s", build->cudart,
                   release_text(input->arena, release), (int)rest.n, rest.s);
    judge_release(build, release, "the runtime that the program calls");
    if (atoi(status.s) != 0)
        check_warn(input, build->result, "the program built with -cudart %s runs, but the GPU answers: %.*s",
                   build->cudart, (int)rest.n, rest.s);
}

static void build_and_judge(struct build *build, const char *cudart, void (*judge)(const struct build *build))
{
    build->cudart = cudart;
    if (!compile(build))
        return;
    judge(build);
    if (build->input->facts->machine->gpus.n)
        run_program(build);
    else
        check_evidence(build->input, build->result, NULL, 0, 0, "the program is not run: there is no GPU");
}

void check_nvcc_compile(const struct check_input *input, struct result *result)
{
    _cleanup_removed_ const char *dir = NULL;
    struct build build = {.input = input, .result = result};
    struct err err;
    enum nvcc_source source;
    if (!input->compile) {
        check_skip(input, result, "nothing is built: give --compile");
        return;
    }
    build.nvcc = toolkit_nvcc(input, &source);
    if (!build.nvcc || source == NVCC_PATH) {
        check_skip(input, result,
                   build.nvcc ? "the environment brings no nvcc; %s merely stands on PATH"
                              : "there is no nvcc in the activated environment",
                   build.nvcc);
        return;
    }
    dir = check_temporary_dir(input);
    if (!dir || !file_write_atomic(path_join(input->arena, dir, "probe.cu"), str_of(program), 0600, &err)) {
        check_skip(input, result, "nothing can be written below the directory for temporary files (TMPDIR)");
        return;
    }
    build.dir = dir;
    build.env = env_with(input->arena, check_environment(input), "TMPDIR", dir);
    build.release = toolkit_nvcc_release(input, build.nvcc);
    build_and_judge(&build, "shared", judge_shared);
    build_and_judge(&build, "static", judge_static);
    check_pass(input, result, "%s builds with -cudart shared and with -cudart static for the pinned release",
               build.nvcc);
}
