#include "spec/pixi_lock.h"

#include <stdlib.h>
#include <string.h>

#include "spec/matchspec.h"
#include "spec/locked.h"

/* What stands in `packages` about an address that an environment names. */
struct described {
    const char *address;
    const struct node *package;
};

struct reading {
    struct building *b;
    struct {
        VEC(struct described);
    } described; /* by address */
};

bool is_pixi_lock(const struct node *root)
{
    return root && root->kind == NODE_MAP && yaml_value(root, "version") && yaml_value(root, "environments")
           && yaml_value(root, "packages");
}

static int described_cmp(const void *left, const void *right)
{
    return strcmp(((const struct described *)left)->address, ((const struct described *)right)->address);
}

static void describe(struct reading *reading, const struct node *packages)
{
    static const char *const keys[] = {"conda", "pypi", "url", "path"};
    for (size_t i = 0; packages->kind == NODE_LIST && i < packages->items.n; i++) {
        const char *address = NULL;
        for (size_t key = 0; key < sizeof keys / sizeof *keys && !address; key++)
            address = locked_text(packages->items.v[i], keys[key]);
        if (address)
            *vec_add(reading->b->arena, &reading->described) = (struct described){address, packages->items.v[i]};
    }
    if (reading->described.n)
        qsort(reading->described.v, reading->described.n, sizeof *reading->described.v, described_cmp);
}

static const struct node *description(const struct reading *reading, const char *address)
{
    struct described key = {address, NULL}, *found = NULL;
    if (reading->described.n)
        found = bsearch(&key, reading->described.v, reading->described.n, sizeof key, described_cmp);
    return found ? found->package : NULL;
}

/* An item is "conda: ADDRESS" or "pypi: ADDRESS"; "conda_source: …" is built from a directory and pins nothing. */
static bool read_item(struct reading *reading, const struct node *item)
{
    const char *conda = locked_text(item, "conda"), *pip = locked_text(item, "pypi"), *address = conda ? conda : pip;
    struct locked package = {
        .manager = conda ? MANAGER_CONDA : MANAGER_PIP, .place = locked_place(reading->b, item), .address = address};
    if (!address)
        return locked_text(item, "conda_source")
               || building_fail(reading->b, package.place, NULL,
                                "a package must be \"conda: ADDRESS\" or \"pypi: ADDRESS\"");
    const struct node *known = description(reading, address);
    package.name = locked_text(known, "name");
    package.version = locked_text(known, "version");
    return locked_add(reading->b, &package);
}

/* ---- which environment, which platform */

static bool choose_environment(struct building *b, const struct node *environments, const struct node **chosen)
{
    struct strv others = {0};
    const char *only = "default";
    if (environments->kind != NODE_MAP || !environments->keys.n)
        return building_fail(b, locked_place(b, environments), NULL, "there is no environment");
    *chosen = yaml_value(environments, only);
    if (!*chosen && environments->keys.n == 1) {
        only = environments->keys.v[0]->text;
        *chosen = environments->items.v[0];
    }
    for (size_t i = 0; i < environments->keys.n; i++)
        if (strcmp(environments->keys.v[i]->text, only) != 0)
            strv_add(b->arena, &others, environments->keys.v[i]->text);
    if (!*chosen)
        return building_fail(b, locked_place(b, environments), "export the one that counts as an @EXPLICIT list",
                             "several environments (%s), none of them called default", locked_list(b->arena, &others));
    if (others.n)
        building_remark(
            b, "other-environments", locked_place(b, *chosen),
            arena_printf(b->arena, "only the environment default is read, not %s", locked_list(b->arena, &others)));
    return true;
}

/* Since version 7 a platform may have a name of its own, and several may stand for one kind of machine. */
static const struct node *platform_named(const struct node *root, const char *platform)
{
    const struct node *platforms = yaml_value(root, "platforms");
    for (size_t i = 0; platforms && platforms->kind == NODE_LIST && i < platforms->items.n && i < 1000; i++)
        if (cstr_eq(locked_text(platforms->items.v[i], "name"), platform))
            return platforms->items.v[i];
    return NULL;
}

static const char *subdir_of(const struct node *root, const char *platform)
{
    const char *subdir = locked_text(platform_named(root, platform), "subdir");
    return subdir ? subdir : platform;
}

/* "__cuda=12" and "__cuda=12=0": the driver that the packages were chosen for, so at least that one is needed. */
static bool read_driver(struct building *b, const struct node *platform)
{
    const struct node *list = platform && platform->kind == NODE_MAP ? yaml_value(platform, "virtual-packages") : NULL;
    for (size_t i = 0; list && list->kind == NODE_LIST && i < list->items.n; i++) {
        const struct node *item = list->items.v[i];
        struct str text = item->kind == NODE_SCALAR ? str_of(item->text) : (struct str){"", 0};
        if (!str_starts(text, "__cuda="))
            continue;
        struct str version = str_slice(text, 7, text.n);
        if (!building_room(b, locked_place(b, item)))
            return false;
        conda_dep(
            b, building_dep(b, MANAGER_CONDA, locked_place(b, item),
                            str_of(arena_printf(b->arena, "__cuda >=%.*s", (int)str_find(version, '='), version.s))));
    }
    return true;
}

static bool choose_platform(struct building *b, const struct node *root, const struct node *packages,
                            const struct node **chosen)
{
    struct strv ours = {0}, all = {0};
    for (size_t i = 0; i < packages->keys.n && i < 1000; i++) {
        const char *platform = packages->keys.v[i]->text;
        strv_add(b->arena, &all, platform);
        if (strcmp(subdir_of(root, platform), locked_platform()) != 0)
            continue;
        strv_add(b->arena, &ours, platform);
        *chosen = packages->items.v[i];
    }
    if (ours.n > 1)
        return building_fail(b, locked_place(b, packages), "export the one that counts as an @EXPLICIT list",
                             "several platforms are %s (%s): which one counts depends on the machine",
                             locked_platform(), locked_list(b->arena, &ours));
    if (!ours.n)
        return building_fail(b, locked_place(b, packages),
                             "add this platform to the manifest's platforms and lock again",
                             "no package is for %s, only for %s", locked_platform(), locked_list(b->arena, &all));
    return read_driver(b, platform_named(root, ours.v[0]));
}

static void read_channels(struct building *b, const struct node *environment)
{
    const struct node *channels = yaml_value(environment, "channels");
    for (size_t i = 0; channels && channels->kind == NODE_LIST && i < channels->items.n; i++) {
        const char *url = locked_text(channels->items.v[i], "url");
        if (url)
            strv_add(b->arena, &b->spec->channels, matchspec_channel(b->arena, str_of(url)));
    }
}

static bool is_known_version(const struct node *version)
{
    static const char *const known[] = {"4", "5", "6", "7"};
    bool found = false;
    for (size_t i = 0; version->kind == NODE_SCALAR && i < sizeof known / sizeof *known; i++)
        found |= strcmp(version->text, known[i]) == 0;
    return found;
}

static bool read_packages(struct reading *reading, const struct node *list)
{
    if (list->kind != NODE_LIST)
        return building_fail(reading->b, locked_place(reading->b, list), NULL, "the packages must be a list");
    for (size_t i = 0; i < list->items.n; i++)
        if (!read_item(reading, list->items.v[i]))
            return false;
    return true;
}

bool pixi_lock_read(struct building *b, const struct node *root)
{
    struct reading reading = {.b = b};
    const struct node *version = yaml_value(root, "version"), *environment, *list = NULL;
    b->spec->format = "pixi-lock";
    if (!is_known_version(version))
        return building_fail(b, locked_place(b, version), NULL,
                             "a lock file of a version that is not known here: 4 to 7 are");
    if (!choose_environment(b, yaml_value(root, "environments"), &environment))
        return false;
    const struct node *packages = environment->kind == NODE_MAP ? yaml_value(environment, "packages") : NULL;
    if (!packages || packages->kind != NODE_MAP)
        return building_fail(b, locked_place(b, environment), NULL,
                             "the environment must have packages, a mapping of platforms");
    if (!packages->keys.n)
        return true;
    read_channels(b, environment);
    describe(&reading, yaml_value(root, "packages"));
    return choose_platform(b, root, packages, &list) && read_packages(&reading, list);
}
