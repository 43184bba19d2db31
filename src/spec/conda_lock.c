#include "spec/conda_lock.h"

#include <string.h>

#include "spec/matchspec.h"
#include "spec/locked.h"

struct reading {
    struct building *b;
    struct strv platforms, categories; /* that are not read */
    size_t ours;                       /* packages for this platform, whatever their category */
};

bool is_conda_lock(const struct node *root)
{
    const struct node *packages = root && root->kind == NODE_MAP ? yaml_value(root, "package") : NULL;
    return packages && packages->kind == NODE_LIST && yaml_value(root, "version") && yaml_value(root, "metadata");
}

static void remember(struct building *b, struct strv *list, const char *text)
{
    if (list->n < 64 && strv_find(list, text) == list->n)
        strv_add(b->arena, list, text);
}

static bool read_package(struct reading *reading, const struct node *item)
{
    struct building *b = reading->b;
    const char *platform = locked_text(item, "platform"), *category = locked_text(item, "category");
    const char *manager = locked_text(item, "manager");
    struct locked package = {.place = locked_place(b, item),
                             .name = locked_text(item, "name"),
                             .version = locked_text(item, "version"),
                             .address = locked_text(item, "url")};
    if (item->kind != NODE_MAP || !package.name || !package.version || !manager || !platform)
        return building_fail(b, package.place, NULL, "a package must have a name, a version, a manager and a platform");
    if (strcmp(platform, locked_platform()) != 0 && strcmp(platform, "noarch") != 0) {
        remember(b, &reading->platforms, platform);
        return true;
    }
    reading->ours++;
    if (category && strcmp(category, "main") != 0) {
        remember(b, &reading->categories, category);
        return true;
    }
    if (strcmp(manager, "conda") != 0 && strcmp(manager, "pip") != 0)
        return building_fail(b, package.place, NULL, "the manager \"%s\" is not known: conda and pip are", manager);
    package.manager = strcmp(manager, "pip") == 0 ? MANAGER_PIP : MANAGER_CONDA;
    return locked_add(b, &package);
}

static void read_channels(struct building *b, const struct node *metadata)
{
    const struct node *channels = metadata->kind == NODE_MAP ? yaml_value(metadata, "channels") : NULL;
    for (size_t i = 0; channels && channels->kind == NODE_LIST && i < channels->items.n; i++) {
        const char *url = locked_text(channels->items.v[i], "url");
        if (url)
            strv_add(b->arena, &b->spec->channels, matchspec_channel(b->arena, str_of(url)));
    }
}

bool conda_lock_read(struct building *b, const struct node *root)
{
    struct reading reading = {.b = b};
    const struct node *packages = yaml_value(root, "package"), *version = yaml_value(root, "version");
    b->spec->format = "conda-lock";
    if (version->kind != NODE_SCALAR || strcmp(version->text, "1") != 0)
        return building_fail(b, locked_place(b, version), "lock again with the present conda-lock or pixi",
                             "a lock file of a version that is not known here: 1 of conda-lock is, and 4 to 7 of pixi");
    read_channels(b, yaml_value(root, "metadata"));
    for (size_t i = 0; i < packages->items.n; i++)
        if (!read_package(&reading, packages->items.v[i]))
            return false;
    if (!reading.ours && reading.platforms.n)
        return building_fail(b, locked_place(b, packages), "lock again with this platform among the platforms",
                             "no package is for %s, only for %s", locked_platform(),
                             locked_list(b->arena, &reading.platforms));
    if (reading.categories.n)
        building_remark(b, "other-categories", locked_place(b, packages),
                        arena_printf(b->arena, "only the category main is read, not %s",
                                     locked_list(b->arena, &reading.categories)));
    return true;
}
