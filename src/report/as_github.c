#include "report/format.h"

/* GitHub shows the first ten annotations of a kind and step, so what fails comes first. */
static const struct {
    enum status status;
    const char *command;
} kinds[] = {
    {STATUS_FAIL, "error"},
    {STATUS_WARN, "warning"},
    {STATUS_SKIP, "notice"},
};

static void write_properties(const struct report *report, const struct result *result, struct text *out)
{
    struct place place;
    text_add(out, " ");
    if (place_of_result(out->arena, report, result, &place)) {
        text_add(out, "file=");
        escape_github(out, place.path, true);
        if (place.line)
            text_add(out, ",line=%u", place.line);
        if (place.column)
            text_add(out, ",col=%u", place.column);
        text_add(out, ",");
    }
    text_add(out, "title=");
    escape_github(out, arena_printf(out->arena, "condagpu %s: %s", report->command, result->id), true);
}

/* One workflow command: a line, whose message has its own lines as %0A. */
static void write_annotation(const struct report *report, const char *command, const struct result *result,
                             struct text *out)
{
    text_add(out, "::%s", command);
    write_properties(report, result, out);
    text_add(out, "::");
    escape_github(out, result->message, false);
    if (result->fix) {
        text_add(out, "%%0Afix: ");
        escape_github(out, result->fix, false);
    }
    for (size_t i = 0; i < result->evidence.n && i < MOST_EVIDENCE; i++) {
        text_add(out, "%%0A- ");
        escape_github(out, evidence_line(out->arena, &result->evidence.v[i]), false);
    }
    if (result->evidence.n > MOST_EVIDENCE)
        text_add(out, "%%0A- and %zu more", result->evidence.n - MOST_EVIDENCE);
    text_add(out, "\n");
}

void report_as_github(const struct report *report, struct text *out)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < report->results->n; i++)
            if (report_status(report, &report->results->v[i]) == kinds[k].status)
                write_annotation(report, kinds[k].command, &report->results->v[i], out);
}
