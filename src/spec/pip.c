#include "spec/pip.h"

#include <stdlib.h>
#include <string.h>

#include "spec/decode.h"
#include "spec/marker.h"
#include "spec/pep440.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

/* What pip's -r and -c may reach: chains of 8 files, each of at most 1 MiB, 64 in all. */
enum { DEEPEST = 8, LARGEST = 1024 * 1024, MOST_FILES = 64 };

struct reading {
    struct building *b;
    const struct reading *parent; /* the file that named this one; NULL at the top */
    const char *file, *real;      /* `real` tells files apart; NULL at the top */
    unsigned depth;
    bool constraint, dropped;
};

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of a PEP 508 name at the start; 0 for none. */
static size_t name_length(struct str text)
{
    size_t n = 0;
    while (n < text.n && (is_name_char(text.s[n]) || (n && strchr("-_.", text.s[n]))))
        n++;
    while (n && !is_name_char(text.s[n - 1]))
        n--;
    return n;
}

/* PEP 503: lower case, one "-" for each run of "-", "_" and ".". */
static char *normal_name(struct arena *arena, struct str name)
{
    char *lower = str_lower(arena, name), *out = lower;
    for (char *c = lower; *c; c++) {
        bool separator = strchr("-_.", *c) != NULL;
        if (!separator)
            *out++ = *c;
        else if (out > lower && out[-1] != '-')
            *out++ = '-';
    }
    *out = '\0';
    return lower;
}

static char *without_blanks(struct arena *arena, struct str text)
{
    char *copy = str_dup(arena, text), *out = copy;
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] != ' ' && text.s[i] != '\t')
            *out++ = text.s[i];
    *out = '\0';
    return copy;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Undoes %2B and the like; %00 stays as it is. */
static char *percent_decoded(struct arena *arena, struct str text)
{
    char *copy = str_dup(arena, text), *out = copy;
    for (size_t i = 0; i < text.n; i++) {
        int high = text.s[i] == '%' && text.n - i > 2 ? hex_value(text.s[i + 1]) : -1;
        int low = high >= 0 ? hex_value(text.s[i + 2]) : -1;
        bool escaped = low >= 0 && (high || low);
        int byte = escaped ? high << 4 | low : text.s[i];
        *out++ = (char)byte;
        if (escaped)
            i += 2;
    }
    *out = '\0';
    return copy;
}

static struct str last_part(struct str path)
{
    size_t at = path.n;
    while (at > 0 && path.s[at - 1] != '/')
        at--;
    return str_slice(path, at, path.n);
}

/* A wheel's file name says "NAME-VERSION-…-TAGS.whl"; other addresses name a package only by #egg=. */
static void read_address(struct arena *arena, struct dep *dep, struct str address)
{
    size_t hash = str_find(address, '#');
    struct str fragment = str_slice(address, hash + 1, address.n), path = str_slice(address, 0, hash), part;
    path = str_slice(path, 0, str_find(path, '?'));
    dep->channel = str_dup(arena, address);
    struct str file = str_of(percent_decoded(arena, last_part(path))), name, version;
    if (str_ends(file, ".whl") && str_cut(&file, '-', &name) && str_cut(&file, '-', &version) && file.s) {
        struct pep440 parsed;
        dep->name = normal_name(arena, name);
        if (pep440_parse(version, &parsed))
            dep->version = arena_printf(arena, "==%.*s", (int)version.n, version.s);
        else
            dep->problem = "the wheel's file name holds no valid version";
        return;
    }
    while (str_cut(&fragment, '&', &part))
        if (str_starts(part, "egg=")) {
            part = str_slice(part, 4, part.n);
            dep->name = name_length(part) ? normal_name(arena, str_slice(part, 0, name_length(part))) : NULL;
        }
}

/* Addresses, version control and local paths, as opposed to names. */
static bool is_address(struct str text)
{
    static const char *const starts[] = {"./", "../", "/", "~/", "file:", NULL};
    static const char *const ends[] = {".whl", ".tar.gz", ".tar.bz2", ".zip", NULL};
    for (size_t i = 0; starts[i]; i++)
        if (str_starts(text, starts[i]))
            return true;
    if (str_eq_c(text, ".") || str_eq_c(text, "..") || str_starts(text, ".["))
        return true;
    size_t name = name_length(text), colon = str_find(text, ':');
    bool before_at = colon < str_find(text, '@') || str_starts(text, "git+");
    if (before_at && str_starts(str_slice(text, colon, text.n), "://") && !memchr(text.s, ' ', colon))
        return true;
    for (size_t i = 0; ends[i]; i++)
        if (str_ends(text, ends[i]) && !memchr(text.s, '@', text.n) && !memchr(text.s, '=', text.n))
            return true;
    return name && name < text.n && text.s[name] == '/';
}

/* pip wants a blank before the ";" that ends an address. */
static struct str cut_marker(struct arena *arena, struct dep *dep, struct str text, bool address)
{
    size_t at = str_find(text, ';');
    while (address && at < text.n && at > 0 && text.s[at - 1] != ' ')
        at += 1 + str_find(str_slice(text, at + 1, text.n), ';');
    if (at < text.n) {
        dep->marker = str_dup(arena, str_trim(str_slice(text, at + 1, text.n)));
        dep->problem = dep->marker[0] ? marker_problem(arena, str_of(dep->marker)) : "nothing stands behind the ;";
    }
    return str_trim(str_slice(text, 0, at));
}

static void read_version(struct arena *arena, struct dep *dep, struct str text)
{
    if (text.n > 1 && text.s[0] == '(' && text.s[text.n - 1] == ')')
        text = str_trim(str_slice(text, 1, text.n - 1));
    if (!text.n)
        return;
    if (pep440_constraint_is_valid(text)) {
        dep->version = without_blanks(arena, text);
        return;
    }
    if (text.s[0] == '=' && (text.n == 1 || text.s[1] != '='))
        dep->problem = "pip writes == where conda writes =";
    else
        dep->problem = arena_printf(arena, "\"%.*s\" is no version constraint of pip", (int)text.n, text.s);
}

static void read_named(struct arena *arena, struct dep *dep, struct str text)
{
    size_t n = name_length(text);
    if (!n) {
        dep->problem = "does not begin with the name of a package";
        return;
    }
    const char *name = normal_name(arena, str_slice(text, 0, n));
    struct str rest = str_trim(str_slice(text, n, text.n));
    if (rest.n && rest.s[0] == '[') {
        size_t end = str_find(rest, ']');
        if (end == rest.n) {
            dep->problem = "the [ of the extras is not closed";
            return;
        }
        dep->extras = without_blanks(arena, str_slice(rest, 1, end));
        rest = str_trim(str_slice(rest, end + 1, rest.n));
    }
    if (rest.n && rest.s[0] == '@') {
        read_address(arena, dep, cut_marker(arena, dep, str_trim(str_slice(rest, 1, rest.n)), true));
        if (dep->name && strcmp(dep->name, name) != 0)
            dep->problem = arena_printf(arena, "the address is that of %s", dep->name);
    } else {
        read_version(arena, dep, cut_marker(arena, dep, rest, false));
    }
    dep->name = name;
}

/* A requirement up to options of its own, such as --hash. */
static void read_requirement(struct arena *arena, struct dep *dep, struct str text)
{
    for (size_t i = 1; i + 2 < text.n; i++)
        if ((text.s[i - 1] == ' ' || text.s[i - 1] == '\t') && text.s[i] == '-' && text.s[i + 1] == '-') {
            text = str_trim(str_slice(text, 0, i));
            break;
        }
    if (is_address(text))
        read_address(arena, dep, cut_marker(arena, dep, text, true));
    else
        read_named(arena, dep, text);
    if (dep->problem)
        dep->name = NULL;
}

enum option_kind { OPTION_FLAG, OPTION_VALUE, OPTION_INDEX, OPTION_EDITABLE, OPTION_FILE, OPTION_CONSTRAINTS };

static const struct option {
    const char *name, *letter;
    enum option_kind kind;
} options[] = {
    {"--requirement", "-r", OPTION_FILE},
    {"--constraint", "-c", OPTION_CONSTRAINTS},
    {"--editable", "-e", OPTION_EDITABLE},
    {"--index-url", "-i", OPTION_INDEX},
    {"--pypi-url", NULL, OPTION_INDEX},
    {"--extra-index-url", NULL, OPTION_INDEX},
    {"--find-links", "-f", OPTION_INDEX},
    {"--no-index", NULL, OPTION_FLAG},
    {"--pre", NULL, OPTION_FLAG},
    {"--prefer-binary", NULL, OPTION_FLAG},
    {"--require-hashes", NULL, OPTION_FLAG},
    {"--no-binary", NULL, OPTION_VALUE},
    {"--only-binary", NULL, OPTION_VALUE},
    {"--trusted-host", NULL, OPTION_VALUE},
    {"--use-feature", NULL, OPTION_VALUE},
};

/* The option that the text begins with, and its value ("--name value", "--name=value", "-r value", "-rvalue"). */
static const struct option *find_option(struct str text, struct str *value)
{
    size_t end = 0;
    while (end < text.n && text.s[end] != ' ' && text.s[end] != '\t' && text.s[end] != '=')
        end++;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t n = 0;
        if (str_eq_c(str_slice(text, 0, end), options[i].name))
            n = end + (end < text.n);
        else if (options[i].letter && str_starts(text, options[i].letter))
            n = 2;
        if (n) {
            *value = str_trim(str_slice(text, n, text.n));
            return &options[i];
        }
    }
    return NULL;
}

static bool read_line(const struct reading *reading, struct place place, struct str text);

/* pip joins lines at a backslash, then drops comments: a # at the start or behind a blank. */
static struct str without_comment(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] == '#' && (i == 0 || line.s[i - 1] == ' ' || line.s[i - 1] == '\t'))
            return str_slice(line, 0, i);
    return line;
}

static bool read_lines(const struct reading *reading, struct str content)
{
    struct str rest = content, line;
    for (unsigned number = 1; str_cut(&rest, '\n', &line); number++) {
        unsigned first = number;
        struct str whole = line;
        if (str_ends(line, "\\") && rest.s) {
            struct text joined = {.arena = reading->b->arena};
            do {
                text_bytes(&joined, line.s, line.n - str_ends(line, "\\"));
                number += str_ends(line, "\\") && rest.s;
            } while (str_ends(line, "\\") && str_cut(&rest, '\n', &line));
            whole = text_str(&joined);
        }
        struct str text = str_trim(without_comment(whole));
        struct place place = {reading->file, first, text.n ? (unsigned)(text.s - whole.s) + 1 : 1};
        if (text.n && !read_line(reading, place, text))
            return false;
    }
    return true;
}

static bool check_limits(const struct reading *reading, struct place place, const char *real)
{
    for (const struct reading *above = reading; above; above = above->parent)
        if (above->real && strcmp(above->real, real) == 0)
            return building_fail(reading->b, place, NULL, "%s names itself by way of -r or -c", real);
    if (reading->depth == DEEPEST)
        return building_fail(reading->b, place, NULL, "files that -r and -c name are nested more than 8 deep");
    if (++reading->b->pip_files > MOST_FILES)
        return building_fail(reading->b, place, NULL, "-r and -c name more than 64 files");
    return true;
}

/* A file that is not here (the environment may have been made elsewhere) leaves its pins unknown; that is said. */
static bool read_file(const struct reading *reading, struct place place, struct str name, bool constraint)
{
    struct building *b = reading->b;
    struct err err = {0};
    struct str bytes, content;
    if (!name.n)
        return building_fail(b, place, NULL, "no file is named");
    const char *path = str_dup(b->arena, name);
    if (strstr(path, "://")) {
        building_note(b, "requirements-elsewhere", place,
                      arena_printf(b->arena, "%s is not fetched: what it pins is not known", path), NULL);
        return true;
    }
    if (path[0] != '/' && strchr(place.file, '/'))
        path = path_join(b->arena, path_dirname(b->arena, place.file), path);
    const char *real = path_real(b->arena, path);
    if (!real || !file_read(b->arena, path, LARGEST, "requirements file", &bytes, &err)) {
        building_note(b, "requirements-missing", place,
                      arena_printf(b->arena, "%s cannot be read (%s): what it pins is not known", path,
                                   real ? err.why : "no such file"),
                      NULL);
        return true;
    }
    if (!check_limits(reading, place, real) || !decode(b->arena, path, bytes, &content, b->err))
        return false;
    struct reading nested = {.b = b,
                             .parent = reading,
                             .file = path,
                             .real = real,
                             .depth = reading->depth + 1,
                             .constraint = reading->constraint || constraint,
                             .dropped = reading->dropped};
    return read_lines(&nested, content);
}

static struct dep *add(const struct reading *reading, struct place place, struct str text)
{
    struct building *b = reading->b;
    struct dep *dep;
    if (reading->constraint) {
        dep = vec_add(b->arena, &b->constraints);
        *dep = (struct dep){.manager = MANAGER_PIP,
                            .text = str_dup(b->arena, text),
                            .file = place.file,
                            .line = place.line,
                            .column = place.column};
    } else {
        dep = building_dep(b, MANAGER_PIP, place, text);
    }
    dep->dropped = reading->dropped;
    return dep;
}

/* What -e takes is a path or an address, never a bare name. */
static void read_editable(struct arena *arena, struct dep *dep, struct str value)
{
    if (memchr(value.s, '@', value.n) && !is_address(value))
        read_requirement(arena, dep, value);
    else
        read_address(arena, dep, value);
}

static bool read_option(const struct reading *reading, struct place place, struct str text)
{
    struct arena *arena = reading->b->arena;
    struct str value = {"", 0};
    const struct option *option = find_option(text, &value);
    if (option && (option->kind == OPTION_FILE || option->kind == OPTION_CONSTRAINTS))
        return read_file(reading, place, value, option->kind == OPTION_CONSTRAINTS);
    struct dep *dep = add(reading, place, text);
    if (!option)
        dep->problem = "not an option that pip takes in a requirements file";
    else if (option->kind != OPTION_FLAG && !value.n)
        dep->problem = "the option's value is missing";
    else if (option->kind == OPTION_INDEX)
        dep->channel = str_dup(arena, value);
    else if (option->kind == OPTION_EDITABLE)
        read_editable(arena, dep, value);
    return true;
}

/* Of all forms pip knows ${NAME} alone, and takes it from the environment that it runs in. An address may well hold a
 * password so; a version that does is not known here. */
static void note_unexpanded(struct building *b, struct place place, const struct dep *dep)
{
    building_note(b, "unexpanded", place,
                  arena_printf(b->arena, "what pip puts in for the variable is not known: \"%s\" pins nothing",
                               dep->text),
                  "write the version itself");
}

static bool read_line(const struct reading *reading, struct place place, struct str text)
{
    if (!building_room(reading->b, place))
        return false;
    if (text.s[0] == '-')
        return read_option(reading, place, text);
    struct dep *dep = add(reading, place, text);
    read_requirement(reading->b->arena, dep, text);
    if (!dep->channel && spec_is_unexpanded(text))
        note_unexpanded(reading->b, place, dep);
    return true;
}

bool pip_line(struct building *b, struct place place, struct str text, bool dropped)
{
    struct reading reading = {.b = b, .file = place.file, .dropped = dropped};
    text = str_trim(without_comment(text));
    return !text.n || read_line(&reading, place, text);
}

bool is_requirements(struct str content)
{
    struct str rest = content, line, text = {"", 0}, value;
    while (!text.n && str_cut(&rest, '\n', &line))
        text = str_trim(without_comment(line));
    if (!text.n || str_starts(text, "---"))
        return false;
    if (str_ends(text, "\\"))
        text = str_trim(str_slice(text, 0, text.n - 1));
    if (text.s[0] == '-')
        return find_option(text, &value) != NULL;
    _cleanup_arena_ struct arena *arena = arena_new();
    struct dep dep = {0};
    read_requirement(arena, &dep, text);
    return !dep.problem && (dep.name || dep.channel);
}

bool requirements_read(struct building *b)
{
    struct reading reading = {.b = b, .file = b->spec->file};
    b->spec->format = "requirements";
    reading.real = strcmp(b->spec->file, "-") == 0 ? NULL : path_real(b->arena, b->spec->file);
    return read_lines(&reading, b->spec->content);
}

static int name_cmp(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void judge_marker(struct building *b, struct dep *dep, const struct marker_world *world)
{
    if (!dep->marker || dep->problem)
        return;
    enum truth truth = marker_holds(b->arena, str_of(dep->marker), world);
    dep->unsure = truth == TRUTH_UNKNOWN;
    dep->foreign = truth == TRUTH_FALSE;
    dep->dropped |= dep->foreign;
}

static void judge_markers(struct building *b)
{
    struct marker_world world;
    marker_world(b->arena, b->spec, &world);
    for (size_t i = 0; i < b->spec->deps.n; i++)
        judge_marker(b, &b->spec->deps.v[i], &world);
    for (size_t i = 0; i < b->constraints.n; i++)
        judge_marker(b, &b->constraints.v[i], &world);
}

static bool is_required(const struct dep *dep)
{
    return dep->manager == MANAGER_PIP && dep->name && !dep->dropped;
}

static void add_constraints(struct building *b)
{
    struct strv required = {0};
    for (size_t i = 0; i < b->spec->deps.n && b->constraints.n; i++)
        if (is_required(&b->spec->deps.v[i]))
            strv_add(b->arena, &required, b->spec->deps.v[i].name);
    strv_sort(&required);
    for (size_t i = 0; i < b->constraints.n; i++) {
        const struct dep *dep = &b->constraints.v[i];
        if (dep->name && required.n && bsearch(&dep->name, required.v, required.n, sizeof *required.v, name_cmp))
            *vec_add(b->arena, &b->spec->deps) = *dep;
    }
}

void pip_finish(struct building *b)
{
    judge_markers(b);
    add_constraints(b);
}
