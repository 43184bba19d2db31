#include "spec/locked.h"

#include <string.h>

#include "spec/matchspec.h"
#include "spec/pip.h"
#include "util/text.h"

const char *locked_platform(void)
{
#if defined __x86_64__
    return "linux-64";
#elif defined __aarch64__
    return "linux-aarch64";
#elif defined __powerpc64__
    return "linux-ppc64le";
#else
    return "linux-32";
#endif
}

struct place locked_place(const struct building *b, const struct node *node)
{
    return (struct place){b->spec->file, node->line, node->column};
}

const char *locked_list(struct arena *arena, const struct strv *list)
{
    enum { MOST = 12 };
    struct text text = {.arena = arena};
    text_add(&text, "%s", list->n ? list->v[0] : "none");
    for (size_t i = 1; i < list->n && i < MOST; i++)
        text_add(&text, ", %s", list->v[i]);
    if (list->n > MOST)
        text_add(&text, " and others");
    return text.s;
}

const char *locked_text(const struct node *map, const char *key)
{
    const struct node *value = map && map->kind == NODE_MAP ? yaml_value(map, key) : NULL;
    return value && value->kind == NODE_SCALAR && !value->is_null ? value->text : NULL;
}

bool locked_is_name(const char *name)
{
    static const char accepted[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return name[0] && name[0] != '-' && name[0] != '.' && !name[strspn(name, accepted)];
}

static bool refuse_name(struct building *b, struct place place, const char *name)
{
    return building_fail(b, place, NULL, "\"%s\" is no name of a package", name);
}

/* Sources (a directory, a repository) have no build; those that do not even say a name pin nothing. */
static bool add_conda(struct building *b, const struct locked *package)
{
    struct dep read = {0};
    bool known = package->address && matchspec_read_address(b->arena, &read, str_of(package->address));
    const char *name = package->name ? package->name : known ? read.name : NULL;
    if (!name)
        return true;
    if (!locked_is_name(name))
        return refuse_name(b, package->place, name);
    read.name = str_lower(b->arena, str_of(name));
    if (package->version)
        read.version = package->version;
    struct dep *dep = building_dep(b, MANAGER_CONDA, package->place, (struct str){"", 0});
    dep->name = read.name;
    dep->version = read.version;
    dep->build = read.build;
    dep->channel = read.channel;
    dep->subdir = read.subdir;
    dep->text = arena_printf(b->arena, "%s%s%s%s%s", read.name, read.version ? "=" : "",
                             read.version ? read.version : "", read.build ? "=" : "", read.build ? read.build : "");
    return true;
}

/* The file name of a wheel says more than the version beside it: "+cu124" may stand only there. */
static bool add_pip(struct building *b, const struct locked *package)
{
    const char *address = package->address;
    size_t before = b->spec->deps.n;
    bool is_wheel = address && address[0] != '-' && strstr(address, ".whl");
    if (!is_wheel && !package->name)
        return true;
    const char *text = is_wheel && package->name ? arena_printf(b->arena, "%s @ %s", package->name, address)
                       : is_wheel                ? address
                       : package->version        ? arena_printf(b->arena, "%s==%s", package->name, package->version)
                                                 : package->name;
    if (!pip_line(b, package->place, str_of(text), false))
        return false;
    if (is_wheel && package->name && package->version && b->spec->deps.v[before].problem) {
        b->spec->deps.n = before; /* a wheel that is not named as its package is */
        text = arena_printf(b->arena, "%s==%s", package->name, package->version);
        if (!pip_line(b, package->place, str_of(text), false))
            return false;
    }
    struct dep *dep = &b->spec->deps.v[before];
    if (dep->name && !locked_is_name(dep->name))
        return refuse_name(b, package->place, dep->name);
    dep->channel = address;
    if (dep->name && !dep->version && package->version)
        dep->version = arena_printf(b->arena, "==%s", package->version);
    if (dep->name)
        dep->text = arena_printf(b->arena, "%s%s", dep->name, dep->version ? dep->version : "");
    return true;
}

bool locked_add(struct building *b, const struct locked *package)
{
    if (!building_room(b, package->place))
        return false;
    if (package->name && !locked_is_name(package->name))
        return refuse_name(b, package->place, package->name);
    return package->manager == MANAGER_PIP ? add_pip(b, package) : add_conda(b, package);
}
