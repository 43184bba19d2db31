#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/lint.h"
#include "cmd/gather.h"
#include "cmd/output.h"
#include "report/lint.h"
#include "report/report.h"
#include "util/file.h"

struct files {
    VEC(struct linted);
};

/* --only and --skip; the order stays. */
static void select_results(const struct check_selection *selection, struct results *results)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->n; i++) {
        const char *id = results->v[i].id;
        bool wanted = selection->only.n == 0 || strv_find(&selection->only, id) < selection->only.n;
        if (wanted && strv_find(&selection->skip, id) == selection->skip.n)
            results->v[kept++] = results->v[i];
    }
    results->n = kept;
}

/* A file that cannot be read is told at once and does not keep the others from being looked at. */
static bool lint_file(struct run *run, const char *file, const struct check_selection *selection, struct linted *linted,
                      bool *unreadable)
{
    struct spec *spec = arena_alloc(run->arena, sizeof *spec);
    struct err err = {0};
    *linted = (struct linted){.file = file};
    if (spec_read(run->arena, run->data, file, spec, &err))
        linted->spec = spec;
    else if (!cstr_eq(err.what, "environment file"))
        return (run->err = err, false);
    else {
        output_error(&err);
        *unreadable = true;
        lint_unreadable(run->arena, &err, &linted->results);
        return true;
    }
    if (!lint(run->arena, run->data, spec, &linted->results, &run->err))
        return false;
    select_results(selection, &linted->results);
    return true;
}

static bool add_default_file(struct run *run)
{
    static const char *const names[] = {"environment.yml", "environment.yaml", NULL};
    for (size_t i = 0; names[i]; i++)
        if (file_exists(names[i])) {
            strv_add(run->arena, &run->options.operands, names[i]);
            return true;
        }
    err_set(&run->err, ERR_USAGE, "usage", NULL, 0, 0, "there is no environment.yml here");
    return err_mend(&run->err, "name the files, or - for standard input");
}

static void write_text(struct run *run, const struct files *files, const struct table *secrets, bool color,
                       struct text *out)
{
    for (size_t i = 0; i < files->n; i++)
        if (files->v[i].spec)
            lint_as_text(&files->v[i], secrets, color, run->options.quiet, out);
}

/* One file is one document; several are a line each. */
static void write_json(const struct files *files, const struct table *secrets, struct text *out)
{
    for (size_t i = 0; i < files->n; i++)
        lint_as_json(&files->v[i], secrets, files->n == 1 ? 2 : 0, out);
}

static bool write_format(struct run *run, const struct files *files, struct report *report, const char *format,
                         const char *path)
{
    struct text text = {.arena = run->arena};
    const struct table *secrets = data_table(run->data, "secret", &run->err);
    if (!secrets)
        return false;
    text_bytes(&text, "", 0);
    if (strcmp(format, "text") == 0)
        write_text(run, files, secrets, strcmp(path, "-") == 0 && use_color(&run->options, STDOUT_FILENO), &text);
    else if (strcmp(format, "json") == 0)
        write_json(files, secrets, &text);
    else if (!report_write(run->arena, report, format, &text, &run->err))
        return false;
    return output_write(path, text_str(&text), &run->err);
}

static bool write_all(struct run *run, const struct files *files, struct report *report)
{
    const struct options *options = &run->options;
    for (size_t i = 0; i < options->formats.n; i++)
        if (!write_format(run, files, report, options->formats.v[i], i < options->outputs.n ? options->outputs.v[i] : "-"))
            return false;
    return true;
}

static int run_lint(struct run *run)
{
    struct check_selection selection = {0};
    struct files files = {0};
    struct results all = {0};
    bool unreadable = false;
    struct strv *operands = &run->options.operands;
    if (run->options.file)
        strv_add(run->arena, operands, run->options.file);
    if (!output_formats(run)
        || !checks_select(run->arena, lint_rules, run->options.only, run->options.skip, &selection, &run->err)
        || (operands->n == 0 && !add_default_file(run)))
        return RUN_FAILED;
    for (size_t i = 0; i < operands->n; i++) {
        struct linted *linted = vec_add(run->arena, &files);
        if (!lint_file(run, operands->v[i], &selection, linted, &unreadable))
            return RUN_FAILED;
        for (size_t j = 0; j < linted->results.n; j++)
            *vec_add(run->arena, &all) = linted->results.v[j];
    }
    struct report report = {
        .command = "lint",
        .root = getenv("GITHUB_WORKSPACE"),
        .checks = lint_rules,
        .results = &all,
        .strict = run->options.strict,
    };
    if (!write_all(run, &files, &report))
        return RUN_FAILED;
    return unreadable ? (int)ERR_INPUT : report_passed(&report) ? 0 : 1;
}

static const enum option_id options[] = {
    OPT_FILE, OPT_ONLY, OPT_SKIP, OPT_STRICT, OPT_FORMAT, OPT_OUTPUT, OPT_DATA_DIR, OPT_END,
};

const struct cmd cmd_lint = {
    .name = "lint",
    .summary = "say what environment files pin, and what in them can never be",
    .operands = "[FILE]...",
    .most_operands = -1,
    .options = options,
    .function = run_lint,
};
