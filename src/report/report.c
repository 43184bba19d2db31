#include "report/report.h"

#include <string.h>

#include "report/format.h"

const char *const report_formats[] = {"text", "json", "junit", "sarif", "github", NULL};

/* In the order of report_formats. */
static void (*const writers[])(const struct report *report, struct text *out) = {
    report_as_text, report_as_json, report_as_junit, report_as_sarif, report_as_github,
};

static bool unknown_format(struct arena *arena, const char *format, struct err *err)
{
    const char *nearest = text_nearest(format, report_formats);
    struct text names = {.arena = arena};
    err_set(err, ERR_USAGE, "option", NULL, 0, 0, "--format does not know \"%s\"", format);
    if (nearest)
        return err_mend(err, "did you mean %s?", nearest);
    for (size_t i = 0; report_formats[i]; i++)
        text_add(&names, "%s%s", i ? ", " : "", report_formats[i]);
    return err_mend(err, "the formats are %s", names.s);
}

bool report_write(struct arena *arena, const struct report *report, const char *format, struct text *out,
                  struct err *err)
{
    if (!out->arena)
        out->arena = arena;
    for (size_t i = 0; report_formats[i]; i++) {
        if (strcmp(report_formats[i], format) != 0)
            continue;
        writers[i](report, out);
        return true;
    }
    return unknown_format(arena, format, err);
}

struct report_counts report_count(const struct results *results)
{
    struct report_counts counts = {0};
    unsigned *const of[] = {
        [STATUS_PASS] = &counts.pass,
        [STATUS_WARN] = &counts.warn,
        [STATUS_FAIL] = &counts.fail,
        [STATUS_SKIP] = &counts.skip,
    };
    for (size_t i = 0; i < results->n; i++)
        ++*of[results->v[i].status];
    return counts;
}

bool report_passed(const struct report *report)
{
    struct report_counts counts = report_count(report->results);
    return counts.fail == 0 && !(report->strict && counts.warn);
}

enum status report_status(const struct report *report, const struct result *result)
{
    return report->strict && result->status == STATUS_WARN ? STATUS_FAIL : result->status;
}

const struct pin *report_pin(const struct spec *spec)
{
    if (!spec || !spec->has_effective)
        return NULL;
    if (spec->deciding < spec->pins.n && !spec->pins.v[spec->deciding].dropped)
        return &spec->pins.v[spec->deciding];
    for (size_t i = 0; i < spec->pins.n; i++)
        if (!spec->pins.v[i].dropped)
            return &spec->pins.v[i];
    return NULL;
}

const struct check *report_check(const struct check *rows, const char *id)
{
    for (; rows && rows->id; rows++)
        if (strcmp(rows->id, id) == 0)
            return rows;
    return NULL;
}

bool unknown_check(struct arena *arena, const struct check *rows, const char *id, struct err *err)
{
    struct strv ids = {0};
    for (; rows->id; rows++)
        strv_add(arena, &ids, rows->id);
    strv_add(arena, &ids, NULL);
    const char *nearest = text_nearest(id, ids.v);
    if (nearest)
        return err_mend(err, "did you mean %s?", nearest);
    return err_mend(err, "condagpu explain lists the checks");
}

const char *evidence_line(struct arena *arena, const struct evidence *evidence)
{
    struct text line = {.arena = arena};
    if (evidence->file) {
        text_add(&line, "%s", text_printable(arena, str_of(evidence->file)));
        if (evidence->line)
            text_add(&line, ":%u", evidence->line);
        if (evidence->line && evidence->column)
            text_add(&line, ":%u", evidence->column);
    }
    text_add(&line, "%s%s", evidence->file && evidence->text[0] ? ": " : "",
             text_printable(arena, str_of(evidence->text)));
    return line.s;
}
