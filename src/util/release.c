#include "util/release.h"

static bool parse_number(struct str text, int *number)
{
    if (text.n == 0 || text.n > 6)
        return false;
    *number = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] < '0' || text.s[i] > '9')
            return false;
        *number = *number * 10 + (text.s[i] - '0');
    }
    return true;
}

bool release_parse(struct str text, struct release *release)
{
    *release = RELEASE_NONE;
    int *parts[] = {&release->major, &release->minor, &release->patch};
    struct str rest = text, part;
    for (size_t i = 0; str_cut(&rest, '.', &part); i++) {
        int further;
        if (!parse_number(part, i < 3 ? parts[i] : &further)) {
            *release = RELEASE_NONE;
            return false;
        }
    }
    return release->major >= 0;
}

bool release_parse_span(struct str text, struct release *first, struct release *last)
{
    size_t dash = str_find(text, '-');
    if (!release_parse(str_slice(text, 0, dash), first))
        return false;
    *last = *first;
    return dash == text.n || release_parse(str_slice(text, dash + 1, text.n), last);
}

struct release release_from_int(int version)
{
    return (struct release){version / 1000, version % 1000 / 10, -1};
}

char *release_text(struct arena *arena, struct release release)
{
    if (release.major < 0)
        return arena_strdup(arena, "?");
    if (release.minor < 0)
        return arena_printf(arena, "%d", release.major);
    if (release.patch < 0)
        return arena_printf(arena, "%d.%d", release.major, release.minor);
    return arena_printf(arena, "%d.%d.%d", release.major, release.minor, release.patch);
}

struct release release_least(struct release release)
{
    return (struct release){release.major, release.minor < 0 ? 0 : release.minor, release.patch < 0 ? 0 : release.patch};
}

int release_cmp(struct release left, struct release right)
{
    if (left.major != right.major)
        return left.major < right.major ? -1 : 1;
    if (left.minor != right.minor)
        return left.minor < right.minor ? -1 : 1;
    if (left.patch != right.patch)
        return left.patch < right.patch ? -1 : 1;
    return 0;
}

static bool part_agrees(int left, int right)
{
    return left < 0 || right < 0 || left == right;
}

bool release_agree(struct release left, struct release right)
{
    return part_agrees(left.major, right.major) && part_agrees(left.minor, right.minor)
        && part_agrees(left.patch, right.patch);
}
