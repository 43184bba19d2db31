#include <string.h>

#include "report/format.h"
#include "util/path.h"

static bool is_url(const char *file)
{
    return str_starts(str_of(file), "http://") || str_starts(str_of(file), "https://");
}

static const char *root_of(struct arena *arena, const struct report *report)
{
    return path_absolute(arena, report->root ? report->root : ".");
}

static bool has_dot_dot(const char *path)
{
    struct str rest = str_of(path), part;
    while (str_cut(&rest, '/', &part))
        if (str_eq_c(part, ".."))
            return true;
    return false;
}

/* The name of `absolute` seen from `root`, first as it is spelled, then with its symlinks resolved; NULL outside. */
static const char *below(struct arena *arena, const char *root, const char *absolute)
{
    const char *relative = has_dot_dot(absolute) ? NULL : path_relative(root, absolute);
    if (!relative) {
        const char *real = path_real(arena, absolute), *real_root = path_real(arena, root);
        relative = real && real_root ? path_relative(real_root, real) : NULL;
    }
    return relative && relative[0] ? relative : NULL;
}

static void set_url(struct arena *arena, const char *file, struct place *place)
{
    struct text uri = {.arena = arena};
    for (const char *c = file; *c; c++) {
        if (*c <= ' ' || *c > '~' || strchr("\"<>\\^`{|}", *c))
            text_add(&uri, "%%%02X", (unsigned char)*c);
        else
            text_bytes(&uri, c, 1);
    }
    place->path = file;
    place->uri = uri.s;
}

bool place_of(struct arena *arena, const struct report *report, const char *file, unsigned line, unsigned column,
              struct place *place)
{
    *place = (struct place){.line = line, .column = line ? column : 0};
    if (!file || !file[0] || strcmp(file, "-") == 0)
        return false;
    if (is_url(file)) {
        set_url(arena, file, place);
        return true;
    }
    const char *absolute = path_absolute(arena, file);
    const char *relative = below(arena, root_of(arena, report), absolute);
    struct text uri = {.arena = arena};
    if (!relative)
        text_add(&uri, "file://");
    place->relative = relative != NULL;
    place->path = relative ? relative : absolute;
    escape_path(&uri, place->path);
    place->uri = uri.s;
    return true;
}

bool place_of_result(struct arena *arena, const struct report *report, const struct result *result, struct place *place)
{
    const struct pin *pin = report->pin;
    for (size_t i = 0; i < result->evidence.n; i++) {
        const struct evidence *evidence = &result->evidence.v[i];
        if (place_of(arena, report, evidence->file, evidence->line, evidence->column, place) && place->relative)
            return true;
    }
    if (pin && place_of(arena, report, pin->file, pin->line, pin->column, place) && place->relative)
        return true;
    for (size_t i = 0; i < result->evidence.n; i++) {
        const struct evidence *evidence = &result->evidence.v[i];
        if (place_of(arena, report, evidence->file, evidence->line, evidence->column, place))
            return true;
    }
    return pin && place_of(arena, report, pin->file, pin->line, pin->column, place);
}

const char *place_root_uri(struct arena *arena, const struct report *report)
{
    struct text uri = {.arena = arena};
    const char *root = root_of(arena, report);
    text_add(&uri, "file://");
    escape_path(&uri, root);
    if (root[strlen(root) - 1] != '/')
        text_add(&uri, "/");
    return uri.s;
}
