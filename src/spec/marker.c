#include "spec/marker.h"

#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "spec/pep440.h"

enum { DEEPEST = 64 };

/* The names of PEP 508, and those of its forerunner that pip still takes. */
static const struct {
    const char *name;
    enum marker_variable variable;
} variables[] = {
    {"python_version", MARKER_PYTHON_VERSION},
    {"python_full_version", MARKER_PYTHON_FULL_VERSION},
    {"os_name", MARKER_OS_NAME},
    {"os.name", MARKER_OS_NAME},
    {"sys_platform", MARKER_SYS_PLATFORM},
    {"sys.platform", MARKER_SYS_PLATFORM},
    {"platform_machine", MARKER_PLATFORM_MACHINE},
    {"platform.machine", MARKER_PLATFORM_MACHINE},
    {"platform_system", MARKER_PLATFORM_SYSTEM},
    {"platform_release", MARKER_PLATFORM_RELEASE},
    {"platform_version", MARKER_PLATFORM_VERSION},
    {"platform.version", MARKER_PLATFORM_VERSION},
    {"platform_python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION},
    {"platform.python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION},
    {"python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION},
    {"implementation_name", MARKER_IMPLEMENTATION_NAME},
    {"implementation_version", MARKER_IMPLEMENTATION_VERSION},
    {"extra", MARKER_EXTRA},
};

/* Longer ones first: the first that the text begins with is the one. */
static const char *const signs[] = {"===", "~=", "==", "!=", "<=", ">=", "<", ">"};

/* One side of a comparison: a text in quotes, or a variable's two ends. */
struct side {
    bool is_variable, is_known;
    struct str first, last;
};

struct parse {
    struct arena *arena;
    const struct marker_world *world;
    struct str rest;
    unsigned depth;
    const char *problem; /* the first */
};

static enum truth refuse(struct parse *parse, const char *problem)
{
    if (!parse->problem)
        parse->problem = problem;
    return TRUTH_UNKNOWN;
}

static const char *at(struct parse *parse)
{
    return parse->rest.n ? arena_printf(parse->arena, " at \"%.*s\"", (int)parse->rest.n, parse->rest.s) : "";
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static void skip(struct parse *parse, size_t n)
{
    parse->rest = str_trim(str_slice(parse->rest, n, parse->rest.n));
}

static struct str next_word(const struct parse *parse)
{
    size_t n = 0;
    while (n < parse->rest.n && is_word_char(parse->rest.s[n]))
        n++;
    return str_slice(parse->rest, 0, n);
}

static bool skip_word(struct parse *parse, const char *word)
{
    if (!str_eq_c(next_word(parse), word))
        return false;
    skip(parse, strlen(word));
    return true;
}

static bool read_text(struct parse *parse, struct side *side)
{
    struct str behind = str_slice(parse->rest, 1, parse->rest.n);
    size_t end = str_find(behind, parse->rest.s[0]);
    if (end == behind.n) {
        refuse(parse, "a quote of the marker is not closed");
        return false;
    }
    *side = (struct side){.is_known = true, .first = str_slice(behind, 0, end)};
    side->last = side->first;
    skip(parse, end + 2);
    return true;
}

static bool read_side(struct parse *parse, struct side *side)
{
    if (parse->rest.n && (parse->rest.s[0] == '"' || parse->rest.s[0] == '\''))
        return read_text(parse, side);
    struct str word = next_word(parse);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (str_eq_c(word, variables[i].name)) {
            enum marker_variable variable = variables[i].variable;
            const char *first = parse->world->of[variable].first, *last = parse->world->of[variable].last;
            *side = (struct side){true, first != NULL, str_of(first), str_of(last)};
            skip(parse, word.n);
            return true;
        }
    refuse(parse, word.n ? arena_printf(parse->arena, "no marker knows \"%.*s\"", (int)word.n, word.s)
                         : arena_printf(parse->arena, "the marker lacks a variable or a text in quotes%s", at(parse)));
    return false;
}

static const char *read_operator(struct parse *parse)
{
    if (skip_word(parse, "in"))
        return "in";
    if (skip_word(parse, "not"))
        return skip_word(parse, "in") ? "not in" : NULL;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (str_starts(parse->rest, signs[i])) {
            skip(parse, strlen(signs[i]));
            return signs[i];
        }
    return NULL;
}

/* ">=" and "3.8" as the constraint ">=3.8"; NULL where they are none. */
static const char *constraint_of(struct arena *arena, const char *sign, struct str version)
{
    struct str text = str_of(arena_printf(arena, "%s%.*s", sign, (int)version.n, version.s));
    return str_find(text, ',') == text.n && pep440_constraint_is_valid(text) ? text.s : NULL;
}

static enum truth known(bool truth)
{
    return truth ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Texts that are no versions have an order for older releases of pip and none for newer ones: where they would differ,
 * nothing is known. */
static enum truth texts_compare(struct str left, const char *sign, struct str right)
{
    if (strcmp(sign, "===") == 0)
        return known(left.n == right.n && strncasecmp(left.s, right.s, left.n) == 0);
    if (sign[0] == '~' || str_eq(left, right))
        return known(sign[0] != '~' && sign[1] == '=' && sign[0] != '!');
    if (sign[0] == '=' || sign[0] == '!')
        return known(sign[0] == '!');
    size_t n = left.n < right.n ? left.n : right.n;
    int order = n ? memcmp(left.s, right.s, n) : 0;
    if (!order)
        order = left.n < right.n ? -1 : 1;
    return (order < 0) == (sign[0] == '<') ? TRUTH_UNKNOWN : TRUTH_FALSE;
}

static bool contains(struct str text, struct str part)
{
    for (size_t i = 0; i + part.n <= text.n; i++)
        if (part.n == 0 || memcmp(text.s + i, part.s, part.n) == 0)
            return true;
    return false;
}

static enum truth values_compare(struct arena *arena, struct str left, const char *sign, struct str right)
{
    struct pep440 parsed;
    if (sign[0] == 'i' || sign[0] == 'n')
        return known(contains(right, left) == (sign[0] == 'i'));
    const char *constraint = constraint_of(arena, sign, right);
    if (constraint && pep440_parse(left, &parsed))
        return known(pep440_matches(constraint, str_dup(arena, left)));
    return texts_compare(left, sign, right);
}

/* Of a variable whose ends alone are known, an order is known where both ends have it; one value of many is not. */
static enum truth compare(struct arena *arena, const struct side *left, const char *sign, const struct side *right)
{
    if (!left->is_known || !right->is_known || (left->is_variable && right->is_variable)) /* pip reads two badly */
        return TRUTH_UNKNOWN;
    bool is_exact = str_eq(left->first, left->last) && str_eq(right->first, right->last);
    bool is_order = strchr("<>~", sign[0]) || (strchr("=!", sign[0]) && str_ends(right->first, ".*"));
    enum truth first = values_compare(arena, left->first, sign, right->first);
    if (is_exact || (is_order && first == values_compare(arena, left->last, sign, right->last)))
        return first;
    return TRUTH_UNKNOWN;
}

static enum truth read_comparison(struct parse *parse)
{
    struct side left, right;
    if (!read_side(parse, &left))
        return TRUTH_UNKNOWN;
    const char *sign = read_operator(parse);
    if (!sign)
        return refuse(parse, arena_printf(parse->arena, "the marker lacks a comparison%s", at(parse)));
    if (!read_side(parse, &right))
        return TRUTH_UNKNOWN;
    if (!left.is_variable && !right.is_variable)
        return refuse(parse, "the marker compares two texts: one side must be a variable");
    if (sign[0] == '~' && !right.is_variable && !constraint_of(parse->arena, sign, right.first))
        return refuse(parse, "~= of the marker wants a version of two parts or more");
    return compare(parse->arena, &left, sign, &right);
}

static enum truth read_any(struct parse *parse);

static enum truth read_one(struct parse *parse)
{
    if (!str_starts(parse->rest, "("))
        return read_comparison(parse);
    if (++parse->depth > DEEPEST)
        return refuse(parse, "the marker's parentheses are nested more than 64 deep");
    skip(parse, 1);
    enum truth truth = read_any(parse);
    if (parse->problem || !str_starts(parse->rest, ")"))
        return refuse(parse, "a parenthesis of the marker is not closed");
    skip(parse, 1);
    parse->depth--;
    return truth;
}

static enum truth read_all(struct parse *parse)
{
    enum truth truth = read_one(parse);
    while (!parse->problem && skip_word(parse, "and")) {
        enum truth next = read_one(parse);
        truth = next < truth ? next : truth;
    }
    return truth;
}

static enum truth read_any(struct parse *parse)
{
    enum truth truth = read_all(parse);
    while (!parse->problem && skip_word(parse, "or")) {
        enum truth next = read_all(parse);
        truth = next > truth ? next : truth;
    }
    return truth;
}

static enum truth read_marker(struct parse *parse)
{
    parse->rest = str_trim(parse->rest);
    enum truth truth = read_any(parse);
    if (!parse->problem && parse->rest.n)
        refuse(parse, arena_printf(parse->arena, "the marker ends before \"%.*s\"", (int)parse->rest.n, parse->rest.s));
    return parse->problem ? TRUTH_UNKNOWN : truth;
}

const char *marker_problem(struct arena *arena, struct str marker)
{
    static const struct marker_world nothing;
    struct parse parse = {.arena = arena, .world = &nothing, .rest = marker};
    read_marker(&parse);
    return parse.problem;
}

enum truth marker_holds(struct arena *arena, struct str marker, const struct marker_world *world)
{
    struct parse parse = {.arena = arena, .world = world, .rest = marker};
    return read_marker(&parse);
}

static void put(struct marker_world *world, enum marker_variable variable, const char *value)
{
    world->of[variable].first = world->of[variable].last = value;
}

/* The release that "3.11.*", "==3.11.4" or "3.11" names; RELEASE_NONE for bounds and alternatives. */
static struct release exact_release(const char *constraint)
{
    struct str text = str_of(constraint);
    struct release release;
    while (str_starts(text, "="))
        text = str_slice(text, 1, text.n);
    if (str_ends(text, ".*"))
        text.n -= 2;
    release_parse(text, &release);
    return release;
}

static void put_python(struct arena *arena, struct release python, struct marker_world *world)
{
    const char *minor = arena_printf(arena, "%d.%d", python.major, python.minor);
    put(world, MARKER_PYTHON_VERSION, minor);
    put(world, MARKER_PYTHON_FULL_VERSION, release_text(arena, python));
    if (python.patch < 0) {
        world->of[MARKER_PYTHON_FULL_VERSION].first = arena_printf(arena, "%s.0", minor);
        world->of[MARKER_PYTHON_FULL_VERSION].last = arena_printf(arena, "%s.999", minor);
    }
    world->of[MARKER_IMPLEMENTATION_VERSION] = world->of[MARKER_PYTHON_FULL_VERSION];
}

/* PyPy comes as python=3.9=*_pypy, or by a package of that name. */
static bool is_pypy(const struct dep *dep)
{
    return dep->name && (strncmp(dep->name, "pypy", 4) == 0 || (dep->build && strstr(dep->build, "pypy")));
}

void marker_world(struct arena *arena, const struct spec *spec, struct marker_world *world)
{
    struct utsname host;
    bool pypy = false;
    *world = (struct marker_world){0};
    for (size_t i = 0; i < spec->deps.n; i++) {
        const struct dep *dep = &spec->deps.v[i];
        if (dep->manager != MANAGER_CONDA || !dep->name)
            continue;
        pypy |= is_pypy(dep);
        struct release python = strcmp(dep->name, "python") == 0 ? exact_release(dep->version) : RELEASE_NONE;
        if (python.minor >= 0)
            put_python(arena, python, world);
    }
    put(world, MARKER_OS_NAME, "posix");
    put(world, MARKER_SYS_PLATFORM, "linux");
    put(world, MARKER_PLATFORM_SYSTEM, "Linux");
    put(world, MARKER_EXTRA, "");
    if (pypy)
        world->of[MARKER_IMPLEMENTATION_VERSION].first = world->of[MARKER_IMPLEMENTATION_VERSION].last = NULL;
    else {
        put(world, MARKER_PLATFORM_PYTHON_IMPLEMENTATION, "CPython");
        put(world, MARKER_IMPLEMENTATION_NAME, "cpython");
    }
    if (uname(&host) == 0) {
        put(world, MARKER_PLATFORM_MACHINE, arena_strdup(arena, host.machine));
        put(world, MARKER_PLATFORM_RELEASE, arena_strdup(arena, host.release));
        put(world, MARKER_PLATFORM_VERSION, arena_strdup(arena, host.version));
    }
}
