#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/text.h"

enum kind { FLAG, STRING, LIST };

struct row {
    enum option_id id;
    char letter; /* 0 for none */
    const char *name, *argument, *help;
    enum kind kind;
    size_t offset; /* in struct options */
};

#define FIELD(member) offsetof(struct options, member)

static const struct row rows[] = {
    {OPT_PREFIX, 'p', "prefix", "DIR", "the environment's directory (default: $CONDA_PREFIX)", STRING, FIELD(prefix)},
    {OPT_NAME, 'n', "name", "NAME", "the environment's name, looked up as conda does", STRING, FIELD(name)},
    {OPT_FILE, 'f', "file", "FILE", "environment file (default: environment.yml or .yaml here, then the one of init)",
     STRING, FIELD(file)},
    {OPT_CONFIG, 0, "config", "FILE", "settings (default: condagpu.yml beside the environment file)", STRING,
     FIELD(config)},
    {OPT_PROBE, 0, "probe", "FILE", "machine snapshot made by `condagpu probe --format json`", STRING, FIELD(probe)},
    {OPT_FORMAT, 0, "format", "FORMAT", "output format; several: one --output each", LIST, FIELD(formats)},
    {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", LIST, FIELD(outputs)},
    {OPT_TEMPLATE_DIR, 0, "template-dir", "DIR", "hook templates of your own", STRING, FIELD(template_dir)},
    {OPT_DATA_DIR, 0, "data-dir", "DIR", "newer knowledge tables (NAME.tsv)", STRING, FIELD(data_dir)},
    {OPT_ROOT, 0, "root", "DIR", "read the machine's /proc, /sys and /etc below DIR", STRING, FIELD(root)},
    {OPT_TIMEOUT, 0, "timeout", "SECONDS", "how long the GPU driver may take to answer (default: 5)", STRING,
     FIELD(timeout)},
    {OPT_NO_DRIVER, 0, "no-driver", NULL, "do not call the GPU driver", FLAG, FIELD(no_driver)},
    {OPT_DRY_RUN, 0, "dry-run", NULL, "print what would be written, write nothing", FLAG, FIELD(dry_run)},
    {OPT_DIFF, 0, "diff", NULL, "print what differs, write nothing; exit 1 if anything does", FLAG,
     FIELD(diff)},
    {OPT_FORCE, 0, "force", NULL, "overwrite a hook that was edited by hand", FLAG, FIELD(force)},
    {OPT_SHELL, 0, "shell", "SHELL", "also write the hook of this shell (csh)", LIST, FIELD(shells)},
    {OPT_ONLY, 0, "only", "ID,...", "run these checks alone", STRING, FIELD(only)},
    {OPT_SKIP, 0, "skip", "ID,...", "leave these checks out", STRING, FIELD(skip)},
    {OPT_BASELINE, 0, "baseline", "FILE", "findings that are known and do not fail", STRING, FIELD(baseline)},
    {OPT_STRICT, 0, "strict", NULL, "warnings count as failures", FLAG, FIELD(strict)},
    {OPT_REQUIRE_GPU, 0, "require-gpu", NULL, "fail where no GPU can be used", FLAG, FIELD(require_gpu)},
    {OPT_ALLOW_UNPINNED, 0, "allow-unpinned", NULL, "an environment file that pins no CUDA is no failure", FLAG,
     FIELD(allow_unpinned)},
    {OPT_COMPILE, 0, "compile", NULL, "also build a small program with the environment's nvcc", FLAG, FIELD(compile)},
    {OPT_IMPORT, 0, "import", "MODULE,...", "also import these python modules and look what is loaded", STRING,
     FIELD(import)},
    {OPT_ALL, 'a', "all", NULL, "list everything", FLAG, FIELD(all)},
    {OPT_COLOR, 0, "color", "WHEN", "auto, always or never", STRING, FIELD(color)},
    {OPT_QUIET, 'q', "quiet", NULL, "say only what is wrong", FLAG, FIELD(quiet)},
    {OPT_VERBOSE, 'v', "verbose", NULL, "say more", FLAG, FIELD(verbose)},
    {OPT_HELP, 'h', "help", NULL, "print this help", FLAG, FIELD(help)},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const enum option_id common[] = {OPT_COLOR, OPT_QUIET, OPT_VERBOSE, OPT_HELP, OPT_END};

static bool lists(const enum option_id *ids, enum option_id id)
{
    for (; *ids != OPT_END; ids++)
        if (*ids == id)
            return true;
    return false;
}

static bool accepts(const struct cmd *cmd, const struct row *row)
{
    return lists(cmd->options, row->id) || lists(common, row->id);
}

/* getopt's own tables for what this command accepts; `names` are the long names, for the nearest one. */
struct tables {
    struct option longs[ROWS + 1];
    char letters[2 * ROWS + 2];
    const char *names[ROWS + 1];
};

static void build_tables(const struct cmd *cmd, struct tables *tables)
{
    size_t n = 0, letters = 0;
    tables->letters[letters++] = ':'; /* a missing argument is told apart */
    for (size_t i = 0; i < ROWS; i++) {
        if (!accepts(cmd, &rows[i]))
            continue;
        tables->names[n] = rows[i].name;
        tables->longs[n++] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument, NULL,
                                             256 + (int)i};
        if (rows[i].letter) {
            tables->letters[letters++] = rows[i].letter;
            if (rows[i].argument)
                tables->letters[letters++] = ':';
        }
    }
    tables->letters[letters] = '\0';
    tables->longs[n] = (struct option){0};
    tables->names[n] = NULL;
}

static const struct row *row_of(int code)
{
    if (code >= 256)
        return &rows[code - 256];
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].letter == code)
            return &rows[i];
    return NULL;
}

static void store(struct run *run, const struct row *row, const char *argument)
{
    char *field = (char *)&run->options + row->offset;
    if (row->kind == FLAG)
        *(bool *)(void *)field = true;
    else if (row->kind == STRING)
        *(const char **)(void *)field = argument;
    else
        strv_add(run->arena, (struct strv *)(void *)field, argument);
}

static bool unknown_option(struct run *run, const struct cmd *cmd, const struct tables *tables, const char *word)
{
    err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "%s does not know %s", cmd->name, word);
    char *name = str_dup(run->arena, str_of(word));
    name[strcspn(name, "=")] = '\0';
    const char *nearest = word[0] == '-' && word[1] == '-' ? text_nearest(name + 2, tables->names) : NULL;
    if (nearest)
        return err_mend(&run->err, "did you mean --%s?", nearest);
    return err_mend(&run->err, "condagpu %s --help lists the options", cmd->name);
}

static bool check_values(struct run *run, const struct cmd *cmd)
{
    const struct options *options = &run->options;
    const char *color = options->color;
    if (color && strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 && strcmp(color, "never") != 0)
        return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--color takes auto, always or never, not \"%s\"",
                       color);
    if (cmd->most_operands >= 0 && options->operands.n > (size_t)cmd->most_operands && !options->help)
        return err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "condagpu %s takes %s: \"%s\" is one too many",
                       cmd->name, cmd->most_operands ? cmd->operands : "no operand",
                       options->operands.v[cmd->most_operands]);
    if (options->prefix && options->name)
        return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--prefix and --name exclude each other");
    return true;
}

bool options_parse(struct run *run, const struct cmd *cmd, int argc, char **argv)
{
    struct tables tables;
    build_tables(cmd, &tables);
    opterr = 0;
    optind = 0; /* glibc: start anew */
    for (;;) {
        int at = optind ? optind : 1;
        int code = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (code == -1)
            break;
        const char *word = optind > at && optind <= argc ? argv[optind - 1] : argv[at < argc ? at : argc - 1];
        if (code == ':')
            return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "%s needs a value", argv[optind - 1]);
        if (code == '?')
            return unknown_option(run, cmd, &tables, optopt > 0 && optopt < 256
                                                         ? arena_printf(run->arena, "-%c", optopt)
                                                         : word);
        store(run, row_of(code), optarg);
    }
    for (int i = optind; i < argc; i++)
        strv_add(run->arena, &run->options.operands, argv[i]);
    return check_values(run, cmd);
}

void options_help(const struct cmd *cmd)
{
    printf("usage: condagpu %s [OPTION]...%s%s\n%s\n\n", cmd->name, cmd->operands[0] ? " " : "", cmd->operands,
           cmd->summary);
    for (size_t i = 0; i < ROWS; i++) {
        char spelled[48];
        if (!accepts(cmd, &rows[i]))
            continue;
        snprintf(spelled, sizeof spelled, "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        printf("  %c%c%c %-22s  %s\n", rows[i].letter ? '-' : ' ', rows[i].letter ? rows[i].letter : ' ',
               rows[i].letter ? ',' : ' ', spelled, rows[i].help);
    }
    printf("\nThe manual page condagpu-%s(1) has the details and an example.\n", cmd->name);
}

bool use_color(const struct options *options, int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (options->color && strcmp(options->color, "auto") != 0)
        return strcmp(options->color, "always") == 0;
    if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0)
        return false;
    return isatty(fd) == 1;
}
