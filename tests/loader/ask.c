/* ask live PYTHON NAME, ask trace PYTHON CONSUMER NAME: what the live child says, one word a line. $ASK_PRELOAD is the
 * child's LD_PRELOAD. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/loader.h"
#include "util/env.h"

extern char **environ;

int main(int argc, char **argv)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    const char *preload = getenv("ASK_PRELOAD");
    const char *const *env = env_with(arena, (const char *const *)environ, "LD_PRELOAD", preload);
    struct live live;
    if (argc == 4 && strcmp(argv[1], "live") == 0)
        loader_live(arena, argv[2], env, argv[3], &live);
    else if (argc == 5 && strcmp(argv[1], "trace") == 0)
        loader_trace(arena, argv[2], env, argv[3], argv[4], &live);
    else
        return 2;
    printf("ran %d\nopened %d\npath %s\nversion %d\nstatus %d\nmessage %s\nskipped %s\n", live.ran, live.opened,
           live.path ? live.path : "-", live.version, live.status, live.message ? live.message : "-",
           live.skipped ? live.skipped : "-");
    return 0;
}
