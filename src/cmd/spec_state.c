#include "cmd/spec_state.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *optional(const char *string)
{
    return string ? json_string(string) : json_null();
}

static json_t *release_json(struct release release)
{
    return json_pack("[i, i, i]", release.major, release.minor, release.patch);
}

/* A set is the list of its ranges. */
static json_t *range_json(const struct cuda_range *range)
{
    json_t *set = json_array();
    for (; range; range = range->also)
        json_array_append_new(set, json_pack("{s:o, s:o, s:b, s:b}", "min", release_json(range->min), "max",
                                             release_json(range->max), "min_exclusive", range->min_exclusive,
                                             "max_inclusive", range->max_inclusive));
    return set;
}

static json_t *alternatives_json(const struct pin *pin)
{
    json_t *all = json_array();
    for (size_t i = 0; i < pin->alternatives.n; i++) {
        const struct alternative *one = &pin->alternatives.v[i];
        json_array_append_new(all, json_pack("{s:i, s:o, s:s}", "kind", one->kind, "cuda", range_json(&one->cuda),
                                             "release", one->release));
    }
    return all;
}

static json_t *pin_json(const struct pin *pin)
{
    return json_pack("{s:i, s:i, s:s, s:s, s:s, s:i, s:i, s:o, s:s, s:o, s:o, s:b, s:b}", "manager", pin->manager,
                     "kind", pin->kind, "package", pin->package, "text", pin->text, "file", pin->file, "line",
                     (int)pin->line, "column", (int)pin->column, "cuda", range_json(&pin->cuda), "release",
                     pin->release, "alternatives", alternatives_json(pin), "why", optional(pin->why), "dropped",
                     pin->dropped, "foreign", pin->foreign);
}

const char *spec_state_text(struct arena *arena, const struct spec *spec)
{
    json_t *pins = json_array(), *conflicts = json_array();
    for (size_t i = 0; i < spec->pins.n; i++)
        json_array_append_new(pins, pin_json(&spec->pins.v[i]));
    for (size_t i = 0; i < spec->conflicts.n; i++)
        json_array_append_new(conflicts, json_pack("{s:i, s:i, s:s}", "first", (int)spec->conflicts.v[i].first,
                                                   "second", (int)spec->conflicts.v[i].second, "message",
                                                   spec->conflicts.v[i].message));
    json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:i}", "file", spec->file, "pins", pins,
                             "conflicts", conflicts, "effective", range_json(&spec->effective), "has_effective",
                             spec->has_effective, "release", release_json(spec->release), "text",
                             optional(spec->effective_text), "deciding", (int)spec->deciding);
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text)
        abort(); /* out of memory: a spec's strings are UTF-8 */
    const char *copy = arena_strdup(arena, text);
    free(text);
    json_decref(root);
    return copy;
}

static bool read_release(const json_t *value, struct release *release)
{
    return json_unpack((json_t *)value, "[i, i, i!]", &release->major, &release->minor, &release->patch) == 0;
}

static bool read_one_range(json_t *value, struct cuda_range *range)
{
    const json_t *min, *max;
    int min_exclusive, max_inclusive;
    if (json_unpack(value, "{s:o, s:o, s:b, s:b}", "min", &min, "max", &max, "min_exclusive", &min_exclusive,
                    "max_inclusive", &max_inclusive) != 0)
        return false;
    *range = (struct cuda_range){.min_exclusive = min_exclusive, .max_inclusive = max_inclusive};
    return read_release(min, &range->min) && read_release(max, &range->max);
}

static bool read_range(struct arena *arena, const json_t *set, struct cuda_range *range)
{
    size_t n = json_array_size(set);
    struct cuda_range *ranges = arena_alloc(arena, n * sizeof *ranges);
    for (size_t i = 0; i < n; i++)
        if (!read_one_range(json_array_get(set, i), &ranges[i]))
            return false;
    if (n)
        *range = range_union(arena, ranges, n);
    return n > 0;
}

static enum pin_kind kind_of(int kind)
{
    return kind >= PIN_BUILD && kind <= PIN_BOUND ? (enum pin_kind)kind : PIN_BOUND;
}

static bool read_alternatives(struct arena *arena, const json_t *all, struct pin *pin)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        struct alternative *one = vec_add(arena, &pin->alternatives);
        json_t *cuda;
        const char *release;
        int kind;
        if (json_unpack(json_array_get(all, i), "{s:i, s:o, s:s}", "kind", &kind, "cuda", &cuda, "release", &release)
                != 0
            || !read_range(arena, cuda, &one->cuda))
            return false;
        one->kind = kind_of(kind);
        one->release = arena_strdup(arena, release);
    }
    return true;
}

static bool read_pin(struct arena *arena, json_t *value, struct pin *pin)
{
    int manager, kind, line, column, dropped, foreign;
    json_t *cuda, *why, *alternatives;
    const char *package, *text, *file, *release;
    if (json_unpack(value, "{s:i, s:i, s:s, s:s, s:s, s:i, s:i, s:o, s:s, s:o, s:o, s:b, s:b}", "manager", &manager,
                    "kind", &kind, "package", &package, "text", &text, "file", &file, "line", &line, "column",
                    &column, "cuda", &cuda, "release", &release, "alternatives", &alternatives, "why", &why, "dropped",
                    &dropped, "foreign", &foreign) != 0)
        return false;
    *pin = (struct pin){
        .manager = manager == MANAGER_PIP ? MANAGER_PIP : MANAGER_CONDA,
        .kind = kind_of(kind),
        .package = arena_strdup(arena, package),
        .text = arena_strdup(arena, text),
        .file = arena_strdup(arena, file),
        .line = line > 0 ? (unsigned)line : 0,
        .column = column > 0 ? (unsigned)column : 0,
        .release = arena_strdup(arena, release),
        .why = arena_strdup(arena, json_string_value(why)),
        .dropped = dropped,
        .foreign = foreign,
    };
    return read_range(arena, cuda, &pin->cuda) && read_alternatives(arena, alternatives, pin);
}

static bool read_conflict(struct arena *arena, json_t *value, const struct spec *spec, struct conflict *conflict)
{
    int first, second;
    const char *message;
    if (json_unpack(value, "{s:i, s:i, s:s}", "first", &first, "second", &second, "message", &message) != 0
        || first < 0 || second < 0 || (size_t)first >= spec->pins.n || (size_t)second >= spec->pins.n)
        return false;
    *conflict = (struct conflict){(size_t)first, (size_t)second, arena_strdup(arena, message)};
    return true;
}

static bool read_lists(struct arena *arena, const json_t *pins, const json_t *conflicts, struct spec *spec)
{
    for (size_t i = 0; i < json_array_size(pins); i++)
        if (!read_pin(arena, json_array_get(pins, i), vec_add(arena, &spec->pins)))
            return false;
    for (size_t i = 0; i < json_array_size(conflicts); i++)
        if (!read_conflict(arena, json_array_get(conflicts, i), spec, vec_add(arena, &spec->conflicts)))
            return false;
    return true;
}

bool spec_state_read(struct arena *arena, const char *text, struct spec *spec)
{
    json_t *root = json_loads(text, 0, NULL), *pins, *conflicts, *effective, *release, *shown;
    const char *file;
    int has_effective, deciding;
    *spec = (struct spec){0};
    bool good = root
        && json_unpack(root, "{s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:i}", "file", &file, "pins", &pins, "conflicts",
                       &conflicts, "effective", &effective, "has_effective", &has_effective, "release", &release,
                       "text", &shown, "deciding", &deciding) == 0
        && read_lists(arena, pins, conflicts, spec) && read_range(arena, effective, &spec->effective)
        && read_release(release, &spec->release);
    if (good) {
        spec->file = arena_strdup(arena, file);
        spec->format = "environment";
        spec->has_effective = has_effective;
        spec->effective_text = arena_strdup(arena, json_string_value(shown));
        spec->deciding = deciding >= 0 && (size_t)deciding < spec->pins.n ? (size_t)deciding : 0;
    }
    json_decref(root);
    return good && (!spec->has_effective || spec->effective_text);
}
