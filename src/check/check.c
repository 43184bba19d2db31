#include "check/check.h"

#include <string.h>

#include "util/text.h"

const char *status_text(enum status status)
{
    static const char *const texts[] = {"pass", "warn", "fail", "skip"};
    return texts[status];
}

/* A later finding of the same check replaces one that weighs no more. */
static const int weights[] = {[STATUS_PASS] = 0, [STATUS_SKIP] = 0, [STATUS_WARN] = 1, [STATUS_FAIL] = 2};

static void settle(const struct check_input *input, struct result *result, enum status status, const char *format,
                   va_list args)
{
    if (result->message && weights[result->status] > weights[status])
        return;
    result->status = status;
    result->message = text_printable(input->arena, str_of(arena_vprintf(input->arena, format, args)));
}

#define SETTLE(name, status)                                                                                          \
    void name(const struct check_input *input, struct result *result, const char *format, ...)                        \
    {                                                                                                                 \
        va_list args;                                                                                                 \
        va_start(args, format);                                                                                       \
        settle(input, result, status, format, args);                                                                  \
        va_end(args);                                                                                                 \
    }

SETTLE(check_pass, STATUS_PASS)
SETTLE(check_warn, STATUS_WARN)
SETTLE(check_fail, STATUS_FAIL)
SETTLE(check_skip, STATUS_SKIP)

void check_fix(const struct check_input *input, struct result *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result->fix = text_printable(input->arena, str_of(arena_vprintf(input->arena, format, args)));
    va_end(args);
}

void check_evidence(const struct check_input *input, struct result *result, const char *file, unsigned line,
                    unsigned column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = text_printable(input->arena, str_of(arena_vprintf(input->arena, format, args)));
    va_end(args);
    *vec_add(input->arena, &result->evidence) = (struct evidence){text, arena_strdup(input->arena, file), line, column};
}

void check_merge(const struct check_input *input, struct result *result, const struct result *part)
{
    for (size_t i = 0; i < part->evidence.n; i++)
        *vec_add(input->arena, &result->evidence) = part->evidence.v[i];
    if (!part->message || (result->message && weights[part->status] <= weights[result->status]))
        return;
    result->status = part->status;
    result->message = part->message;
    result->fix = part->fix;
}

static bool select_ids(struct arena *arena, const struct check *rows, const char *option, const char *list,
                       struct strv *ids, struct err *err)
{
    struct strv known = {0};
    for (const struct check *check = rows; check->id; check++)
        strv_add(arena, &known, check->id);
    strv_add(arena, &known, NULL);
    struct str rest = str_of(list), part;
    while (list && str_cut(&rest, ',', &part)) {
        const char *id = str_dup(arena, str_trim(part));
        if (!id[0])
            continue;
        known.n--;
        bool found = strv_find(&known, id) < known.n;
        known.n++;
        if (!found) {
            const char *nearest = text_nearest(id, known.v);
            err_set(err, ERR_USAGE, "option", NULL, 0, 0, "%s: there is no check \"%s\"", option, id);
            return err_mend(err, nearest ? "did you mean %s?" : "condagpu explain lists the checks", nearest);
        }
        strv_add(arena, ids, id);
    }
    return true;
}

bool checks_select(struct arena *arena, const struct check *rows, const char *only, const char *skip,
                   struct check_selection *selection, struct err *err)
{
    return select_ids(arena, rows, "--only", only, &selection->only, err)
        && select_ids(arena, rows, "--skip", skip, &selection->skip, err);
}

static bool is_selected(const struct check_selection *selection, const char *id)
{
    bool wanted = selection->only.n == 0 || strv_find(&selection->only, id) < selection->only.n;
    return wanted && strv_find(&selection->skip, id) == selection->skip.n;
}

static const struct result *result_of(const struct results *results, const char *id)
{
    for (size_t i = 0; i < results->n; i++)
        if (strcmp(results->v[i].id, id) == 0)
            return &results->v[i];
    return NULL;
}

/* The id of a needed check that did not hold. One that was not selected is taken on trust. */
static const char *broken_ground(const struct check *check, const struct results *results, const char **state)
{
    for (size_t i = 0; i < sizeof check->needs / sizeof *check->needs && check->needs[i]; i++) {
        const struct result *ground = result_of(results, check->needs[i]);
        if (ground && (ground->status == STATUS_FAIL || ground->status == STATUS_SKIP)) {
            *state = ground->status == STATUS_FAIL ? "failed" : "was skipped";
            return check->needs[i];
        }
    }
    return NULL;
}

void checks_run(const struct check_input *input, const struct check *rows, const struct check_selection *selection,
                struct results *results)
{
    for (const struct check *check = rows; check->id; check++) {
        const char *state;
        if (!is_selected(selection, check->id))
            continue;
        struct result result = {.id = check->id};
        const char *ground = broken_ground(check, results, &state);
        if (ground)
            check_skip(input, &result, "rests on %s, which %s", ground, state);
        else
            check->function(input, &result);
        if (!result.message)
            check_skip(input, &result, "it did not decide");
        *vec_add(input->arena, results) = result;
    }
}
