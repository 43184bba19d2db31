/* Commands: one file, one entry, one row. */
#ifndef CONDAGPU_CMD_CMD_H
#define CONDAGPU_CMD_CMD_H

#include <stdbool.h>

#include "data/table.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

/* Every option of every command; what each means and how it is spelled is in options.c, one row each. */
struct options {
    const char *prefix, *name, *file, *config, *probe, *color;
    const char *template_dir, *data_dir, *root;
    const char *only, *skip, *baseline, *import;
    struct strv formats, outputs, shells;
    const char *timeout;
    bool quiet, verbose, help;
    bool dry_run, diff, force;
    bool strict, require_gpu, allow_unpinned, no_driver, compile;
    bool all;
    struct strv operands;
};

enum option_id {
    OPT_END, /* ends a command's list */
    OPT_PREFIX, OPT_NAME, OPT_FILE, OPT_CONFIG, OPT_PROBE, OPT_COLOR, OPT_QUIET, OPT_VERBOSE, OPT_HELP,
    OPT_FORMAT, OPT_OUTPUT, OPT_TEMPLATE_DIR, OPT_DATA_DIR, OPT_ROOT, OPT_TIMEOUT, OPT_NO_DRIVER,
    OPT_DRY_RUN, OPT_DIFF, OPT_FORCE, OPT_SHELL,
    OPT_ONLY, OPT_SKIP, OPT_STRICT, OPT_REQUIRE_GPU, OPT_ALLOW_UNPINNED, OPT_COMPILE, OPT_IMPORT, OPT_BASELINE, OPT_ALL,
};

/* One run of the program. */
struct run {
    struct arena *arena;
    struct options options;
    struct data *data;
    struct err err;
};

/* What a command's function returns instead of an exit status when run->err says why it failed. */
enum { RUN_FAILED = -1 };

struct cmd {
    const char *name;
    const char *summary;  /* one line for `condagpu --help` */
    const char *operands; /* "[FILE]..." for the usage line; "" for none */
    int most_operands;    /* -1: any number */
    const enum option_id *options; /* besides the common ones (--color, -q, -v, --help) */
    int (*function)(struct run *run); /* exit status, or RUN_FAILED */
};

extern const struct cmd *const cmds[]; /* NULL behind the last; in the order of `condagpu --help` */
const struct cmd *cmd_find(const char *name);

/* Parses argv[1…] of a command; options and operands in any order, "--" ends the options. ERR_USAGE naming the nearest
 * option for one that is not known. */
bool options_parse(struct run *run, const struct cmd *cmd, int argc, char **argv);
/* "usage: …" and one aligned line for each option, on standard output. */
void options_help(const struct cmd *cmd);

/* Whether what goes to `fd` shall be coloured: --color, NO_COLOR, TERM=dumb, isatty. */
bool use_color(const struct options *options, int fd);

#endif
