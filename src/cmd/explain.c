#include <stdio.h>

#include "check/lint.h"
#include "cmd/cmd.h"
#include "report/report.h"

/* The checks of verify and the rules of lint; what is in both has one text. */
static const struct check *all_rows(struct arena *arena)
{
    struct {
        VEC(struct check);
    } rows = {0};
    for (const struct check *check = checks; check->id; check++)
        *vec_add(arena, &rows) = *check;
    for (const struct check *rule = lint_rules; rule->id; rule++)
        if (!report_check(checks, rule->id))
            *vec_add(arena, &rows) = *rule;
    *vec_add(arena, &rows) = (struct check){0};
    return rows.v;
}

static int explain(struct run *run)
{
    struct text out = {.arena = run->arena};
    const struct check *rows = all_rows(run->arena);
    if (run->options.operands.n == 0)
        explain_list(rows, &out);
    else if (!explain_check(run->arena, rows, run->options.operands.v[0], &out, &run->err))
        return RUN_FAILED;
    fwrite(text_str(&out).s, 1, out.n, stdout);
    return 0;
}

static const enum option_id options[] = {OPT_END};

const struct cmd cmd_explain = {
    .name = "explain",
    .summary = "What a check means, why it matters, how to mend what it finds",
    .operands = "[CHECK-ID]",
    .most_operands = 1,
    .options = options,
    .function = explain,
};
