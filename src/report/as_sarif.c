/* SARIF 2.1.0, as OASIS defines it; section numbers below are that standard's. */
#include <config.h>

#include "report/format.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* The name for the directory that relative URIs start from; code hosts know it by this one. */
static const char root_id[] = "%SRCROOT%";

/* A message object. Braces are doubled, as {0} is a placeholder (3.11.5); foreign text makes no link (3.11.6). */
static json_t *message_object(struct arena *arena, const char *string)
{
    struct text text = {.arena = arena};
    json_t *object = json_object();
    text_bytes(&text, "", 0);
    for (; *string; string++) {
        if (*string == '{' || *string == '}')
            text_bytes(&text, string, 1);
        if (string[0] == ']' && string[1] == '(')
            text_add(&text, "\\");
        text_bytes(&text, string, 1);
    }
    json_put(object, "text", json_text(arena, text.s));
    return object;
}

/* A multiformatMessageString (3.12) has the same shape. */
static json_t *rule_object(struct arena *arena, const struct check *check)
{
    json_t *object = json_object();
    json_put(object, "id", json_text(arena, check->id));
    if (check->title)
        json_put(object, "shortDescription", message_object(arena, check->title));
    if (check->explain)
        json_put(object, "help", message_object(arena, check->explain));
    return object;
}

static json_t *tool_object(struct arena *arena, const struct report *report)
{
    json_t *tool = json_object(), *driver = json_object(), *rules = json_array();
    for (const struct check *check = report->checks; check && check->id; check++)
        json_push(rules, rule_object(arena, check));
    json_put(driver, "name", json_text(arena, PACKAGE_NAME));
    json_put(driver, "version", json_text(arena, PACKAGE_VERSION));
    json_put(driver, "rules", rules);
    json_put(tool, "driver", driver);
    return tool;
}

static json_t *location_object(struct arena *arena, const struct place *place, const char *message)
{
    json_t *location = json_object(), *physical = json_object(), *artifact = json_object();
    json_put(artifact, "uri", json_text(arena, place->uri));
    if (place->relative)
        json_put(artifact, "uriBaseId", json_text(arena, root_id));
    json_put(physical, "artifactLocation", artifact);
    if (place->line) {
        json_t *region = json_object();
        json_put(region, "startLine", json_integer(place->line));
        if (place->column)
            json_put(region, "startColumn", json_integer(place->column));
        json_put(physical, "region", region);
    }
    json_put(location, "physicalLocation", physical);
    if (message)
        json_put(location, "message", message_object(arena, message));
    return location;
}

/* Where the result is shown. Code hosts refuse one without a location, so the environment itself is the last resort. */
static json_t *locations_array(struct arena *arena, const struct report *report, const struct result *result)
{
    json_t *array = json_array();
    struct place place;
    if (place_of_result(arena, report, result, &place) || place_of(arena, report, report->prefix, 0, 0, &place))
        json_push(array, location_object(arena, &place, NULL));
    return array;
}

/* The evidence that has a file; what has none stands in the message. */
static json_t *related_array(struct arena *arena, const struct report *report, const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->evidence.n; i++) {
        const struct evidence *evidence = &result->evidence.v[i];
        struct place place;
        if (place_of(arena, report, evidence->file, evidence->line, evidence->column, &place))
            json_push(array, location_object(arena, &place, text_printable(arena, str_of(evidence->text))));
    }
    return array;
}

static json_t *result_message(struct arena *arena, const struct report *report, const struct result *result)
{
    struct text text = {.arena = arena};
    struct place place;
    text_add(&text, "%s", text_printable(arena, str_of(result->message)));
    for (size_t i = 0; i < result->evidence.n; i++)
        if (!place_of(arena, report, result->evidence.v[i].file, 0, 0, &place))
            text_add(&text, "\n%s", evidence_line(arena, &result->evidence.v[i]));
    if (result->fix)
        text_add(&text, "\nfix: %s", text_printable(arena, str_of(result->fix)));
    return message_object(arena, text.s);
}

static void put_rule(struct arena *arena, const struct report *report, const char *id, json_t *object,
                     const char *id_key, const char *index_key)
{
    const struct check *check = report_check(report->checks, id);
    json_put(object, id_key, json_text(arena, id));
    if (check)
        json_put(object, index_key, json_integer(check - report->checks));
}

static json_t *result_object(struct arena *arena, const struct report *report, const struct result *result)
{
    json_t *object = json_object(), *related = related_array(arena, report, result);
    put_rule(arena, report, result->id, object, "ruleId", "ruleIndex");
    json_put(object, "level", json_text(arena, report_status(report, result) == STATUS_FAIL ? "error" : "warning"));
    json_put(object, "message", result_message(arena, report, result));
    json_put(object, "locations", locations_array(arena, report, result));
    if (json_array_size(related))
        json_put(object, "relatedLocations", related);
    else
        json_decref(related);
    return object;
}

/* A check that could not run is no result but a notification (3.58), so that no host shows it as a finding. */
static json_t *notification_object(struct arena *arena, const struct report *report, const struct result *result)
{
    json_t *object = json_object(), *rule = json_object();
    put_rule(arena, report, result->id, rule, "id", "index");
    json_put(object, "associatedRule", rule);
    json_put(object, "level", json_text(arena, "note"));
    json_put(object, "message",
             message_object(arena, arena_printf(arena, "skipped: %s", text_printable(arena, str_of(result->message)))));
    return object;
}

static json_t *invocation_object(struct arena *arena, const struct report *report)
{
    json_t *object = json_object(), *notifications = json_array();
    for (size_t i = 0; i < report->results->n; i++)
        if (report->results->v[i].status == STATUS_SKIP)
            json_push(notifications, notification_object(arena, report, &report->results->v[i]));
    json_put(object, "executionSuccessful", json_true());
    json_put(object, "toolExecutionNotifications", notifications);
    return object;
}

static json_t *run_object(struct arena *arena, const struct report *report)
{
    json_t *run = json_object(), *results = json_array(), *invocations = json_array();
    json_t *bases = json_object(), *root = json_object();
    for (size_t i = 0; i < report->results->n; i++) {
        enum status status = report->results->v[i].status;
        if (status == STATUS_FAIL || status == STATUS_WARN)
            json_push(results, result_object(arena, report, &report->results->v[i]));
    }
    json_push(invocations, invocation_object(arena, report));
    json_put(root, "uri", json_text(arena, place_root_uri(arena, report)));
    json_put(bases, root_id, root);
    json_put(run, "tool", tool_object(arena, report));
    json_put(run, "invocations", invocations);
    json_put(run, "originalUriBaseIds", bases);
    json_put(run, "columnKind", json_text(arena, "unicodeCodePoints"));
    json_put(run, "results", results);
    return run;
}

void report_as_sarif(const struct report *report, struct text *out)
{
    struct arena *arena = out->arena;
    _cleanup_json_ json_t *root = json_object();
    json_t *runs = json_array();
    json_push(runs, run_object(arena, report));
    json_put(root, "$schema", json_text(arena, SCHEMA));
    json_put(root, "version", json_text(arena, "2.1.0"));
    json_put(root, "runs", runs);
    json_write(root, 2, out);
}
