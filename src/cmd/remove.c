#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/gather.h"
#include "cmd/lock.h"
#include "render/render.h"
#include "util/file.h"
#include "util/path.h"

struct removal {
    struct run *run;
    const char *prefix;
    size_t removed;
};

static bool remove_file(struct removal *removal, const char *relative)
{
    const char *path = path_join(removal->run->arena, removal->prefix, relative);
    if (unlink(path) == 0) {
        removal->removed++;
        if (!removal->run->options.quiet)
            printf("removed %s\n", path);
        return true;
    }
    if (errno == ENOENT || errno == ENOTDIR)
        return true;
    return err_system(&removal->run->err, ERR_OUTPUT, "cannot remove", path, errno);
}

static bool remove_hooks(struct removal *removal)
{
    static const char *const dirs[] = {"activate", "deactivate"};
    for (const struct shell *shell = shells; shell->name; shell++)
        for (size_t i = 0; i < 2; i++)
            if (!remove_file(removal, arena_printf(removal->run->arena, "etc/conda/%s.d/" HOOK_STEM "%s", dirs[i],
                                                   shell->suffix)))
                return false;
    return true;
}

/* Only the links that init recorded: whatever else somebody put there is not ours. */
static bool remove_links(struct removal *removal, const struct state *state)
{
    for (size_t i = 0; i < state->links.n; i++) {
        const char *relative = arena_printf(removal->run->arena, LINK_DIR "/%s", state->links.v[i]);
        struct stat status;
        if (!strchr(state->links.v[i], '/')
            && lstat(path_join(removal->run->arena, removal->prefix, relative), &status) == 0
            && S_ISLNK(status.st_mode) && !remove_file(removal, relative))
            return false;
    }
    if (rmdir(path_join(removal->run->arena, removal->prefix, LINK_DIR)) != 0 && errno == ENOTEMPTY)
        fprintf(stderr, "condagpu: %s/" LINK_DIR " holds files that are not condagpu's: left in place\n",
                removal->prefix);
    return true;
}

static bool remove_state(struct removal *removal)
{
    static const char *const files[] = {STATE_FILE, HISTORY_FILE, LOCK_FILE};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!remove_file(removal, files[i]))
            return false;
    rmdir(path_join(removal->run->arena, removal->prefix, STATE_DIR));
    return true;
}

static int remove_all(struct run *run)
{
    struct removal removal = {.run = run};
    struct state state;
    struct lock lock;
    if (!gather_prefix(run, &removal.prefix))
        return RUN_FAILED;
    if (!state_read(run->arena, removal.prefix, &state, &run->err))
        state = (struct state){0}; /* a broken state goes as well */
    if (!file_is_dir(removal.prefix)) {
        err_set(&run->err, ERR_INPUT, "prefix", removal.prefix, 0, 0, "there is no such directory");
        return RUN_FAILED;
    }
    if (state.present && !lock_take(run, removal.prefix, &lock))
        return RUN_FAILED;
    bool good = remove_hooks(&removal) && remove_links(&removal, &state) && remove_state(&removal);
    if (state.present)
        lock_release(&lock);
    if (!good)
        return RUN_FAILED;
    if (removal.removed == 0)
        printf("condagpu has nothing in %s\n", removal.prefix);
    else if (!run->options.quiet)
        puts("shells in which the environment is active keep its variables until they leave it");
    return 0;
}

static const enum option_id options[] = {OPT_PREFIX, OPT_NAME, OPT_END};

const struct cmd cmd_remove = {
    .name = "remove",
    .summary = "take the hooks of condagpu out of an environment",
    .operands = "",
    .most_operands = 0,
    .options = options,
    .function = remove_all,
};
