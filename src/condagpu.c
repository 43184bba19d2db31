#include <config.h>
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "util/file.h"
#include "util/text.h"

static void print_help(void)
{
    puts("usage: condagpu COMMAND [OPTION]...\n"
         "Makes CUDA work in a conda environment and proves that it does.\n");
    for (size_t i = 0; cmds[i]; i++)
        printf("  %-9s %s\n", cmds[i]->name, cmds[i]->summary);
    puts("\ncondagpu COMMAND --help lists a command's options; the manual page is condagpu(1).");
}

/* libcurl and the thirty libraries behind it cost every start 5 ms: only what fetches may load it. */
static void print_version(void)
{
    puts(PACKAGE_STRING);
    printf("libyaml %s, jansson %s, libcurl %s\n", yaml_get_version_string(), JANSSON_VERSION, LIBCURL_VERSION);
}

static int fail_unknown(struct run *run, const char *word)
{
    struct strv names = {0};
    for (size_t i = 0; cmds[i]; i++)
        strv_add(run->arena, &names, cmds[i]->name);
    strv_add(run->arena, &names, NULL);
    const char *nearest = text_nearest(word, names.v);
    err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "there is no %s \"%s\"", word[0] == '-' ? "option" : "command",
            word);
    if (nearest)
        err_mend(&run->err, "did you mean condagpu %s?", nearest);
    else
        err_mend(&run->err, "condagpu --help lists the commands");
    return RUN_FAILED;
}

static int run_command(struct run *run, const struct cmd *cmd, int argc, char **argv)
{
    if (!options_parse(run, cmd, argc, argv))
        return RUN_FAILED;
    if (run->options.help) {
        options_help(cmd);
        return 0;
    }
    const char *data_dir = run->options.data_dir;
    if (data_dir && !file_is_dir(data_dir)) {
        err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--data-dir: %s is no directory", data_dir);
        return RUN_FAILED;
    }
    run->data = data_new(run->arena, run->options.data_dir);
    return cmd->function(run);
}

static int run_program(struct run *run, int argc, char **argv)
{
    if (argc < 2) {
        err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "a command is missing");
        err_mend(&run->err, "condagpu --help lists the commands");
        return RUN_FAILED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return 0;
    }
    const struct cmd *cmd = cmd_find(argv[1]);
    if (!cmd)
        return fail_unknown(run, argv[1]);
    return run_command(run, cmd, argc - 1, argv + 1);
}

/* Output that did not reach its reader is a failure, not a success. */
static bool flush_output(struct run *run)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return err_set(&run->err, ERR_OUTPUT, "cannot write", "standard output", 0, 0, "the output is not complete");
}

int main(int argc, char **argv)
{
    struct run run = {.arena = arena_new()};
    int status = run_program(&run, argc, argv);
    if (!flush_output(&run))
        status = RUN_FAILED;
    if (status == RUN_FAILED) {
        output_error(&run.err);
        status = (int)run.err.kind;
    }
    arena_free(run.arena);
    return status;
}
