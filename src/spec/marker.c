#include "spec/marker.h"

#include <ctype.h>
#include <string.h>

#include "spec/pep440.h"
#include "spec/spec.h"

enum { DEEPEST = 32 };

struct reading {
    struct arena *arena;
    const struct marker_environment *environment;
    struct str rest;
    unsigned depth;
    const char *problem;
};

struct operand {
    const char *value; /* NULL: a variable whose value is not known */
};

static enum marker_value refuse(struct reading *reading, const char *problem)
{
    if (!reading->problem)
        reading->problem = problem;
    return MARKER_INVALID;
}

/* The variables of PEP 508 and the names that setuptools gave them before. */
static const struct variable_name {
    const char *name, *old;
    const char *value; /* the same everywhere; NULL: see variable_value() */
} names[] = {
    {"os_name", "os.name", "posix"},
    {"sys_platform", "sys.platform", "linux"},
    {"platform_system", NULL, "Linux"},
    {"platform_machine", "platform.machine", NULL},
    {"platform_release", NULL, NULL},
    {"platform_version", "platform.version", NULL},
    {"platform_python_implementation", "platform.python_implementation", "CPython"},
    {"platform_python_implementation", "python_implementation", "CPython"},
    {"implementation_name", NULL, "cpython"},
    {"implementation_version", NULL, NULL},
    {"python_version", NULL, NULL},
    {"python_full_version", NULL, NULL},
    {"extra", NULL, ""},
};

static bool is_full(const char *python)
{
    const char *dot = python ? strchr(python, '.') : NULL;
    return dot && strchr(dot + 1, '.');
}

static const char *variable_value(struct reading *reading, const struct variable_name *name)
{
    const struct marker_environment *environment = reading->environment;
    if (name->value)
        return name->value;
    if (strcmp(name->name, "platform_machine") == 0)
        return environment->machine;
    if (strcmp(name->name, "platform_release") == 0)
        return environment->release;
    if (strcmp(name->name, "python_version") == 0 && environment->python) {
        size_t major = strcspn(environment->python, ".");
        size_t minor = environment->python[major] ? strcspn(environment->python + major + 1, ".") : 0;
        return minor ? arena_memdup(reading->arena, environment->python, major + 1 + minor) : NULL;
    }
    bool full = strcmp(name->name, "python_full_version") == 0 || strcmp(name->name, "implementation_version") == 0;
    return full && is_full(environment->python) ? environment->python : NULL;
}

static struct str cut_word(struct reading *reading)
{
    size_t n = 0;
    reading->rest = str_trim(reading->rest);
    while (n < reading->rest.n
           && (isalnum((unsigned char)reading->rest.s[n]) || reading->rest.s[n] == '_' || reading->rest.s[n] == '.'))
        n++;
    struct str word = str_slice(reading->rest, 0, n);
    reading->rest = str_trim(str_slice(reading->rest, n, reading->rest.n));
    return word;
}

static bool read_operand(struct reading *reading, struct operand *operand)
{
    reading->rest = str_trim(reading->rest);
    char quote = reading->rest.n ? reading->rest.s[0] : '\0';
    if (quote == '"' || quote == '\'') {
        struct str inside = str_slice(reading->rest, 1, reading->rest.n);
        size_t end = str_find(inside, quote);
        if (end == inside.n)
            return refuse(reading, "a quote in the marker is not closed"), false;
        operand->value = str_dup(reading->arena, str_slice(inside, 0, end));
        reading->rest = str_trim(str_slice(inside, end + 1, inside.n));
        return true;
    }
    struct str word = cut_word(reading);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_c(word, names[i].name) || (names[i].old && str_eq_c(word, names[i].old))) {
            operand->value = variable_value(reading, &names[i]);
            return true;
        }
    return refuse(reading, word.n ? arena_printf(reading->arena, "the marker names no variable \"%.*s\"", (int)word.n,
                                                 word.s)
                                  : "the marker is not complete"), false;
}

/* "not in" has a blank inside. */
static const char *cut_operator(struct reading *reading)
{
    static const char *const operators[] = {"===", "==", "!=", "<=", ">=", "~=", "<", ">", NULL};
    for (size_t i = 0; operators[i]; i++)
        if (str_starts(reading->rest, operators[i])) {
            reading->rest = str_slice(reading->rest, strlen(operators[i]), reading->rest.n);
            return operators[i];
        }
    struct str word = cut_word(reading);
    if (str_eq_c(word, "in"))
        return "in";
    return str_eq_c(word, "not") && str_eq_c(cut_word(reading), "in") ? "not in" : NULL;
}

static enum marker_value truth(bool value)
{
    return value ? MARKER_TRUE : MARKER_FALSE;
}

/* As versions where the right side is one and the left one too, else as texts. */
static enum marker_value compare(struct reading *reading, const char *left, const char *operator, const char *right)
{
    const char *constraint = arena_printf(reading->arena, "%s%s", operator, right);
    struct pep440 version;
    if (strcmp(operator, "in") == 0)
        return truth(strstr(right, left) != NULL);
    if (strcmp(operator, "not in") == 0)
        return truth(strstr(right, left) == NULL);
    if (*right && pep440_constraint_is_valid(str_of(constraint)) && pep440_parse(str_of(left), &version))
        return truth(pep440_matches(constraint, left));
    int order = strcmp(left, right);
    if (strcmp(operator, "==") == 0 || strcmp(operator, "===") == 0)
        return truth(order == 0);
    if (strcmp(operator, "!=") == 0)
        return truth(order != 0);
    if (strcmp(operator, "~=") == 0)
        return refuse(reading, "~= in the marker needs versions on both sides");
    return truth((operator[0] == '<' && order < 0) || (operator[0] == '>' && order > 0)
                 || (operator[1] == '=' && order == 0));
}

static enum marker_value read_or(struct reading *reading);

static enum marker_value read_comparison(struct reading *reading)
{
    struct operand left, right;
    reading->rest = str_trim(reading->rest);
    if (str_starts(reading->rest, "(")) {
        if (++reading->depth > DEEPEST)
            return refuse(reading, "the parentheses of the marker are nested too deep");
        reading->rest = str_slice(reading->rest, 1, reading->rest.n);
        enum marker_value inside = read_or(reading);
        reading->depth--;
        reading->rest = str_trim(reading->rest);
        if (!str_starts(reading->rest, ")"))
            return refuse(reading, "a parenthesis of the marker is not closed");
        reading->rest = str_trim(str_slice(reading->rest, 1, reading->rest.n));
        return inside;
    }
    if (!read_operand(reading, &left))
        return MARKER_INVALID;
    const char *operator = cut_operator(reading);
    if (!operator)
        return refuse(reading, "the marker lacks a comparison");
    if (!read_operand(reading, &right))
        return MARKER_INVALID;
    return left.value && right.value ? compare(reading, left.value, operator, right.value) : MARKER_UNKNOWN;
}

/* The word "and" or "or", not the start of a longer one. */
static bool cut_connective(struct reading *reading, const char *connective)
{
    struct str before = reading->rest;
    if (str_eq_c(cut_word(reading), connective))
        return true;
    reading->rest = before;
    return false;
}

static enum marker_value read_and(struct reading *reading)
{
    enum marker_value all = read_comparison(reading);
    while (all != MARKER_INVALID && cut_connective(reading, "and")) {
        enum marker_value next = read_comparison(reading);
        if (next == MARKER_INVALID || next == MARKER_FALSE || all == MARKER_TRUE)
            all = all == MARKER_FALSE && next != MARKER_INVALID ? MARKER_FALSE : next;
    }
    return all;
}

static enum marker_value read_or(struct reading *reading)
{
    enum marker_value any = read_and(reading);
    while (any != MARKER_INVALID && cut_connective(reading, "or")) {
        enum marker_value next = read_and(reading);
        if (next == MARKER_INVALID || next == MARKER_TRUE || any == MARKER_FALSE)
            any = any == MARKER_TRUE && next != MARKER_INVALID ? MARKER_TRUE : next;
    }
    return any;
}

enum marker_value marker_evaluate(struct arena *arena, const char *marker, const struct marker_environment *environment,
                                  const char **problem)
{
    struct reading reading = {.arena = arena, .environment = environment, .rest = str_trim(str_of(marker))};
    enum marker_value value = read_or(&reading);
    if (value != MARKER_INVALID && reading.rest.n)
        value = refuse(&reading, arena_printf(arena, "\"%.*s\" in the marker is not understood", (int)reading.rest.n,
                                              reading.rest.s));
    *problem = reading.problem;
    return value;
}
