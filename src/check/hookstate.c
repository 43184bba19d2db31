#include "check/hookstate.h"

#include <string.h>

#include "check/cudart.h"
#include "util/env.h"
#include "util/file.h"
#include "util/path.h"

void check_hooks_present(const struct check_input *input, struct result *result)
{
    const char *prefix = input->facts->inventory->prefix;
    size_t missing = 0;
    for (size_t i = 0; i < input->hook_count; i++) {
        if (input->hooks[i].present)
            continue;
        check_evidence(input, result, input->hooks[i].path, 0, 0, "is not there");
        missing++;
    }
    if (missing == 0 && input->facts->state->present)
        check_pass(input, result, "%zu hook files are in place", input->hook_count);
    else if (missing == input->hook_count)
        check_fail(input, result, "condagpu init has not been run in this environment");
    else if (missing == 0)
        check_fail(input, result, "the hooks are there, but %s/" STATE_FILE " is not", prefix);
    else
        check_fail(input, result, "%zu of %zu hook files are missing", missing, input->hook_count);
    if (result->status == STATUS_FAIL)
        check_fix(input, result, "run condagpu init -p %s", prefix);
}

/* The number of the first line in which two texts differ. */
static unsigned first_difference(struct str left, struct str right)
{
    unsigned line = 1;
    for (size_t i = 0; i < left.n && i < right.n && left.s[i] == right.s[i]; i++)
        line += left.s[i] == '\n';
    return line;
}

void check_hooks_current(const struct check_input *input, struct result *result)
{
    if (input->facts->spec_recorded) {
        check_skip(input, result, "the environment file of init is not here, so what it says today is not known");
        return;
    }
    for (size_t i = 0; i < input->hook_count; i++) {
        const struct hook_file *hook = &input->hooks[i];
        bool edited = hook->recorded && strcmp(sha256_hex(input->arena, hook->actual), hook->recorded) != 0;
        if (!hook->present || edited || str_eq(hook->expected, hook->actual))
            continue;
        check_evidence(input, result, hook->path, first_difference(hook->expected, hook->actual), 0,
                       "differs from what init would write from here on");
        check_warn(input, result, "the inputs have changed since init: the hooks are not what it would write today");
        check_fix(input, result, "condagpu init --diff shows what would change, condagpu init writes it");
    }
    check_pass(input, result, "the hooks are what init would write today");
}

void check_hooks_edited(const struct check_input *input, struct result *result)
{
    for (size_t i = 0; i < input->hook_count; i++) {
        const struct hook_file *hook = &input->hooks[i];
        if (!hook->present || !hook->recorded
            || strcmp(sha256_hex(input->arena, hook->actual), hook->recorded) == 0)
            continue;
        check_evidence(input, result, hook->path, 0, 0, "is not what init wrote");
        check_warn(input, result, "%s was edited by hand", hook->relative);
        check_fix(input, result, "put the change into condagpu.yml, then run condagpu init --force");
    }
    check_pass(input, result, "no hook was edited by hand");
}

static bool holds_element(struct str list, const char *element)
{
    struct str part;
    while (str_cut(&list, ':', &part))
        if (str_eq_c(part, element))
            return true;
    return false;
}

static const char *expand(const struct check_input *input, const char *value)
{
    const char *rest = strncmp(value, "$CONDA_PREFIX", 13) == 0 ? value + 13 : NULL;
    const char *prefix = env_get(input->env, "CONDA_PREFIX");
    return rest && prefix ? arena_printf(input->arena, "%s%s", prefix, rest) : value;
}

/* What the hooks keep of a variable in this process: "_S" is what they set it to, "_D" the elements that are theirs. */
static const char *kept(const struct check_input *input, const struct op *op, const char *suffix)
{
    const char *state = op_state_name(input->arena, input->facts->state->id, op->name);
    return env_get(input->env, arena_printf(input->arena, "%s%s", state, suffix));
}

/* The elements are those that the hooks added when they ran, whatever they would add today. */
static void judge_list(const struct check_input *input, struct result *result, const struct op *op)
{
    struct str rest = str_of(kept(input, op, "_D")), element;
    while (str_cut(&rest, ':', &element)) {
        const char *lost = str_dup(input->arena, element);
        if (!element.n || holds_element(str_of(env_get(input->env, op->name)), lost))
            continue;
        check_fail(input, result, "CONDAGPU_ACTIVE is set, but %s lacks %s: it was changed after activation", op->name,
                   lost);
        check_fix(input, result, "activate the environment in this shell or job itself");
    }
}

static void judge_value(const struct check_input *input, struct result *result, const struct op *op)
{
    const char *value = env_get(input->env, op->name), *set = kept(input, op, "_S");
    if (cstr_eq(value, set))
        return;
    check_warn(input, result, "%s is %s in this process: it was changed after activation, the hooks set %s", op->name,
               value ? value : "not set", set ? set : "nothing");
    check_fix(input, result, "unset it and activate again, or put your value into condagpu.yml");
}

/* Whether the hooks that ran here knew what they would do today. */
static bool is_current(const struct check_input *input, const struct op *op)
{
    const char *today = op->value ? expand(input, op->value) : NULL;
    if (op->kind == OP_PREPEND || op->kind == OP_APPEND)
        return holds_element(str_of(kept(input, op, "_D")), today)
            || holds_element(str_of(kept(input, op, "_O")), today); /* the user had it already */
    return op->kind != OP_SET || cstr_eq(kept(input, op, "_S"), today);
}

/* An inherited marker (a batch job of an activated shell) can outlive what the hooks had set. */
static void judge_marker(const struct check_input *input, struct result *result)
{
    const struct plan *plan = input->plan;
    if (!input->facts->state->present) {
        check_warn(input, result, "CONDAGPU_ACTIVE is set, but the hooks are no longer in the environment");
        return;
    }
    for (size_t i = 0; i < plan->ops.n; i++) {
        const struct op *op = &plan->ops.v[i];
        if (kept(input, op, "_K") && (op->kind == OP_PREPEND || op->kind == OP_APPEND))
            judge_list(input, result, op);
        else if (kept(input, op, "_K") && op->kind == OP_SET)
            judge_value(input, result, op);
        if (is_current(input, op))
            continue;
        check_warn(input, result, "condagpu init has changed %s since this process was activated", op->name);
        check_fix(input, result, "activate the environment again");
    }
    check_pass(input, result, "the hooks ran in this process");
}

/* What python would load from here, without the hooks. */
static void judge_own_environment(const struct check_input *input, struct result *result)
{
    const char *python = input->facts->inventory->python;
    struct strv sonames = {0};
    cudart_sonames(input, &sonames);
    for (size_t i = 0; python && i < sonames.n; i++) {
        struct live live = {0};
        struct identity identity;
        const struct pin *pin;
        loader_live(input->arena, python, input->env, sonames.v[i], &live);
        if (!live.ran || !live.opened)
            continue;
        cudart_identify(input, live.path, live.version, &identity);
        const char *release = release_text(input->arena, identity.release);
        check_evidence(input, result, NULL, 0, 0, "python started from this process loads %s (%s)", live.path, release);
        if (cudart_fits(input, &identity, &pin) == FIT_NO)
            check_fail(input, result,
                       "python started from this process loads %s, which is %s; the pin is %s", live.path, release,
                       pin->text);
    }
}

void check_hooks_active(const struct check_input *input, struct result *result)
{
    const struct inventory *inventory = input->facts->inventory;
    const char *marker = env_get(input->env, "CONDAGPU_ACTIVE"), *active = env_get(input->env, "CONDA_PREFIX");
    bool marked = marker && (strcmp(marker, inventory->prefix) == 0 || strcmp(marker, inventory->real) == 0);
    judge_own_environment(input, result);
    if (result->status == STATUS_FAIL)
        check_fix(input, result, "take what comes before the environment out of LD_LIBRARY_PATH, or activate again");
    if (marked) {
        judge_marker(input, result);
        return;
    }
    if (active && (strcmp(active, inventory->prefix) == 0 || strcmp(active, inventory->real) == 0))
        check_warn(input, result, "the environment is active, but its hooks did not run in this process");
    else
        check_warn(input, result, "the environment is not active in this process: the other checks speak of a shell "
                   "that activates it");
    if (!result->fix)
        check_fix(input, result, "conda activate %s", inventory->prefix);
}
