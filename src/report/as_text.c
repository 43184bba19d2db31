#include <string.h>

#include "report/format.h"

/* How a status looks; `color` is the parameter of SGR (ECMA-48). */
static const struct style {
    const char *word, *color;
} styles[] = {
    [STATUS_PASS] = {"PASS", "32"},
    [STATUS_WARN] = {"WARN", "33;1"},
    [STATUS_FAIL] = {"FAIL", "31;1"},
    [STATUS_SKIP] = {"SKIP", "36"},
};

static void paint(const struct report *report, const char *color, const char *word, struct text *out)
{
    if (report->color)
        text_add(out, "\033[%sm%s\033[0m", color, word);
    else
        text_add(out, "%s", word);
}

static void write_word(const struct report *report, enum status status, struct text *out)
{
    paint(report, styles[status].color, styles[status].word, out);
    text_add(out, "  ");
}

static const char *clean(const struct text *out, const char *string)
{
    return text_printable(out->arena, str_of(string));
}

/* The longest id among the results that have a line of their own. */
static int id_width(const struct report *report)
{
    size_t width = 0;
    for (size_t i = 0; i < report->results->n; i++) {
        const struct result *result = &report->results->v[i];
        bool alone = result->status == STATUS_FAIL || result->status == STATUS_WARN;
        if ((alone || (report->verbose && result->status == STATUS_PASS)) && strlen(result->id) > width)
            width = strlen(result->id);
    }
    return (int)width;
}

/* What is wrong, what to do, and then what was seen: the first two lines must do for a tired reader. The bullet keeps
 * a line of foreign text from being taken for a command by a CI runner that reads its log. */
static void write_result(const struct report *report, const struct result *result, int width, struct text *out)
{
    write_word(report, result->status, out);
    text_add(out, "%-*s  %s\n", width, clean(out, result->id), clean(out, result->message));
    if (result->fix) {
        text_add(out, "      ");
        paint(report, "1", "fix:", out);
        text_add(out, " %s\n", clean(out, result->fix));
    }
    size_t shown = report->verbose || result->evidence.n <= MOST_EVIDENCE ? result->evidence.n : MOST_EVIDENCE;
    for (size_t i = 0; i < shown; i++)
        text_add(out, "      - %s\n", evidence_line(out->arena, &result->evidence.v[i]));
    if (shown < result->evidence.n)
        text_add(out, "      - and %zu more (-v lists them)\n", result->evidence.n - shown);
}

static void write_each(const struct report *report, enum status status, int width, struct text *out)
{
    for (size_t i = 0; i < report->results->n; i++)
        if (report->results->v[i].status == status)
            write_result(report, &report->results->v[i], width, out);
}

/* Whether an earlier skip gave the same reason. */
static bool told_before(const struct results *results, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (results->v[i].status == STATUS_SKIP && cstr_eq(results->v[i].message, results->v[at].message))
            return true;
    return false;
}

/* One line for each reason: most skips share one. */
static void write_skips(const struct report *report, struct text *out)
{
    const struct results *results = report->results;
    for (size_t i = 0; i < results->n; i++) {
        if (results->v[i].status != STATUS_SKIP || told_before(results, i))
            continue;
        write_word(report, STATUS_SKIP, out);
        text_add(out, "%s", clean(out, results->v[i].id));
        for (size_t j = i + 1; j < results->n; j++)
            if (results->v[j].status == STATUS_SKIP && cstr_eq(results->v[i].message, results->v[j].message))
                text_add(out, ", %s", clean(out, results->v[j].id));
        text_add(out, ": %s\n", clean(out, results->v[i].message));
    }
}

/* A known finding counts as passed, but is not folded away: each has its line. */
static bool is_known(const struct report *report, const struct result *result)
{
    return report->baseline && strv_find(&report->baseline->known, result->id) < report->baseline->known.n;
}

static void write_known(const struct report *report, struct text *out)
{
    for (size_t i = 0; i < report->results->n; i++) {
        const struct result *result = &report->results->v[i];
        if (result->status != STATUS_PASS || !is_known(report, result))
            continue;
        write_word(report, STATUS_PASS, out);
        text_add(out, "%s: %s\n", clean(out, result->id), clean(out, result->message));
    }
}

static void write_passes(const struct report *report, struct text *out)
{
    struct text ids = {.arena = out->arena};
    unsigned count = 0;
    for (size_t i = 0; i < report->results->n; i++) {
        const struct result *result = &report->results->v[i];
        if (result->status == STATUS_PASS && !is_known(report, result))
            text_add(&ids, "%s%s", count++ ? ", " : "", clean(out, result->id));
    }
    if (!count)
        return;
    write_word(report, STATUS_PASS, out);
    text_add(out, "%u check%s passed: %s\n", count, count == 1 ? "" : "s", ids.s);
}

/* The pin and the answer, whatever the checks say of them. */
static void write_facts(const struct report *report, struct text *out)
{
    const struct cudart_answer *cudart = &report->cudart;
    if (report->pin) {
        const struct pin *pin = report->pin;
        const struct evidence place = {pin->text, pin->file, pin->line, 0};
        text_add(out, "pinned  %s  (%s)\n", clean(out, pin->release), evidence_line(out->arena, &place));
    }
    if (cudart->path) {
        const char *version = cudart->version ? cudart->version : cudart->release;
        text_add(out, "loaded  %s  (%s%s%s)\n", version ? clean(out, version) : "?", clean(out, cudart->path),
                 cudart->how ? ", " : "", clean(out, cudart->how));
    }
}

static void write_count(struct text *out, bool *first, unsigned count, const char *word)
{
    if (!count)
        return;
    text_add(out, "%s%u %s", *first ? "" : ", ", count, word);
    *first = false;
}

static void write_summary(const struct report *report, struct text *out)
{
    struct report_counts counts = report_count(report->results);
    bool first = true;
    write_count(out, &first, counts.fail, "failed");
    write_count(out, &first, counts.warn, counts.warn == 1 ? "warning" : "warnings");
    if (counts.warn && report->strict)
        text_add(out, " (%s by --strict)", counts.warn == 1 ? "a failure" : "failures");
    write_count(out, &first, counts.pass, "passed");
    write_count(out, &first, counts.skip, "skipped");
    text_add(out, first ? "no check was run\n" : "\n");
}

void report_as_text(const struct report *report, struct text *out)
{
    struct report_counts counts = report_count(report->results);
    int width = id_width(report);
    text_bytes(out, "", 0);
    write_each(report, STATUS_FAIL, width, out);
    write_each(report, STATUS_WARN, width, out);
    if (report->quiet) {
        if (counts.fail || counts.warn)
            write_summary(report, out);
        return;
    }
    write_skips(report, out);
    if (report->verbose) {
        write_each(report, STATUS_PASS, width, out);
    } else {
        write_known(report, out);
        write_passes(report, out);
    }
    text_add(out, "\n");
    write_facts(report, out);
    write_summary(report, out);
}
