#include "report/format.h"

static const char *const words[] = {
    [STATUS_PASS] = "pass",
    [STATUS_WARN] = "warn",
    [STATUS_FAIL] = "fail",
    [STATUS_SKIP] = "skip",
};

static const char *const managers[] = {
    [MANAGER_CONDA] = "conda",
    [MANAGER_PIP] = "pip",
};

static json_t *number(unsigned value)
{
    return value ? json_integer((json_int_t)value) : json_null();
}

static json_t *pin_object(struct arena *arena, const struct pin *pin)
{
    if (!pin)
        return json_null();
    json_t *object = json_object();
    json_put(object, "release", json_text(arena, pin->release));
    json_put(object, "spec", json_text(arena, pin->text));
    json_put(object, "manager", json_text(arena, managers[pin->manager]));
    json_put(object, "file", json_text(arena, pin->file));
    json_put(object, "line", number(pin->line));
    return object;
}

static json_t *cudart_object(struct arena *arena, const struct cudart_answer *cudart)
{
    if (!cudart->path)
        return json_null();
    json_t *object = json_object();
    json_put(object, "path", json_text(arena, cudart->path));
    json_put(object, "release", json_text(arena, cudart->release));
    json_put(object, "version", json_text(arena, cudart->version));
    json_put(object, "how", json_text(arena, cudart->how));
    return object;
}

static json_t *evidence_object(struct arena *arena, const struct evidence *evidence)
{
    json_t *object = json_object();
    json_put(object, "text", json_text(arena, evidence->text ? evidence->text : ""));
    json_put(object, "file", json_text(arena, evidence->file));
    json_put(object, "line", number(evidence->line));
    json_put(object, "column", number(evidence->column));
    return object;
}

static json_t *result_object(struct arena *arena, const struct result *result)
{
    json_t *object = json_object(), *evidence = json_array();
    for (size_t i = 0; i < result->evidence.n; i++)
        json_push(evidence, evidence_object(arena, &result->evidence.v[i]));
    json_put(object, "id", json_text(arena, result->id));
    json_put(object, "status", json_text(arena, words[result->status]));
    json_put(object, "message", json_text(arena, result->message ? result->message : ""));
    json_put(object, "fix", json_text(arena, result->fix));
    json_put(object, "evidence", evidence);
    return object;
}

static json_t *summary_object(const struct results *results)
{
    struct report_counts counts = report_count(results);
    json_t *object = json_object();
    json_put(object, "pass", json_integer(counts.pass));
    json_put(object, "warn", json_integer(counts.warn));
    json_put(object, "fail", json_integer(counts.fail));
    json_put(object, "skip", json_integer(counts.skip));
    return object;
}

void report_as_json(const struct report *report, struct text *out)
{
    struct arena *arena = out->arena;
    _cleanup_json_ json_t *root = json_object();
    json_t *findings = json_array();
    for (size_t i = 0; i < report->results->n; i++)
        json_push(findings, result_object(arena, &report->results->v[i]));
    json_put(root, "schema", json_text(arena, arena_printf(arena, "condagpu.%s/1", report->command)));
    json_put(root, "prefix", json_text(arena, report->prefix));
    json_put(root, "pin", pin_object(arena, report->pin));
    json_put(root, "cudart", cudart_object(arena, &report->cudart));
    json_put(root, "strict", json_boolean(report->strict));
    json_put(root, "passed", json_boolean(report_passed(report)));
    json_put(root, "checks", findings);
    json_put(root, "summary", summary_object(report->results));
    json_write(root, 2, out);
}
