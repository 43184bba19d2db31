#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/common.h"
#include "check/hooks.h"
#include "check/import.h"
#include "cmd/gather.h"
#include "cmd/output.h"
#include "report/report.h"
#include "util/text.h"

extern char **environ;

/* What the loader's rules depend on: the environment of an activated shell, and the python that starts. */
static bool find_consumers(struct run *run, const struct gathered *gathered, const struct check_input *input,
                           struct consumers *consumers)
{
    struct loader_options options = check_loader_options(input, gathered->inventory.python);
    return loader_consumers(run->arena, gathered->inventory.prefix, &options, consumers, &run->err);
}

static bool read_modules(struct run *run, struct strv *modules)
{
    struct str rest = str_of(run->options.import), name;
    while (run->options.import && str_cut(&rest, ',', &name)) {
        strv_add(run->arena, modules, str_dup(run->arena, str_trim(name)));
        if (!import_is_module(modules->v[modules->n - 1]))
            return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--import takes names of modules, not \"%s\"",
                           modules->v[modules->n - 1]);
    }
    return true;
}

static bool run_checks(struct run *run, struct gathered *gathered, struct results *results,
                       struct cudart_answer *answer)
{
    struct check_selection selection = {0};
    struct consumers consumers = {0};
    struct strv modules = {0};
    struct check_input input = {
        .arena = run->arena,
        .facts = &gathered->facts,
        .plan = &gathered->plan,
        .hooks = gathered->hooks.v,
        .hook_count = gathered->hooks.n,
        .env = (const char *const *)environ,
        .consumers = &consumers,
        .answer = answer,
        .require_gpu = run->options.require_gpu,
        .allow_unpinned = run->options.allow_unpinned,
        .compile = run->options.compile,
        .modules = &modules,
    };
    if (!checks_select(run->arena, checks, run->options.only, run->options.skip, &selection, &run->err)
        || !gather_deadline(run, &input.deadline_ms) || !read_modules(run, &modules))
        return false;
    input.activated = hooks_activated_env(run->arena, &gathered->inventory, input.env, input.deadline_ms,
                                          &input.activated_problem);
    if (!find_consumers(run, gathered, &input, &consumers))
        return false;
    checks_run(&input, checks, &selection, results);
    return results->n > 0
        || err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--only and --skip together leave no check");
}

/* One document for each --format; the first without an --output of its own goes to standard output. */
static bool write_reports(struct run *run, struct report *report)
{
    const struct strv *formats = &run->options.formats;
    for (size_t i = 0; i < formats->n; i++) {
        const char *path = i < run->options.outputs.n ? run->options.outputs.v[i] : "-";
        struct text text = {.arena = run->arena};
        report->color = strcmp(path, "-") == 0 && use_color(&run->options, STDOUT_FILENO);
        if (!report_write(run->arena, report, formats->v[i], &text, &run->err)
            || !output_write(path, text_str(&text), &run->err))
            return false;
    }
    return true;
}

static bool apply_baseline(struct run *run, const struct gathered *gathered, struct baseline *baseline,
                           struct results *results)
{
    if (!run->options.baseline)
        return true;
    if (!baseline_read(run->arena, run->options.baseline, checks, baseline, &run->err))
        return false;
    baseline_apply(run->arena, baseline, gathered->inventory.prefix, results);
    return true;
}

static int verify(struct run *run)
{
    struct gathered gathered;
    struct results results = {0};
    struct cudart_answer answer = {0};
    if (!output_formats(run) || !gather(run, false, &gathered) || !run_checks(run, &gathered, &results, &answer))
        return RUN_FAILED;
    struct baseline baseline = {0};
    if (!apply_baseline(run, &gathered, &baseline, &results))
        return RUN_FAILED;
    struct report report = {
        .command = "verify",
        .prefix = gathered.inventory.prefix,
        .root = getenv("GITHUB_WORKSPACE"), /* what the runner takes relative paths from */
        .pin = report_pin(gathered.facts.spec),
        .cudart = answer,
        .checks = checks,
        .results = &results,
        .baseline = run->options.baseline ? &baseline : NULL,
        .strict = run->options.strict,
        .quiet = run->options.quiet,
        .verbose = run->options.verbose,
    };
    if (!write_reports(run, &report))
        return RUN_FAILED;
    return report_passed(&report) ? 0 : 1;
}

static const enum option_id options[] = {
    OPT_PREFIX, OPT_NAME, OPT_FILE, OPT_CONFIG, OPT_PROBE, OPT_ONLY, OPT_SKIP, OPT_BASELINE, OPT_STRICT, OPT_REQUIRE_GPU,
    OPT_ALLOW_UNPINNED, OPT_COMPILE, OPT_IMPORT, OPT_FORMAT, OPT_OUTPUT, OPT_TEMPLATE_DIR, OPT_DATA_DIR, OPT_TIMEOUT, OPT_NO_DRIVER, OPT_END,
};

const struct cmd cmd_verify = {
    .name = "verify",
    .summary = "prove that libcudart is the pinned one, and check the rest",
    .operands = "",
    .most_operands = 0,
    .options = options,
    .function = verify,
};
