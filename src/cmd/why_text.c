#include <stdlib.h>
#include <string.h>

#include "cmd/why.h"
#include "util/path.h"

enum { FEW = 12 }; /* consumers of one file that are named unless everything is asked for */

struct page {
    struct text text;
    const struct why *why;
};

static const char *safe(struct page *page, const char *string)
{
    return text_printable(page->text.arena, str_of(string ? string : "?"));
}

/* As seen from the environment. */
static const char *name_of(struct page *page, const char *path)
{
    const char *relative = path ? path_relative(page->why->prefix, path) : NULL;
    return safe(page, relative && relative[0] ? relative : path);
}

static void put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *line = arena_vprintf(page->text.arena, format, args);
    va_end(args);
    text_add(&page->text, "%s\n", line);
}

static void put_strong(struct page *page, const char *line)
{
    put(page, "%s%s%s", page->why->is_colored ? "\033[1m" : "", line, page->why->is_colored ? "\033[0m" : "");
}

static const char *release_of(struct page *page, const struct why_answer *answer)
{
    if (answer->version)
        return arena_printf(page->text.arena, "  CUDA %s", answer->version);
    if (answer->release.major >= 0)
        return arena_printf(page->text.arena, "  CUDA %s", release_text(page->text.arena, answer->release));
    return "";
}

/* "libcudart.so.12, asked for by lib/a.so through lib/b.so" */
static const char *request(struct page *page, const struct why_answer *answer)
{
    const struct resolution *resolution = &answer->resolution;
    struct text text = {.arena = page->text.arena};
    if (strcmp(answer->kind, "program") == 0 || strcmp(answer->kind, "dlopen") == 0)
        text_add(&text, "opens %s by name", safe(page, resolution->needed));
    else
        text_add(&text, "needs %s", safe(page, resolution->needed));
    for (size_t i = 1; i < resolution->chain.n; i++)
        text_add(&text, "%s %s", i == 1 ? " through" : ",", name_of(page, resolution->chain.v[i]));
    return text.s;
}

static const char *outcome(struct page *page, const struct resolution *resolution)
{
    if (!resolution->path)
        return safe(page, resolution->detail ? resolution->detail : "not found");
    return arena_printf(page->text.arena, "%s, by %s", safe(page, resolution->path), safe(page, resolution->detail));
}

/* What the links lead to, where the path that the loader took has any. */
static void put_real(struct page *page, const struct resolution *resolution)
{
    if (resolution->path && resolution->real && strcmp(resolution->path, resolution->real) != 0)
        put(page, "|- the file is %s", safe(page, resolution->real));
}

static bool has_without(const struct why *why)
{
    return why->library_path && why->library_path[0];
}

static const char *heading_of(struct page *page, const struct search_step *step)
{
    const char *rule = loader_via_text(step->via);
    return step->origin ? arena_printf(page->text.arena, "%s of %s", rule, name_of(page, step->origin)) : rule;
}

/* Each list once as a heading, what was tried in it below. */
static void put_steps(struct page *page, const struct search_steps *steps)
{
    const char *last = NULL;
    for (size_t i = 0; i < steps->n; i++) {
        const struct search_step *step = &steps->v[i];
        const char *heading = heading_of(page, step);
        if (!cstr_eq(heading, last))
            put(page, "|  %s", heading);
        last = heading;
        put(page, "|     %s: %s", safe(page, step->candidate ? step->candidate : step->dir), safe(page, step->outcome));
    }
}

static void put_story(struct page *page, const struct why_answer *answer)
{
    struct arena *arena = page->text.arena;
    const struct resolution *resolution = &answer->resolution;
    put_strong(page, name_of(page, answer->path));
    if (strcmp(answer->kind, "static") == 0) {
        put(page, "`- holds a static runtime:%s",
            answer->release.major >= 0 ? release_of(page, answer) : " release unknown");
        return;
    }
    put(page, "|- %s", request(page, answer));
    put_steps(page, &resolution->steps);
    put_real(page, resolution);
    if (resolution->blocked)
        put(page, "|- this load fails in any case: %s", safe(page, resolution->blocked));
    if (has_without(page->why)) {
        bool same = cstr_eq(resolution->path, answer->without.path);
        put(page, "|- without LD_LIBRARY_PATH: %s", same ? "the same" : outcome(page, &answer->without));
    }
    put(page, "`- gets %s", arena_printf(arena, "%s%s", outcome(page, resolution), release_of(page, answer)));
}

static int text_cmp(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) : (left != NULL) - (right != NULL);
}

/* The same file by the same rule, with and without LD_LIBRARY_PATH; what is not found, for the same reason. */
static int outcome_cmp(const struct why_answer *left, const struct why_answer *right)
{
    const struct resolution *l = &left->resolution, *r = &right->resolution;
    int order = text_cmp(l->real, r->real);
    if (order == 0)
        order = l->real ? (int)l->via - (int)r->via : text_cmp(l->detail, r->detail);
    return order ? order : text_cmp(left->without.path, right->without.path);
}

static int by_outcome(const void *left, const void *right)
{
    const struct why_answer *l = *(const struct why_answer *const *)left, *r = *(const struct why_answer *const *)right;
    int order = outcome_cmp(l, r);
    return order ? order : (l > r) - (l < r);
}

/* Consumers with one outcome, in their order. */
struct group {
    const struct why_answer **answers;
    size_t n;
};

static int by_first(const void *left, const void *right)
{
    const struct why_answer *l = ((const struct group *)left)->answers[0], *r = ((const struct group *)right)->answers[0];
    return (l > r) - (l < r);
}

/* Other files that lie in what was or would be searched. */
static void put_losers(struct page *page, const struct why_answer *answer)
{
    const struct search_steps *steps = &answer->resolution.steps;
    struct strv told = {0};
    for (size_t i = 0; i < steps->n; i++) {
        const struct search_step *step = &steps->v[i];
        if (!step->candidate || strcmp(step->outcome, SEARCH_TOO_LATE) != 0
            || cstr_eq(step->candidate, answer->resolution.path) || strv_find(&told, step->candidate) < told.n)
            continue;
        strv_add(page->text.arena, &told, step->candidate);
        put(page, "|- instead of %s (%s)", safe(page, step->candidate), heading_of(page, step));
    }
}

static bool has_one_detail(const struct group *group)
{
    for (size_t i = 1; i < group->n; i++)
        if (!cstr_eq(group->answers[i]->resolution.detail, group->answers[0]->resolution.detail))
            return false;
    return true;
}

static const char *group_outcome(struct page *page, const struct group *group)
{
    const struct resolution *resolution = &group->answers[0]->resolution;
    if (has_one_detail(group))
        return outcome(page, resolution);
    return arena_printf(page->text.arena, "%s, by %s", safe(page, resolution->path), loader_via_text(resolution->via));
}

static void put_group(struct page *page, const struct group *group)
{
    const struct why_answer *head = group->answers[0];
    put_strong(page, arena_printf(page->text.arena, "%s%s", group_outcome(page, group), release_of(page, head)));
    put_real(page, &head->resolution);
    put_losers(page, head);
    if (has_without(page->why) && !cstr_eq(head->resolution.path, head->without.path))
        put(page, "|- without LD_LIBRARY_PATH it would be %s", outcome(page, &head->without));
    for (size_t i = 0; i < group->n && i < FEW; i++)
        put(page, "|- for %s, which %s", name_of(page, group->answers[i]->path), request(page, group->answers[i]));
    if (group->n > FEW)
        put(page, "|- and for %zu more (--all tells all)", group->n - FEW);
    put(page, "`- %zu in all", group->n);
}

/* Sorted, so that tens of thousands of consumers cost no more than their number. */
static void put_groups(struct page *page)
{
    const struct why *why = page->why;
    struct {
        VEC(struct group);
    } groups = {0};
    size_t n = 0;
    const struct why_answer **answers = arena_alloc(page->text.arena, (why->answers.n + 1) * sizeof *answers);
    for (size_t i = 0; i < why->answers.n; i++)
        if (strcmp(why->answers.v[i].kind, "static") != 0)
            answers[n++] = &why->answers.v[i];
    qsort(answers, n, sizeof *answers, by_outcome);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || outcome_cmp(answers[i - 1], answers[i]) != 0)
            *vec_add(page->text.arena, &groups) = (struct group){&answers[i], 1};
        else
            groups.v[groups.n - 1].n++;
    if (groups.n)
        qsort(groups.v, groups.n, sizeof *groups.v, by_first);
    for (size_t i = 0; i < groups.n; i++) {
        put(page, "%s", "");
        put_group(page, &groups.v[i]);
    }
}

static void put_statics(struct page *page)
{
    for (size_t i = 0; i < page->why->answers.n; i++)
        if (strcmp(page->why->answers.v[i].kind, "static") == 0)
            put_story(page, &page->why->answers.v[i]);
}

struct str why_text(struct arena *arena, const struct why *why)
{
    struct page page = {.text = {.arena = arena}, .why = why};
    put(&page, "%s for programs of %s", safe(&page, why->library),
        why->executable ? safe(&page, why->executable) : "an unknown program (the environment has no python)");
    put(&page, "LD_LIBRARY_PATH is %s", has_without(why) ? safe(&page, why->library_path) : "not set");
    for (size_t i = 0; i < why->answers.n; i++) {
        if (!why->is_single && !why->is_verbose)
            break;
        put(&page, "%s", "");
        put_story(&page, &why->answers.v[i]);
    }
    if (!why->is_single && !why->is_verbose) {
        put_groups(&page);
        put_statics(&page);
    }
    if (why->answers.n == 0)
        put(&page, "nothing %s asks for %s", why->is_single ? "in it" : "in the environment",
            safe(&page, why->library));
    for (size_t i = 0; i < why->problems.n; i++)
        put(&page, "warning: %s", safe(&page, why->problems.v[i]));
    return text_str(&page.text);
}

static json_t *string(struct arena *arena, const char *text)
{
    return text ? json_string(text_printable(arena, str_of(text))) : json_null();
}

static json_t *strings(struct arena *arena, const struct strv *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(array, string(arena, list->v[i]));
    return array;
}

static json_t *steps_json(struct arena *arena, const struct search_steps *steps)
{
    json_t *array = json_array();
    for (size_t i = 0; i < steps->n; i++) {
        const struct search_step *step = &steps->v[i];
        json_t *row = json_object();
        json_object_set_new(row, "via", string(arena, loader_via_text(step->via)));
        json_object_set_new(row, "origin", string(arena, step->origin));
        json_object_set_new(row, "directory", string(arena, step->dir));
        json_object_set_new(row, "candidate", string(arena, step->candidate));
        json_object_set_new(row, "outcome", string(arena, step->outcome));
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *answer_json(struct arena *arena, const struct why *why, const struct why_answer *answer)
{
    const struct resolution *resolution = &answer->resolution;
    bool is_static = strcmp(answer->kind, "static") == 0;
    json_t *row = json_object();
    json_object_set_new(row, "path", string(arena, answer->path));
    json_object_set_new(row, "kind", string(arena, answer->kind));
    json_object_set_new(row, "needed", string(arena, resolution->needed));
    json_object_set_new(row, "resolved", string(arena, resolution->path));
    json_object_set_new(row, "real", string(arena, resolution->real));
    json_object_set_new(row, "via", string(arena, is_static ? NULL : loader_via_text(resolution->via)));
    json_object_set_new(row, "detail", string(arena, resolution->detail));
    json_object_set_new(row, "blocked", string(arena, resolution->blocked));
    json_object_set_new(row, "release",
                        string(arena, answer->release.major >= 0 ? release_text(arena, answer->release) : NULL));
    json_object_set_new(row, "version", string(arena, answer->version));
    json_object_set_new(row, "chain", strings(arena, &resolution->chain));
    json_object_set_new(row, "searched", steps_json(arena, &resolution->steps));
    json_t *without = json_null();
    if (has_without(why) && !is_static) {
        without = json_object();
        json_object_set_new(without, "resolved", string(arena, answer->without.path));
        json_object_set_new(without, "via", string(arena, loader_via_text(answer->without.via)));
    }
    json_object_set_new(row, "without_ld_library_path", without);
    return row;
}

json_t *why_json(struct arena *arena, const struct why *why)
{
    json_t *document = json_object(), *consumers = json_array();
    for (size_t i = 0; i < why->answers.n; i++)
        json_array_append_new(consumers, answer_json(arena, why, &why->answers.v[i]));
    json_object_set_new(document, "schema", json_string("condagpu.why/1"));
    json_object_set_new(document, "library", string(arena, why->library));
    json_object_set_new(document, "prefix", string(arena, why->prefix));
    json_object_set_new(document, "executable", string(arena, why->executable));
    json_object_set_new(document, "ld_library_path", string(arena, why->library_path));
    json_object_set_new(document, "consumers", consumers);
    json_object_set_new(document, "problems", strings(arena, &why->problems));
    return document;
}
