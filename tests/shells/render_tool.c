/* For the tests of the hooks: prints one.
 *   render_tool [-d TEMPLATES] [-i ID] SHELL activate|deactivate OP…
 * OP is KIND:NAME=VALUE, lead:LEAD:NAME=VALUE, or unset:NAME; KIND is set, default, prepend or append. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/render.h"

static const char *const kinds[] = {
    [OP_SET] = "set", [OP_DEFAULT] = "default", [OP_PREPEND] = "prepend", [OP_APPEND] = "append", [OP_UNSET] = "unset"};

static struct op parse_op(struct arena *arena, const char *text)
{
    struct str rest = str_of(text), word;
    struct op op = {.rule = "test"};
    str_cut(&rest, ':', &word);
    if (str_eq_c(word, "lead")) {
        str_cut(&rest, ':', &word);
        op.lead = str_dup(arena, word);
        word = STR("default");
    }
    while (op.kind < OP_UNSET && !str_eq_c(word, kinds[op.kind]))
        op.kind++;
    str_cut(&rest, '=', &word);
    op.name = str_dup(arena, word);
    op.value = op.kind == OP_UNSET ? NULL : str_dup(arena, rest);
    op.why = arena_printf(arena, "the test asks for %s!", text);
    return op;
}

static int print_hook(struct arena *arena, const struct render_input *input, const char *shell, const char *which)
{
    struct err err = {0};
    struct str text;
    char line[2048];
    const struct shell *row = shell_find(shell);
    if (!row) {
        fprintf(stderr, "render_tool: no shell %s\n", shell);
        return ERR_USAGE;
    }
    if (!render_hook(arena, row, strcmp(which, "activate") == 0, input, &text, &err)) {
        err_format(&err, line, sizeof line);
        fprintf(stderr, "render_tool: %s\n", line);
        return (int)err.kind;
    }
    return fwrite(text.s, 1, text.n, stdout) == text.n && fflush(stdout) == 0 ? 0 : ERR_OUTPUT;
}

int main(int argc, char **argv)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct plan plan = {0};
    struct render_input input = {.plan = &plan, .id = "0a1b2c3d", .version = "0.0", .inputs = "a test's command line"};
    int option;
    while ((option = getopt(argc, argv, "d:i:")) != -1) {
        if (option == 'd')
            input.template_dir = optarg;
        else if (option == 'i')
            input.id = optarg;
        else
            return ERR_USAGE;
    }
    if (argc - optind < 2)
        return ERR_USAGE;
    for (int i = optind + 2; i < argc; i++)
        *vec_add(arena, &plan.ops) = parse_op(arena, argv[i]);
    return print_hook(arena, &input, argv[optind], argv[optind + 1]);
}
