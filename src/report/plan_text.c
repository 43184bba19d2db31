#include "report/plan_text.h"

#include <string.h>

#include "util/text.h"

enum { WIDTH = 100, INDENT = 6, RULE_WIDTH = 14 };

/* Words of `text` from column `indent` on, without going beyond WIDTH where a word allows it. */
static void print_wrapped(FILE *stream, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static size_t widest_name(const struct plan *plan)
{
    size_t widest = 0;
    for (size_t i = 0; i < plan->ops.n; i++) {
        size_t length = strlen(plan->ops.v[i].name);
        widest = length > widest ? length : widest;
    }
    return widest;
}

static void print_op(const struct op *op, size_t widest, bool color, FILE *stream)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *value = op->value ? text_printable(arena, str_of(op->value)) : "";
    const char *strong = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    fprintf(stream, "%-8s%s%-*s%s  %s", op_kind_text(op->kind), strong, (int)widest, op->name, plain, value);
    if (op->lead)
        fprintf(stream, "  (%s leads)", op->lead);
    fprintf(stream, "\n%*s", INDENT, "");
    print_wrapped(stream, text_printable(arena, str_of(op->why)), INDENT);
}

static void print_abstention(const struct abstention *abstention, FILE *stream)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    fprintf(stream, "  %-*s", RULE_WIDTH, abstention->rule);
    print_wrapped(stream, text_printable(arena, str_of(abstention->why)), 2 + RULE_WIDTH);
}

static void print_links(const struct plan *plan, FILE *stream)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    fprintf(stream, "\nlinks in $CONDA_PREFIX/lib/condagpu:\n");
    for (size_t i = 0; i < plan->links.n; i++)
        fprintf(stream, "  %s -> %s\n", text_printable(arena, str_of(plan->links.v[i].name)),
                text_printable(arena, str_of(plan->links.v[i].target)));
}

void plan_print(const struct plan *plan, bool color, FILE *stream)
{
    size_t widest = widest_name(plan);
    for (size_t i = 0; i < plan->ops.n; i++)
        print_op(&plan->ops.v[i], widest, color, stream);
    if (plan->ops.n == 0)
        fprintf(stream, "nothing is set\n");
    if (plan->links.n)
        print_links(plan, stream);
    if (plan->abstentions.n)
        fprintf(stream, "\nleft alone:\n");
    for (size_t i = 0; i < plan->abstentions.n; i++)
        print_abstention(&plan->abstentions.v[i], stream);
}
