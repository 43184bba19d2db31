#include <stdio.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/output.h"
#include "report/plan_text.h"

static int plan(struct run *run)
{
    struct gathered gathered;
    bool json;
    if (!output_is_json(run, &json) || !gather(run, false, &gathered))
        return RUN_FAILED;
    if (json)
        return output_json(run, plan_to_json(&gathered.plan, &gathered.facts)) ? 0 : RUN_FAILED;
    plan_print(&gathered.plan, use_color(&run->options, STDOUT_FILENO), stdout);
    return 0;
}

static const enum option_id options[] = {
    OPT_PREFIX, OPT_NAME, OPT_FILE, OPT_CONFIG, OPT_PROBE, OPT_FORMAT, OPT_OUTPUT, OPT_DATA_DIR, OPT_ROOT,
    OPT_TIMEOUT, OPT_NO_DRIVER, OPT_END,
};

const struct cmd cmd_plan = {
    .name = "plan",
    .summary = "print what init would set, each variable with its why",
    .operands = "",
    .most_operands = 0,
    .options = options,
    .function = plan,
};
