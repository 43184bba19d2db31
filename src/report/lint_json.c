#include "report/lint.h"

#include "check/secret.h"
#include "report/format.h"

struct writing {
    struct arena *arena;
    const struct table *secrets;
};

static const char *const managers[] = {[MANAGER_CONDA] = "conda", [MANAGER_PIP] = "pip"};
static const char *const levels[] = {[STATUS_PASS] = "note", [STATUS_SKIP] = "note", [STATUS_WARN] = "warning", [STATUS_FAIL] = "error"};

static json_t *clean(const struct writing *w, const char *string)
{
    return json_text(w->arena, string ? secret_redact(w->arena, w->secrets, str_of(string)) : NULL);
}

static json_t *number(unsigned value)
{
    return value ? json_integer((json_int_t)value) : json_null();
}

static json_t *release(const struct writing *w, struct release release)
{
    return release.major < 0 ? json_null() : json_text(w->arena, release_text(w->arena, release));
}

static void put_place(const struct writing *w, json_t *object, const char *file, unsigned line, unsigned column)
{
    json_put(object, "file", json_text(w->arena, file));
    json_put(object, "line", number(line));
    json_put(object, "column", number(column));
}

static json_t *spec_object(const struct writing *w, const struct dep *dep)
{
    json_t *object = json_object();
    json_put(object, "manager", json_text(w->arena, managers[dep->manager]));
    json_put(object, "text", clean(w, dep->text));
    json_put(object, "name", clean(w, dep->name));
    json_put(object, "version", json_text(w->arena, dep->version));
    json_put(object, "build", json_text(w->arena, dep->build));
    json_put(object, "channel", clean(w, dep->channel));
    json_put(object, "subdir", json_text(w->arena, dep->subdir));
    json_put(object, "extras", json_text(w->arena, dep->extras));
    json_put(object, "marker", json_text(w->arena, dep->marker));
    json_put(object, "dropped", json_boolean(dep->dropped));
    put_place(w, object, dep->file, dep->line, dep->column);
    return object;
}

static json_t *range_object(const struct writing *w, const struct cuda_range *range, json_t *named)
{
    json_t *object = json_object();
    json_put(object, "release", named);
    json_put(object, "min", release(w, range->min));
    json_put(object, "max", release(w, range->max));
    json_put(object, "min_exclusive", json_boolean(range->min_exclusive));
    json_put(object, "max_inclusive", json_boolean(range->max_inclusive));
    return object;
}

static json_t *pin_object(const struct writing *w, const struct pin *pin)
{
    static const char *const kinds[] = {
        [PIN_BUILD] = "build", [PIN_RELEASE] = "release", [PIN_MINOR] = "minor", [PIN_BOUND] = "bound"};
    json_t *object = json_object();
    json_put(object, "manager", json_text(w->arena, managers[pin->manager]));
    json_put(object, "package", json_text(w->arena, pin->package));
    json_put(object, "spec", clean(w, pin->text));
    json_put(object, "kind", json_text(w->arena, kinds[pin->kind]));
    json_put(object, "cuda", range_object(w, &pin->cuda, json_text(w->arena, pin->release)));
    json_put(object, "why", json_text(w->arena, pin->why));
    json_put(object, "dropped", json_boolean(pin->dropped));
    put_place(w, object, pin->file, pin->line, pin->column);
    return object;
}

static json_t *conflict_object(const struct writing *w, const struct conflict *conflict)
{
    json_t *object = json_object();
    json_put(object, "pins", json_pack("[I, I]", (json_int_t)conflict->first, (json_int_t)conflict->second));
    json_put(object, "message", clean(w, conflict->message));
    return object;
}

static json_t *finding_object(const struct writing *w, const struct result *result)
{
    const struct evidence *place = result->evidence.v;
    json_t *object = json_object(), *also = json_array();
    for (size_t i = 1; i < result->evidence.n; i++) {
        json_t *other = json_object();
        json_put(other, "text", clean(w, result->evidence.v[i].text));
        put_place(w, other, result->evidence.v[i].file, result->evidence.v[i].line, result->evidence.v[i].column);
        json_push(also, other);
    }
    json_put(object, "id", json_text(w->arena, result->id));
    json_put(object, "level", json_text(w->arena, levels[result->status]));
    put_place(w, object, place->file, place->line, place->column);
    json_put(object, "message", clean(w, result->message));
    json_put(object, "fix", json_text(w->arena, result->fix));
    json_put(object, "also", also);
    return object;
}

static json_t *effective_object(const struct writing *w, const struct spec *spec)
{
    if (!spec || !spec->has_effective)
        return json_null();
    return range_object(w, &spec->effective, release(w, spec->release));
}

void lint_as_json(const struct linted *linted, const struct table *secrets, size_t indent, struct text *out)
{
    const struct writing w = {out->arena, secrets};
    const struct spec none = {0}, *spec = linted->spec ? linted->spec : &none;
    _cleanup_json_ json_t *root = json_object();
    json_t *specs = json_array(), *pins = json_array(), *conflicts = json_array(), *findings = json_array();
    for (size_t i = 0; i < spec->deps.n; i++)
        json_push(specs, spec_object(&w, &spec->deps.v[i]));
    for (size_t i = 0; i < spec->pins.n; i++)
        json_push(pins, pin_object(&w, &spec->pins.v[i]));
    for (size_t i = 0; i < spec->conflicts.n; i++)
        json_push(conflicts, conflict_object(&w, &spec->conflicts.v[i]));
    for (size_t i = 0; i < linted->results.n; i++)
        json_push(findings, finding_object(&w, &linted->results.v[i]));
    json_put(root, "schema", json_text(w.arena, "condagpu.lint/1"));
    json_put(root, "file", json_text(w.arena, linted->file));
    json_put(root, "format", json_text(w.arena, spec->format));
    json_put(root, "name", json_text(w.arena, spec->name));
    json_put(root, "specs", specs);
    json_put(root, "pins", pins);
    json_put(root, "effective", effective_object(&w, linted->spec));
    json_put(root, "conflicts", conflicts);
    json_put(root, "findings", findings);
    json_write(root, indent, out);
}
