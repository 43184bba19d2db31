#include "cmd/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/output.h"
#include "util/file.h"
#include "util/path.h"

struct question {
    struct run *run;
    struct why *why;
    struct loader_options options;
    struct loader *loader, *without; /* `without` is NULL where LD_LIBRARY_PATH is not set */
};

/* libcudart.so.12.4.127 names its build. */
static void identify(struct question *question, struct why_answer *answer)
{
    struct arena *arena = question->run->arena;
    struct cudart_files files = {0};
    struct strv paths = {0};
    if (!answer->resolution.path || strncmp(question->why->library, "libcudart", 9) != 0)
        return;
    strv_add(arena, &paths, answer->resolution.path);
    loader_cudarts(arena, &paths, &files);
    if (files.n == 0)
        return;
    struct release named = files.v[0].name_release;
    answer->release = files.v[0].decoded;
    if (named.patch < 0 || !release_agree(named, answer->release))
        return;
    answer->version = release_text(arena, named);
    answer->release = (struct release){named.major, named.minor, -1};
}

static struct why_answer *add_answer(struct question *question, const char *path, const char *kind)
{
    struct why_answer *answer = vec_add(question->run->arena, &question->why->answers);
    *answer = (struct why_answer){.path = path, .kind = kind, .release = RELEASE_NONE};
    return answer;
}

/* The program's own dlopen, as ctypes and many packages do it. */
static void ask_program(struct question *question, const char *name)
{
    struct why_answer *answer = add_answer(question, question->why->executable, "program");
    loader_dlopen(question->loader, NULL, name, &answer->resolution);
    if (question->without)
        loader_dlopen(question->without, NULL, name, &answer->without);
    identify(question, answer);
}

static void ask_consumer(struct question *question, const struct consumer *consumer)
{
    struct why_answer *answer = add_answer(question, consumer->path, consumer_kind_text(consumer->kind));
    answer->release = consumer->release;
    if (consumer->kind == CONSUMER_STATIC)
        return;
    if (consumer->kind == CONSUMER_DLOPEN) {
        loader_dlopen(question->loader, consumer->path, consumer->needed, &answer->resolution);
        if (question->without)
            loader_dlopen(question->without, consumer->path, consumer->needed, &answer->without);
    } else {
        loader_resolve(question->loader, consumer->path, consumer->needed, &answer->resolution);
        if (question->without)
            loader_resolve(question->without, consumer->path, consumer->needed, &answer->without);
    }
    identify(question, answer);
}

/* The sonames under which runtimes lie in the environment, each once. */
static void ask_program_for_all(struct question *question, const struct consumers *consumers)
{
    struct arena *arena = question->run->arena;
    struct strv names = {0};
    for (size_t i = 0; i < consumers->cudarts.n; i++) {
        struct elf elf;
        if (elf_read(arena, consumers->cudarts.v[i], &elf) && elf.soname && strv_find(&names, elf.soname) == names.n)
            strv_add(arena, &names, elf.soname);
    }
    strv_sort(&names);
    for (size_t i = 0; question->why->executable && i < names.n; i++)
        ask_program(question, names.v[i]);
}

/* A library other than libcudart: what one file's load comes to. */
static bool ask_other(struct question *question, const char *file)
{
    struct arena *arena = question->run->arena;
    const char *start = question->why->library;
    struct resolution resolution;
    struct elf elf;
    if (!strstr(start, ".so")) /* libc is not libcudart */
        start = arena_printf(arena, "%s.so", start);
    if (!elf_read(arena, file, &elf))
        return err_set(&question->run->err, ERR_INPUT, "consumer", file, 0, 0, "%s", elf.problem);
    if (!loader_resolve(question->loader, file, start, &resolution))
        return true;
    struct why_answer *answer = add_answer(question, file, "needed");
    answer->resolution = resolution;
    if (question->without)
        loader_resolve(question->without, file, start, &answer->without);
    return true;
}

static bool ask(struct question *question, const char *file)
{
    struct run *run = question->run;
    struct why *why = question->why;
    struct consumers consumers;
    if (strncmp(why->library, "libcudart", 9) != 0)
        return ask_other(question, file);
    if (file ? !loader_consumers_of(run->arena, why->prefix, file, &question->options, &consumers, &run->err)
             : !loader_consumers(run->arena, why->prefix, &question->options, &consumers, &run->err))
        return false;
    if (!file)
        ask_program_for_all(question, &consumers);
    for (size_t i = 0; i < consumers.n; i++)
        ask_consumer(question, &consumers.v[i]);
    why->problems = consumers.problems;
    return true;
}

/* The consumer as it was typed: a path from here, or from the environment. */
static bool find_file(struct run *run, const char *prefix, const char *operand, const char **file)
{
    *file = path_absolute(run->arena, operand);
    if (file_exists(*file))
        return true;
    *file = path_join(run->arena, prefix, operand);
    if (operand[0] != '/' && file_exists(*file))
        return true;
    err_set(&run->err, ERR_INPUT, "consumer", operand, 0, 0, "there is no such file here or in %s", prefix);
    return err_mend(&run->err, "condagpu why libcudart lists who asks for it");
}

static bool check_operands(struct run *run)
{
    const struct strv *operands = &run->options.operands;
    if (operands->n == 0) {
        err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "why needs the name of a library");
        return err_mend(&run->err, "condagpu why libcudart");
    }
    if (strchr(operands->v[0], '/') || strncmp(operands->v[0], "lib", 3) != 0) {
        err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "why takes a library's name, such as libcudart, not \"%s\"",
                operands->v[0]);
        return err_mend(&run->err, "condagpu why libcudart [CONSUMER]");
    }
    if (operands->n == 1 && strncmp(operands->v[0], "libcudart", 9) != 0) {
        err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "only for libcudart are all consumers listed");
        return err_mend(&run->err, "condagpu why %s CONSUMER, with the file that needs it", operands->v[0]);
    }
    return true;
}

static bool answer(struct run *run, struct why *why)
{
    const struct strv *operands = &run->options.operands;
    const char *file = NULL;
    struct inventory inventory;
    struct question question = {.run = run, .why = why};
    if (!check_operands(run) || !gather_prefix(run, &why->prefix)
        || !inventory_read(run->arena, why->prefix, &inventory, &run->err)
        || (operands->n > 1 && !find_file(run, why->prefix, operands->v[1], &file)))
        return false;
    why->library = operands->v[0];
    why->executable = inventory.python;
    why->library_path = getenv("LD_LIBRARY_PATH");
    why->is_single = file != NULL;
    why->is_verbose = run->options.verbose || run->options.all;
    question.options = (struct loader_options){.executable = inventory.python,
                                               .ld_library_path = why->library_path,
                                               .ld_preload = getenv("LD_PRELOAD"),
                                               .root = ""};
    question.loader = loader_new(run->arena, &question.options);
    if (why->library_path && why->library_path[0]) {
        struct loader_options options = question.options;
        options.ld_library_path = NULL;
        question.without = loader_new(run->arena, &options);
    }
    return ask(&question, file);
}

static int why(struct run *run)
{
    const struct strv *outputs = &run->options.outputs;
    const char *output = outputs->n ? outputs->v[outputs->n - 1] : "-";
    struct why answers = {0};
    bool json;
    if (!output_is_json(run, &json) || !answer(run, &answers))
        return RUN_FAILED;
    if (json)
        return output_json(run, why_json(run->arena, &answers)) ? 0 : RUN_FAILED;
    answers.is_colored =
        strcmp(output, "-") == 0 ? use_color(&run->options, STDOUT_FILENO) : cstr_eq(run->options.color, "always");
    return output_write(output, why_text(run->arena, &answers), &run->err) ? 0 : RUN_FAILED;
}

static const enum option_id options[] = {
    OPT_PREFIX, OPT_NAME, OPT_ALL, OPT_FORMAT, OPT_OUTPUT, OPT_END,
};

const struct cmd cmd_why = {
    .name = "why",
    .summary = "explain which libcudart the loader picks, and for whom",
    .operands = "LIBRARY [CONSUMER]",
    .most_operands = 2,
    .options = options,
    .function = why,
};
