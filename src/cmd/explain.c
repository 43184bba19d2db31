#include <stdio.h>

#include "cmd/cmd.h"
#include "report/report.h"

static int explain(struct run *run)
{
    struct text out = {.arena = run->arena};
    if (run->options.operands.n == 0)
        explain_list(checks, &out);
    else if (!explain_check(run->arena, checks, run->options.operands.v[0], &out, &run->err))
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
