#include "plan/rule.h"

#include <stdarg.h>
#include <string.h>

#include "plan/value.h"
#include "util/path.h"
#include "util/text.h"

static const char config_name[] = "condagpu.yml";

static const struct config_variable *configured(const struct ruling *ruling, const char *name)
{
    for (size_t i = 0; i < ruling->config->variables.n; i++)
        if (strcmp(ruling->config->variables.v[i].name, name) == 0)
            return &ruling->config->variables.v[i];
    return NULL;
}

static void add_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *value, const char *why)
{
    struct op *op = vec_add(ruling->arena, &ruling->plan->ops);
    *op = (struct op){.kind = kind,
                      .name = name,
                      .value = value,
                      .why = text_printable(ruling->arena, str_of(why)),
                      .rule = ruling->rule};
}

static bool refuse_value(struct ruling *ruling, const char *name, const char *value, const char *problem)
{
    err_set(ruling->err, ERR_INPUT, "plan", NULL, 0, 0, "%s=%s cannot be written into a hook: %s", name, value,
            problem);
    return err_mend(ruling->err, "rename the directory, or switch the rule off: \"%s: none\" in condagpu.yml",
                    ruling->rule);
}

static bool checked_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *value, const char *why)
{
    const char *problem = value ? value_problem(ruling->arena, value) : NULL;
    if (problem)
        return refuse_value(ruling, name, value, problem);
    const struct config_variable *own = configured(ruling, name);
    if (own && strcmp(ruling->rule, "variables") != 0)
        return rule_abstain(ruling, "%s is left to `variables:` in %s:%u", name,
                            ruling->config->file ? ruling->config->file : config_name, own->line);
    struct verdict verdict = value ? grammar_check(&ruling->grammar, name, value) : verdict_good();
    if (verdict.level == VALUE_BAD)
        return err_set(ruling->err, ERR_INPUT, "plan", NULL, 0, 0, "%s", verdict.why);
    add_op(ruling, kind, name, value, why);
    return true;
}

bool rule_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(ruling->arena, format, args);
    va_end(args);
    return checked_op(ruling, kind, name, value, why);
}

bool rule_path_op(struct ruling *ruling, enum op_kind kind, const char *name, const char *directory, const char *format,
                  ...)
{
    const char *value = rule_below_prefix(ruling, directory);
    if (value[0] != '/' && value[0] != '$')
        return refuse_value(ruling, name, value, "it is not an absolute path");
    if (strpbrk(value, ":;"))
        return refuse_value(ruling, name, value,
                            "it holds a colon or semicolon, which separates the elements of a path list");
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(ruling->arena, format, args);
    va_end(args);
    return checked_op(ruling, kind, name, value, why);
}

bool rule_abstain(struct ruling *ruling, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(ruling->arena, format, args);
    va_end(args);
    struct abstention *abstention = vec_add(ruling->arena, &ruling->plan->abstentions);
    *abstention = (struct abstention){.rule = ruling->rule, .why = text_printable(ruling->arena, str_of(why))};
    return true;
}

bool rule_refuse(struct ruling *ruling, const struct setting *setting, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(ruling->arena, format, args);
    va_end(args);
    return err_set(ruling->err, ERR_INPUT, "configuration file", ruling->config->file, setting->line, setting->column,
                   "%s", why);
}

const char *rule_setting_text(struct ruling *ruling, const struct setting *setting)
{
    const char *file = ruling->config->file ? path_basename(ruling->config->file) : config_name;
    return setting->line ? arena_printf(ruling->arena, "%s:%u says so", file, setting->line)
                         : arena_printf(ruling->arena, "%s says so", file);
}

bool rule_is_off(struct ruling *ruling, const struct setting *setting)
{
    if (!setting->value || strcmp(setting->value, "none") != 0)
        return false;
    return rule_abstain(ruling, "switched off: %s", rule_setting_text(ruling, setting));
}

static const char *relative_to_prefix(const struct ruling *ruling, const char *path)
{
    const struct inventory *inventory = ruling->facts->inventory;
    const char *relative = path_relative(inventory->prefix, path);
    return relative || !inventory->real ? relative : path_relative(inventory->real, path);
}

bool rule_is_below_prefix(const struct ruling *ruling, const char *path)
{
    return relative_to_prefix(ruling, path) != NULL;
}

const char *rule_below_prefix(struct ruling *ruling, const char *path)
{
    const char *relative = relative_to_prefix(ruling, path);
    if (!relative)
        return path;
    return relative[0] ? arena_printf(ruling->arena, "$CONDA_PREFIX/%s", relative) : "$CONDA_PREFIX";
}

const char *rule_record_text(struct ruling *ruling, const struct record *record)
{
    return arena_printf(ruling->arena, "%s %s (%s)", record->name, record->version,
                        record->kind == RECORD_CONDA ? "conda" : "pip");
}

const struct record *rule_find_record(struct ruling *ruling, enum record_kind kind, const char *const *names)
{
    const struct record *record = NULL;
    for (; *names && !record; names++)
        record = inventory_find(ruling->facts->inventory, kind, *names);
    return record;
}

struct release rule_version(const char *version)
{
    struct release release = RELEASE_NONE;
    size_t length = version ? strspn(version, "0123456789.") : 0;
    while (length && version[length - 1] == '.')
        length--;
    if (length)
        release_parse((struct str){version, length}, &release);
    return release;
}

bool rule_same_minor(struct release left, struct release right)
{
    return left.major >= 0 && left.minor >= 0 && left.major == right.major && left.minor == right.minor;
}
