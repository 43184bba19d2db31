/* Sets of CUDA releases. */
#include <stdlib.h>

#include "spec/spec.h"
#include "util/text.h"

/* More ranges than a person writes: such a set is not narrowed further. Each pin is checked by itself all the same. */
enum { MOST_RANGES = 64 };

static int min_cmp(const void *left, const void *right)
{
    const struct cuda_range *l = left, *r = right;
    int order = release_cmp(release_least(l->min), release_least(r->min));
    return order ? order : l->min_exclusive - r->min_exclusive;
}

static int max_cmp(const struct cuda_range *left, const struct cuda_range *right)
{
    bool open_left = left->max.major < 0, open_right = right->max.major < 0;
    if (open_left || open_right)
        return open_left - open_right;
    int order = release_cmp(release_least(left->max), release_least(right->max));
    return order ? order : left->max_inclusive - right->max_inclusive;
}

/* Whether no release lies both below the end of one and above the start of the other. */
static bool ends_before(const struct cuda_range *one, const struct cuda_range *other)
{
    if (one->max.major < 0 || other->min.major < 0)
        return false;
    int order = release_cmp(release_least(one->max), release_least(other->min));
    return order < 0 || (order == 0 && !(one->max_inclusive && !other->min_exclusive));
}

static bool one_holds(const struct cuda_range *range, struct release release)
{
    const struct cuda_range point = {.min = release, .max = release, .max_inclusive = true};
    return !ends_before(range, &point) && !ends_before(&point, range);
}

static bool one_may_hold(const struct cuda_range *range, struct release release)
{
    if (release.minor >= 0)
        return one_holds(range, release)
               || (release.patch < 0 && range->min.major >= 0 && range->min.patch >= 0
                   && release.major == range->min.major && release.minor == range->min.minor);
    return (range->min.major < 0 || release.major >= range->min.major)
           && (range->max.major < 0 || release.major <= range->max.major);
}

bool range_may_hold(const struct cuda_range *range, struct release release)
{
    while (range && !one_may_hold(range, release))
        range = range->also;
    return range != NULL;
}

static void add_text(struct text *text, const struct cuda_range *range)
{
    bool is_minor = range->min.major >= 0 && range->min.minor >= 0 && range->max.major == range->min.major
                    && range->max.minor == range->min.minor + 1;
    if (is_minor) {
        text_add(text, "%s", release_text(text->arena, range->min));
        return;
    }
    if (range->min.major >= 0)
        text_add(text, "%s%s", range->min_exclusive ? ">" : ">=", release_text(text->arena, range->min));
    if (range->max.major >= 0)
        text_add(text, "%s%s%s", range->min.major >= 0 ? "," : "", range->max_inclusive ? "<=" : "<",
                 release_text(text->arena, range->max));
    if (range->min.major < 0 && range->max.major < 0)
        text_add(text, "any");
}

char *range_text(struct arena *arena, const struct cuda_range *range)
{
    struct text text = {.arena = arena};
    add_text(&text, range);
    while ((range = range->also)) {
        text_add(&text, " or ");
        add_text(&text, range);
    }
    return text.s;
}

static const struct cuda_range *copy(struct arena *arena, const struct cuda_range *range)
{
    struct cuda_range *kept = arena_alloc(arena, sizeof *kept);
    *kept = *range;
    return kept;
}

struct cuda_range range_union(struct arena *arena, struct cuda_range *ranges, size_t n)
{
    size_t last = 0;
    qsort(ranges, n, sizeof *ranges, min_cmp);
    for (size_t i = 1; i < n; i++) {
        if (ends_before(&ranges[last], &ranges[i]))
            ranges[++last] = ranges[i];
        else if (max_cmp(&ranges[i], &ranges[last]) > 0) {
            ranges[last].max = ranges[i].max;
            ranges[last].max_inclusive = ranges[i].max_inclusive;
        }
    }
    for (size_t i = last + 1; i-- > 0;) {
        ranges[i].also = NULL;
        if (i < last)
            ranges[i].also = copy(arena, &ranges[i + 1]);
    }
    return ranges[0];
}

static bool one_narrow(struct cuda_range *all, const struct cuda_range *range)
{
    if (min_cmp(range, all) > 0) {
        all->min = range->min;
        all->min_exclusive = range->min_exclusive;
    }
    if (max_cmp(range, all) < 0) {
        all->max = range->max;
        all->max_inclusive = range->max_inclusive;
    }
    return !ends_before(all, all);
}

bool range_narrow(struct arena *arena, struct cuda_range *all, const struct cuda_range *range)
{
    struct cuda_range both[MOST_RANGES];
    size_t n = 0;
    for (const struct cuda_range *one = all; one; one = one->also)
        for (const struct cuda_range *other = range; other; other = other->also) {
            if (n == MOST_RANGES)
                return true;
            both[n] = *one;
            n += one_narrow(&both[n], other);
        }
    if (n)
        *all = range_union(arena, both, n);
    return n > 0;
}
