/* Any bytes as an environment file: read, or refused with a place, and what comes out is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_dep(const struct spec *spec, const struct dep *dep)
{
    if (!dep->text || !dep->file || dep->line == 0 || dep->column == 0)
        abort();
    if (dep->version && dep->manager == MANAGER_PIP && !dep->problem)
        pep440_matches(dep->version, spec->deps.v[0].version ? spec->deps.v[0].version : "1.0");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    if (!spec_parse(arena, data_new(arena, NULL), "fuzz", (struct str){(const char *)data, size}, &spec, &err)) {
        if (err.kind != ERR_INPUT || !err.why[0] || !err.line || !err.column || strchr(err.why, '\n'))
            abort();
        return 0;
    }
    for (size_t i = 0; i < spec.deps.n; i++)
        check_dep(&spec, &spec.deps.v[i]);
    for (size_t i = 0; i < spec.notes.n; i++)
        if (!spec.notes.v[i].id || !spec.notes.v[i].message || spec.notes.v[i].line == 0)
            abort();
    return 0;
}
