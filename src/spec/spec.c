#include "spec/spec.h"

#include <stdarg.h>
#include <string.h>

#include "spec/conda_lock.h"
#include "spec/decode.h"
#include "spec/environment.h"
#include "spec/explicit.h"
#include "spec/matchspec.h"
#include "spec/pins.h"
#include "spec/pip.h"
#include "spec/pixi.h"
#include "spec/pixi_lock.h"
#include "spec/toml_tree.h"
#include "util/file.h"
#include "util/text.h"

enum { LARGEST_FILE = 16 * 1024 * 1024, MOST_DEPS = 100000 };

bool building_fail(struct building *b, struct place place, const char *mend, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(b->arena, format, args);
    va_end(args);
    err_set(b->err, ERR_INPUT, "environment file", place.file, place.line, place.column, "%s", why);
    return mend ? err_mend(b->err, "%s", mend) : false;
}

void building_note(struct building *b, const char *id, struct place place, const char *message, const char *mend)
{
    *vec_add(b->arena, &b->spec->notes) = (struct note){.id = id, .file = place.file, .line = place.line,
                                                        .column = place.column, .message = message, .mend = mend};
}

void building_remark(struct building *b, const char *id, struct place place, const char *message)
{
    building_note(b, id, place, message, NULL);
    b->spec->notes.v[b->spec->notes.n - 1].remark = true;
}

struct dep *building_dep(struct building *b, enum manager manager, struct place place, struct str text)
{
    struct dep *dep = vec_add(b->arena, &b->spec->deps);
    *dep = (struct dep){.manager = manager, .text = str_dup(b->arena, str_trim(text)), .file = place.file,
                        .line = place.line, .column = place.column};
    return dep;
}

bool building_room(struct building *b, struct place place)
{
    return b->spec->deps.n + b->constraints.n < MOST_DEPS
        || building_fail(b, place, NULL, "more than 100,000 dependencies");
}

void conda_dep(struct building *b, struct dep *dep)
{
    matchspec_parse(b->arena, dep);
    if (dep->problem)
        building_note(b, "invalid-spec", (struct place){dep->file, dep->line, dep->column},
                      arena_printf(b->arena, "conda refuses \"%s\": %s", dep->text, dep->problem),
                      "write NAME=VERSION, one package an item");
}

static struct release lower(struct release r)
{
    return (struct release){r.major, r.minor < 0 ? 0 : r.minor, r.patch < 0 ? 0 : r.patch};
}

bool range_holds(const struct cuda_range *range, struct release release)
{
    struct release r = lower(release);
    if (range->min.major >= 0) {
        int c = release_cmp(r, lower(range->min));
        if (c < 0 || (c == 0 && range->min_exclusive))
            return false;
    }
    if (range->max.major >= 0) {
        int c = release_cmp(r, lower(range->max));
        if (c > 0 || (c == 0 && !range->max_inclusive))
            return false;
    }
    return true;
}

bool range_may_hold(const struct cuda_range *range, struct release release)
{
    if (release.minor >= 0)
        return range_holds(range, release) || (release.patch < 0 && range->min.major >= 0 && range->min.patch >= 0
            && release.major == range->min.major && release.minor == range->min.minor);
    return (range->min.major < 0 || release.major >= range->min.major)
        && (range->max.major < 0 || release.major <= range->max.major);
}

char *range_text(struct arena *arena, const struct cuda_range *range)
{
    struct text text = {.arena = arena};
    if (range->min.major >= 0 && range->min.minor >= 0 && range->max.major == range->min.major
        && range->max.minor == range->min.minor + 1)
        return release_text(arena, range->min);
    if (range->min.major >= 0)
        text_add(&text, "%s%s", range->min_exclusive ? ">" : ">=", release_text(arena, range->min));
    if (range->max.major >= 0)
        text_add(&text, "%s%s%s", text.n ? "," : "", range->max_inclusive ? "<=" : "<",
                 release_text(arena, range->max));
    return text.n ? text.s : arena_strdup(arena, "any");
}

/* A file that calls itself YAML is held to it: a stray word in it is no requirements file. */
static bool is_yaml_name(const char *file)
{
    return str_ends(str_of(file), ".yml") || str_ends(str_of(file), ".yaml");
}

static bool yaml_read(struct building *b)
{
    struct node *root;
    if (!yaml_tree(b->arena, b->spec->file, b->spec->content, &root, b->err))
        return false;
    return is_conda_lock(root) ? conda_lock_read(b, root)
        : is_pixi_lock(root)   ? pixi_lock_read(b, root)
                               : environment_read(b, root);
}

static bool toml_read(struct building *b)
{
    struct node *root;
    return toml_tree(b->arena, b->spec->file, b->spec->content, &root, b->err) && manifest_read(b, root);
}

/* By content; only where that leaves it open the name decides. */
static bool read_content(struct building *b)
{
    const char *file = b->spec->file;
    struct str content = b->spec->content;
    return is_explicit(content)                                ? explicit_read(b)
        : is_toml(content) || str_ends(str_of(file), ".toml")  ? toml_read(b)
        : !is_yaml_name(file) && is_requirements(content)      ? requirements_read(b)
                                                               : yaml_read(b);
}

bool spec_parse(struct arena *arena, struct data *data, const char *file, struct str content, struct spec *spec,
                struct err *err)
{
    struct building b = {.arena = arena, .data = data, .spec = spec, .err = err};
    *spec = (struct spec){.file = file, .content = content};
    spec->sha256 = sha256_hex(arena, content);
    if (!decode(arena, file, content, &spec->content, err))
        return false;
    return read_content(&b) && pins_find(&b);
}

bool spec_read(struct arena *arena, struct data *data, const char *path, struct spec *spec, struct err *err)
{
    struct str content;
    return file_read(arena, path, LARGEST_FILE, "environment file", &content, err)
        && spec_parse(arena, data, path, content, spec, err);
}
