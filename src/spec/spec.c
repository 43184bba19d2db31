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

struct note *building_note(struct building *b, const char *id, struct place place, const char *message,
                           const char *mend)
{
    struct note *note = vec_add(b->arena, &b->spec->notes);
    *note = (struct note){.id = id, .file = place.file, .line = place.line, .column = place.column,
                          .message = message, .mend = mend};
    return note;
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

bool spec_is_unexpanded(struct str text)
{
    for (size_t i = 0; i + 1 < text.n; i++) {
        char next = text.s[i + 1];
        bool begins_name = next == '{' || next == '_' || (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
        if ((text.s[i] == '$' && begins_name) || (text.s[i] == '{' && next == '{'))
            return true;
    }
    return false;
}

void conda_dep(struct building *b, struct dep *dep)
{
    struct place place = {dep->file, dep->line, dep->column};
    matchspec_parse(b->arena, dep);
    if (spec_is_unexpanded(str_of(dep->text)))
        building_note(b, "unexpanded", place,
                      arena_printf(b->arena, "conda puts nothing in for the variable: \"%s\" pins nothing", dep->text),
                      "write the version itself");
    else if (dep->problem)
        building_note(b, "invalid-spec", place,
                      arena_printf(b->arena, "conda refuses \"%s\": %s", dep->text, dep->problem),
                      "write NAME=VERSION, one package an item");
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
    if (!read_content(&b))
        return false;
    pip_finish(&b);
    return pins_find(&b);
}

bool spec_read(struct arena *arena, struct data *data, const char *path, struct spec *spec, struct err *err)
{
    struct str content;
    return file_read(arena, path, LARGEST_FILE, "environment file", &content, err)
        && spec_parse(arena, data, path, content, spec, err);
}
