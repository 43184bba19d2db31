/* Any bytes as a lock file: refused with a place, or packages that each have one, by a name that pip and conda take. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_package(const struct dep *dep)
{
    if (!dep->text || !dep->text[0] || !dep->file || !dep->line || !dep->column || dep->dropped)
        abort();
    if (dep->name && (!dep->name[0] || strpbrk(dep->name, " \t\n=<>")))
        abort();
    if (dep->version && dep->manager == MANAGER_CONDA)
        conda_version_matches(dep->version, "12.4");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct spec spec;
    if (!spec_parse(arena, data_new(arena, NULL), "lock.yml", (struct str){(const char *)data, size}, &spec, &err)) {
        if (err.kind != ERR_INPUT || !err.why[0] || strchr(err.why, '\n'))
            abort();
        return 0;
    }
    for (size_t i = 0; strstr(spec.format, "lock") && i < spec.deps.n; i++)
        check_package(&spec.deps.v[i]);
    for (size_t i = 0; i < spec.pins.n; i++)
        if (!spec.pins.v[i].release || !spec.pins.v[i].text)
            abort();
    return 0;
}
