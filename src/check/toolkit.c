#include "check/toolkit.h"

#include <string.h>

#include "check/common.h"
#include "util/file.h"
#include "util/path.h"
#include "util/proc.h"
#include "util/text.h"

/* What a habit from PATH or a Dockerfile leaves in a directory's name; NULL when nothing is wrong with it. */
static const char *misspelt_directory(const struct check_input *input, const char *value)
{
    if (strchr(value, '\'') || strchr(value, '"'))
        return "holds a quote character, which became part of the name";
    if (strchr(value, ':'))
        return "holds a colon: it is one directory, not a list";
    if (value[0] != '/')
        return "is not absolute";
    if (strcmp(path_basename(path_absolute(input->arena, value)), "bin") == 0
        && !file_is_executable(path_join(input->arena, value, "bin/nvcc")))
        return "ends in /bin: readers append that themselves";
    if (!file_is_dir(value))
        return "does not exist";
    return NULL;
}

/* A name such as /usr/local/cuda-12.4 that leads to another release. */
static void judge_symlink(const struct check_input *input, struct result *result, const char *name, const char *value)
{
    const char *real = path_real(input->arena, value);
    struct release named, led;
    const char *dash = strrchr(path_basename(value), '-'), *real_dash = real ? strrchr(path_basename(real), '-') : NULL;
    if (!dash || !real_dash || !release_parse(str_of(dash + 1), &named) || !release_parse(str_of(real_dash + 1), &led))
        return;
    if (!release_agree(named, led)) {
        check_fail(input, result, "%s is %s, a link to %s", name, value, real);
        check_fix(input, result, "set it to the directory of the release itself");
    }
}

static void judge_directory(const struct check_input *input, struct result *result, const char *name,
                            const char *value)
{
    const char *wrong = misspelt_directory(input, value);
    if (wrong) {
        check_fail(input, result, "%s is \"%s\", which %s", name, value, wrong);
        check_fix(input, result, "unset it, or set cuda-home in condagpu.yml to the directory that holds bin/nvcc");
        return;
    }
    check_evidence(input, result, NULL, 0, 0, "%s is %s", name, value);
    judge_symlink(input, result, name, value);
    if (!file_is_executable(path_join(input->arena, value, "bin/nvcc"))) {
        check_warn(input, result, "%s is %s, where there is no bin/nvcc", name, value);
        check_fix(input, result, "unset it, or install the compiler: conda install cuda-nvcc");
    }
}

static const char *abstention_of(const struct check_input *input, const char *rule)
{
    for (size_t i = 0; i < input->plan->abstentions.n; i++)
        if (strcmp(input->plan->abstentions.v[i].rule, rule) == 0)
            return input->plan->abstentions.v[i].why;
    return NULL;
}

void check_cuda_home(const struct check_input *input, struct result *result)
{
    const char *home = check_activated_value(input, "CUDA_HOME"), *path = check_activated_value(input, "CUDA_PATH");
    const char *why = abstention_of(input, "cuda-home");
    if (home)
        judge_directory(input, result, "CUDA_HOME", home);
    if (path)
        judge_directory(input, result, "CUDA_PATH", path);
    if (home && path && strcmp(home, path) != 0) {
        check_warn(input, result, "CUDA_HOME is %s but CUDA_PATH is %s: torch reads the first, CMake the second", home,
                   path);
        check_fix(input, result, "set both to one directory");
    }
    if (!home && !path)
        check_pass(input, result, "CUDA_HOME is not set%s%s", why ? ": " : "", why ? why : "");
    else
        check_pass(input, result, "CUDA_HOME is %s", home ? home : path);
}

/* "Cuda compilation tools, release 12.4, V12.4.131" */
struct release toolkit_nvcc_release(const struct check_input *input, const char *nvcc)
{
    struct proc proc;
    struct release release = RELEASE_NONE;
    proc_run(input->arena, (const char *[]){nvcc, "--version", NULL}, check_environment(input), NULL, input->deadline_ms,
             64 * 1024, &proc);
    const char *word = proc.out.n ? strstr(proc.out.s, "release ") : NULL;
    if (word)
        release_parse(str_of(arena_memdup(input->arena, word + 8, strcspn(word + 8, ", \n"))), &release);
    return release;
}

static void judge_mismatch(const struct check_input *input, struct result *result, const char *nvcc,
                           struct release release, enum nvcc_source source)
{
    const struct spec *spec = input->facts->spec;
    const char *text = release_text(input->arena, release), *pin = spec->effective_text;
    if (source == NVCC_PATH)
        check_skip(input, result, "the environment brings no nvcc; the one on PATH is %s (%s), the pin is %s: compile "
                   "nothing with it", text, nvcc, pin);
    else if (source == NVCC_CUDA_HOME)
        check_warn(input, result, "CUDA_HOME of your shell leads to nvcc %s (%s), the pin is %s, and the environment "
                   "brings no nvcc", text, nvcc, pin);
    else if (spec->release.major == release.major)
        check_warn(input, result, "nvcc is %s (%s), the pin is %s: another minor", text, nvcc, pin);
    else
        check_fail(input, result, "nvcc is %s (%s), but the pin is %s", text, nvcc, pin);
    if (source == NVCC_CUDA_HOME)
        check_fix(input, result, "unset CUDA_HOME, or conda install cuda-nvcc=%s and run condagpu init again", pin);
    else if (source == NVCC_ENVIRONMENT)
        check_fix(input, result, "conda install cuda-nvcc=%s", pin);
}

static void judge_nvcc(const struct check_input *input, struct result *result, const char *nvcc, enum nvcc_source source)
{
    const struct spec *spec = input->facts->spec;
    struct release release = toolkit_nvcc_release(input, nvcc);
    const char *text = release_text(input->arena, release);
    check_evidence(input, result, NULL, 0, 0, "%s says release %s", nvcc, text);
    if (release.major < 0)
        check_warn(input, result, "%s does not tell its release", nvcc);
    else if (!spec || !spec->has_effective)
        check_pass(input, result, "nvcc is %s (%s), and nothing is pinned", text, nvcc);
    else if (range_may_hold(&spec->effective, release))
        check_pass(input, result, "nvcc is %s (%s)", text, nvcc);
    else
        judge_mismatch(input, result, nvcc, release, source);
}

static bool plan_sets(const struct check_input *input, const char *name)
{
    for (size_t i = 0; i < input->plan->ops.n; i++)
        if (strcmp(input->plan->ops.v[i].name, name) == 0)
            return true;
    return false;
}

const char *toolkit_nvcc(const struct check_input *input, enum nvcc_source *source)
{
    const char *home = check_activated_value(input, "CUDA_HOME");
    const char *nvcc = home ? path_join(input->arena, home, "bin/nvcc") : NULL;
    *source = NVCC_CUDA_HOME;
    if (!nvcc || !file_is_executable(nvcc)) {
        nvcc = proc_find(input->arena, "nvcc", check_activated_value(input, "PATH"));
        *source = NVCC_PATH;
    }
    if (nvcc && (path_below(input->facts->inventory->prefix, nvcc)
                 || (*source == NVCC_CUDA_HOME && plan_sets(input, "CUDA_HOME"))))
        *source = NVCC_ENVIRONMENT;
    return nvcc;
}

void check_nvcc_version(const struct check_input *input, struct result *result)
{
    enum nvcc_source source;
    const char *nvcc = toolkit_nvcc(input, &source);
    if (nvcc)
        judge_nvcc(input, result, nvcc, source);
    else
        check_skip(input, result, "there is no nvcc in the activated environment");
}
