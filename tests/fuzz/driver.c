/* Runs a fuzz target once on each file given, where no fuzzer is built in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool run(const char *path)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct err err = {0};
    struct str content;
    if (!file_read(arena, path, 64 * 1024 * 1024, "seed", &content, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.why);
        return false;
    }
    /* A copy without a byte behind it, so that a sanitizer sees what reads too far. */
    uint8_t *exact = malloc(content.n ? content.n : 1);
    for (size_t i = 0; exact && i < content.n; i++)
        exact[i] = (uint8_t)content.s[i];
    int status = exact ? LLVMFuzzerTestOneInput(exact, content.n) : 1;
    free(exact);
    return status == 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!run(argv[i]))
            return EXIT_FAILURE;
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
