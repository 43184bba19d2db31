#include "check/variables.h"

#include "check/common.h"

#include <stdarg.h>
#include <string.h>

#include "util/env.h"
#include "util/text.h"

/* The leading dotted number of a version text. */
static struct release version_of(const char *text)
{
    struct release release = RELEASE_NONE;
    size_t length = text ? strspn(text, "0123456789.") : 0;
    while (length && text[length - 1] == '.')
        length--;
    if (length)
        release_parse((struct str){text, length}, &release);
    return release;
}

static struct release nccl_release(const struct inventory *inventory)
{
    size_t from = 0;
    const struct record *record = inventory_find(inventory, RECORD_CONDA, "nccl");
    if (!record)
        record = inventory_next(inventory, RECORD_PIP, "nvidia-nccl", &from);
    return record ? version_of(record->version) : RELEASE_NONE;
}

void variables_open(struct variables *variables, const struct check_input *input, struct result *result)
{
    struct torch_build torch = {0};
    inventory_torch(input->arena, input->facts->inventory, &torch);
    *variables = (struct variables){.input = input, .result = result};
    variables->grammar = (struct grammar){
        .arena = input->arena,
        .data = input->facts->data,
        .torch = torch.present ? version_of(torch.version) : RELEASE_NONE,
        .nccl = nccl_release(input->facts->inventory),
        .glibc = RELEASE_NONE,
    };
    variables->env = check_environment(input);
    variables->env_text = input->activated ? "the activated shell" : "this process";
}

const char *variables_get(const struct variables *variables, const char *name)
{
    return variables->env ? env_get(variables->env, name) : NULL;
}

static void note(struct variables *variables, const char **first, const char *text)
{
    text = text_printable(variables->input->arena, str_of(text));
    if (!*first)
        *first = text;
    check_evidence(variables->input, variables->result, NULL, 0, 0, "%s: %s", variables->env_text, text);
}

void variables_fail(struct variables *variables, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(variables, &variables->first_fail, arena_vprintf(variables->input->arena, format, args));
    va_end(args);
}

void variables_warn(struct variables *variables, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    note(variables, &variables->first_warn, arena_vprintf(variables->input->arena, format, args));
    va_end(args);
}

void variables_judge(struct variables *variables, const char *name)
{
    const char *value = variables_get(variables, name);
    if (!value)
        return;
    struct verdict verdict = grammar_check(&variables->grammar, name, value);
    variables->seen++;
    if (verdict.level == VALUE_BAD)
        variables_fail(variables, "%s", verdict.why);
    else if (verdict.level == VALUE_DOUBTFUL)
        variables_warn(variables, "%s", verdict.why);
    else
        check_evidence(variables->input, variables->result, NULL, 0, 0, "%s: %s=%s", variables->env_text, name,
                       text_printable(variables->input->arena, str_of(value)));
}

void variables_judge_or_point(struct variables *variables, const char *name)
{
    const char *nearest = grammar_nearest(&variables->grammar, name);
    if (nearest)
        variables_warn(variables, "%s is read by nobody; %s is meant?", name, nearest);
    else if (grammar_knows(&variables->grammar, name))
        variables_judge(variables, name);
}

void variables_judge_family(struct variables *variables, const char *start)
{
    for (const char *const *entry = variables->env; entry && *entry; entry++) {
        struct str whole = str_of(*entry);
        if (str_starts(whole, start))
            variables_judge_or_point(variables,
                                     str_dup(variables->input->arena, str_slice(whole, 0, str_find(whole, '='))));
    }
}

/* The message is the first finding; the evidence holds them all. */
void variables_close(struct variables *variables, const char *subject)
{
    const struct check_input *input = variables->input;
    if (variables->first_fail) {
        check_fail(input, variables->result, "%s", variables->first_fail);
        check_fix(input, variables->result,
                  "correct or unset it where it is set; `condagpu plan` shows what `init` would set");
    } else if (variables->first_warn) {
        check_warn(input, variables->result, "%s", variables->first_warn);
    } else if (variables->seen) {
        check_pass(input, variables->result, "%s: %u set in %s, valid for what reads them", subject, variables->seen,
                   variables->env_text);
    } else {
        check_pass(input, variables->result, "%s: none is set in %s", subject, variables->env_text);
    }
}
