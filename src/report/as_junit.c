#include "report/format.h"

static void attribute(struct text *out, const char *name, const char *value)
{
    text_add(out, " %s=\"", name);
    escape_xml(out, value);
    text_add(out, "\"");
}

static void property(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    text_add(out, "      <property");
    attribute(out, "name", name);
    attribute(out, "value", value);
    text_add(out, "/>\n");
}

static void write_properties(const struct report *report, struct text *out)
{
    if (!report->prefix && !report->pin && !report->cudart.path)
        return;
    text_add(out, "    <properties>\n");
    property(out, "prefix", report->prefix);
    property(out, "pin", report->pin ? report->pin->text : NULL);
    property(out, "pin.release", report->pin ? report->pin->release : NULL);
    property(out, "cudart", report->cudart.path);
    property(out, "cudart.version", report->cudart.version);
    text_add(out, "    </properties>\n");
}

/* What to do and what was seen, a line each. */
static void write_detail(const struct result *result, struct text *out)
{
    if (result->fix) {
        text_add(out, "\nfix: ");
        escape_xml(out, text_printable(out->arena, str_of(result->fix)));
    }
    for (size_t i = 0; i < result->evidence.n; i++) {
        text_add(out, "\n- ");
        escape_xml(out, evidence_line(out->arena, &result->evidence.v[i]));
    }
}

static void write_text(const struct report *report, const struct result *result, struct text *out)
{
    const char *message = text_printable(out->arena, str_of(result->message));
    if (report_status(report, result) == STATUS_FAIL) {
        text_add(out, "      <failure");
        attribute(out, "message", message);
        attribute(out, "type", result->status == STATUS_WARN ? "warning" : "failure");
        text_add(out, ">");
    } else {
        text_add(out, "      <system-out>%s", result->status == STATUS_WARN ? "warning: " : "");
    }
    escape_xml(out, message);
    write_detail(result, out);
    text_add(out, report_status(report, result) == STATUS_FAIL ? "</failure>\n" : "</system-out>\n");
}

static void write_case(const struct report *report, const struct result *result, struct text *out)
{
    text_add(out, "    <testcase");
    attribute(out, "classname", arena_printf(out->arena, "condagpu.%s", report->command));
    attribute(out, "name", result->id);
    text_add(out, ">\n");
    if (result->status == STATUS_SKIP) {
        text_add(out, "      <skipped");
        attribute(out, "message", text_printable(out->arena, str_of(result->message)));
        text_add(out, "/>\n");
    } else {
        write_text(report, result, out);
    }
    text_add(out, "    </testcase>\n");
}

void report_as_junit(const struct report *report, struct text *out)
{
    struct report_counts counts = report_count(report->results);
    unsigned failures = counts.fail + (report->strict ? counts.warn : 0);
    const char *name = arena_printf(out->arena, "condagpu %s", report->command);
    const char *numbers =
        arena_printf(out->arena, " tests=\"%zu\" failures=\"%u\" errors=\"0\"", report->results->n, failures);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    attribute(out, "name", name);
    text_add(out, "%s>\n  <testsuite", numbers);
    attribute(out, "name", name);
    text_add(out, "%s skipped=\"%u\">\n", numbers, counts.skip);
    write_properties(report, out);
    for (size_t i = 0; i < report->results->n; i++)
        write_case(report, &report->results->v[i], out);
    text_add(out, "  </testsuite>\n</testsuites>\n");
}
