#include "spec/spec.h"

#include <stdarg.h>
#include <string.h>

#include "spec/decode.h"
#include "spec/environment.h"
#include "spec/explicit.h"
#include "spec/pip.h"
#include "util/file.h"
#include "util/text.h"

enum { LARGEST_FILE = 16 * 1024 * 1024 };

/* Packages that name a CUDA release by their version. */
static const struct bearer {
    enum manager manager;
    const char *name;
    enum pin_kind kind; /* of a full version; fewer parts make it PIN_MINOR or PIN_BOUND */
} bearers[] = {
    {MANAGER_CONDA, "cudatoolkit", PIN_MINOR}, {MANAGER_CONDA, "cuda-version", PIN_MINOR},
    {MANAGER_CONDA, "cuda-toolkit", PIN_RELEASE}, {MANAGER_CONDA, "cuda", PIN_RELEASE},
    {MANAGER_CONDA, "cuda-runtime", PIN_RELEASE}, {MANAGER_CONDA, "cuda-libraries", PIN_RELEASE},
    {MANAGER_CONDA, "cuda-cudart", PIN_BUILD}, {MANAGER_CONDA, "cuda-cudart-dev", PIN_BUILD},
    {MANAGER_CONDA, "cuda-nvcc", PIN_MINOR}, {MANAGER_CONDA, "pytorch-cuda", PIN_MINOR},
    {MANAGER_PIP, "nvidia-cuda-runtime", PIN_BUILD}, {MANAGER_PIP, "nvidia-cuda-runtime-cu11", PIN_BUILD},
    {MANAGER_PIP, "nvidia-cuda-runtime-cu12", PIN_BUILD},
};

bool building_fail(struct building *b, struct place place, const char *mend, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(b->arena, format, args);
    va_end(args);
    err_set(b->err, ERR_INPUT, "environment file", place.file, place.line, place.column, "%s", why);
    return mend ? err_mend(b->err, "%s", mend) : false;
}

void building_note(struct building *b, const char *id, struct place place, const char *message, const char *mend)
{
    *vec_add(b->arena, &b->spec->notes) = (struct note){.id = id, .file = place.file, .line = place.line,
                                                        .column = place.column, .message = message, .mend = mend};
}

/* The version of "=12.4", "==12.4", "12.4.*", ">=12,<13" as a range; false when it bounds nothing. */
static bool read_range(const char *version, struct cuda_range *range, struct release *exact)
{
    *range = (struct cuda_range){.min = RELEASE_NONE, .max = RELEASE_NONE};
    *exact = RELEASE_NONE;
    struct str rest = str_of(version), part;
    bool any = false;
    while (str_cut(&rest, ',', &part)) {
        size_t op = 0;
        while (op < part.n && strchr("<>=!~", part.s[op]))
            op++;
        struct str operator = str_slice(part, 0, op), number = str_slice(part, op, part.n);
        if (str_ends(number, ".*"))
            number.n -= 2;
        struct release release;
        if (!release_parse(number, &release))
            continue;
        any = true;
        if (str_starts(operator, ">")) {
            range->min = release;
            range->min_exclusive = operator.n == 1;
        } else if (str_starts(operator, "<")) {
            range->max = release;
            range->max_inclusive = operator.n == 2;
        } else if (!str_starts(operator, "!")) {
            *exact = release;
            range->min = release;
            range->max = release.minor < 0 ? (struct release){release.major + 1, -1, -1}
                                           : (struct release){release.major, release.minor + 1, -1};
        }
    }
    return any;
}

static void add_pin(struct building *b, const struct dep *dep, enum pin_kind kind, const struct cuda_range *range,
                    struct release exact, const char *why)
{
    struct pin *pin = vec_add(b->arena, &b->spec->pins);
    if (exact.minor < 0)
        kind = PIN_BOUND;
    else if (exact.patch < 0 && kind != PIN_BOUND)
        kind = PIN_MINOR;
    *pin = (struct pin){.manager = dep->manager, .kind = kind, .package = dep->name, .text = dep->text,
                        .file = dep->file, .line = dep->line, .column = dep->column, .cuda = *range, .why = why, .dropped = dep->dropped};
    pin->release = exact.major >= 0 && exact.minor >= 0 ? release_text(b->arena, exact) : range_text(b->arena, range);
}

static void find_pin(struct building *b, const struct dep *dep)
{
    struct cuda_range range;
    struct release exact;
    for (size_t i = 0; dep->name && dep->version && i < sizeof bearers / sizeof *bearers; i++)
        if (bearers[i].manager == dep->manager && strcmp(bearers[i].name, dep->name) == 0
            && read_range(dep->version, &range, &exact))
            add_pin(b, dep, bearers[i].kind, &range, exact, NULL);
    const char *local = dep->manager == MANAGER_PIP && dep->version ? strstr(dep->version, "+cu") : NULL;
    if (local) {
        size_t n = strspn(local + 3, "0123456789");
        if (n >= 2) {
            const char *text = arena_printf(b->arena, "%.*s.%c", (int)n - 1, local + 3, local[3 + n - 1]);
            if (read_range(text, &range, &exact))
                add_pin(b, dep, PIN_MINOR, &range, exact, "local version");
        }
    }
}

struct dep *building_dep(struct building *b, enum manager manager, struct place place, struct str text)
{
    struct dep *dep = vec_add(b->arena, &b->spec->deps);
    *dep = (struct dep){.manager = manager, .text = str_dup(b->arena, str_trim(text)), .file = place.file,
                        .line = place.line, .column = place.column};
    return dep;
}

void conda_dep(struct building *b, struct dep *dep)
{
    const char *comment = strstr(dep->text, " #");
    if (comment)
        dep->text = str_dup(b->arena, str_trim((struct str){dep->text, (size_t)(comment - dep->text)}));
    const char *whole = dep->text, *colon = strstr(whole, "::");
    if (colon) {
        dep->channel = arena_memdup(b->arena, whole, (size_t)(colon - whole));
        whole = colon + 2;
    }
    size_t n = strcspn(whole, " =<>!~[");
    dep->name = str_lower(b->arena, (struct str){whole, n});
    struct str version = str_trim(str_of(whole + n));
    if (version.n == 0 || version.s[0] == '[') 
        return;
    bool exact = str_starts(version, "==");
    while (version.n && (version.s[0] == '='))
        version = str_slice(version, 1, version.n);
    size_t build = version.n;
    for (size_t i = 1; i < version.n; i++)
        if (version.s[i] == '=' && !strchr("<>!~=", version.s[i - 1])) {
            build = i;
            break;
        }
    if (build < version.n)
        dep->build = str_dup(b->arena, str_slice(version, build + 1, version.n));
    version = str_trim(str_slice(version, 0, build));
    bool plain = !memchr(version.s, '<', version.n) && !memchr(version.s, '>', version.n)
        && !memchr(version.s, '!', version.n) && !memchr(version.s, '~', version.n);
    dep->version = plain && !exact && !dep->build && !str_ends(version, "*")
        ? arena_printf(b->arena, "%.*s.*", (int)version.n, version.s) : str_dup(b->arena, version);
}

static struct release lower(struct release r)
{
    return (struct release){r.major, r.minor < 0 ? 0 : r.minor, r.patch < 0 ? 0 : r.patch};
}

bool range_holds(const struct cuda_range *range, struct release release)
{
    struct release r = lower(release);
    if (range->min.major >= 0) {
        int c = release_cmp(r, lower(range->min));
        if (c < 0 || (c == 0 && range->min_exclusive))
            return false;
    }
    if (range->max.major >= 0) {
        int c = release_cmp(r, lower(range->max));
        if (c > 0 || (c == 0 && !range->max_inclusive))
            return false;
    }
    return true;
}

bool range_may_hold(const struct cuda_range *range, struct release release)
{
    if (release.minor >= 0)
        return range_holds(range, release) || (release.patch < 0 && range->min.major >= 0 && range->min.patch >= 0
            && release.major == range->min.major && release.minor == range->min.minor);
    return (range->min.major < 0 || release.major >= range->min.major)
        && (range->max.major < 0 || release.major <= range->max.major);
}

char *range_text(struct arena *arena, const struct cuda_range *range)
{
    struct text text = {.arena = arena};
    if (range->min.major >= 0 && range->min.minor >= 0 && range->max.major == range->min.major
        && range->max.minor == range->min.minor + 1)
        return release_text(arena, range->min);
    if (range->min.major >= 0)
        text_add(&text, "%s%s", range->min_exclusive ? ">" : ">=", release_text(arena, range->min));
    if (range->max.major >= 0)
        text_add(&text, "%s%s%s", text.n ? "," : "", range->max_inclusive ? "<=" : "<",
                 release_text(arena, range->max));
    return text.n ? text.s : arena_strdup(arena, "any");
}

static void intersect(struct building *b)
{
    struct spec *spec = b->spec;
    spec->release = RELEASE_NONE;
    spec->effective = (struct cuda_range){.min = RELEASE_NONE, .max = RELEASE_NONE};
    for (size_t i = 0; i < spec->pins.n; i++) {
        const struct pin *pin = &spec->pins.v[i];
        struct cuda_range *all = &spec->effective;
        if (pin->dropped)
            continue;
        if (pin->cuda.min.major >= 0 && (all->min.major < 0 || release_cmp(lower(pin->cuda.min), lower(all->min)) > 0)) {
            all->min = pin->cuda.min;
            all->min_exclusive = pin->cuda.min_exclusive;
            spec->deciding = i;
        }
        if (pin->cuda.max.major >= 0 && (all->max.major < 0 || release_cmp(lower(pin->cuda.max), lower(all->max)) < 0)) {
            all->max = pin->cuda.max;
            all->max_inclusive = pin->cuda.max_inclusive;
        }
        for (size_t j = 0; j < i; j++)
            if (pin->kind != PIN_BOUND && spec->pins.v[j].kind != PIN_BOUND && !spec->pins.v[j].dropped
                && (pin->cuda.min.major != spec->pins.v[j].cuda.min.major
                    || pin->cuda.min.minor != spec->pins.v[j].cuda.min.minor))
                *vec_add(b->arena, &spec->conflicts) = (struct conflict){
                    j, i, arena_printf(b->arena, "%s (line %u) and %s (line %u) ask for different CUDA releases",
                                       spec->pins.v[j].text, spec->pins.v[j].line, pin->text, pin->line)};
    }
    spec->has_effective = spec->pins.n && !spec->conflicts.n;
    if (!spec->has_effective)
        return;
    spec->effective_text = range_text(b->arena, &spec->effective);
    for (size_t i = 0; i < spec->pins.n; i++)
        if (spec->pins.v[i].kind != PIN_BOUND && !spec->pins.v[i].dropped) {
            spec->release = (struct release){spec->pins.v[i].cuda.min.major, spec->pins.v[i].cuda.min.minor, -1};
            spec->effective_text = release_text(b->arena, spec->release);
            spec->deciding = i;
        }
}

/* A file that calls itself YAML is held to it: a stray word in it is no requirements file. */
static bool is_yaml_name(const char *file)
{
    return str_ends(str_of(file), ".yml") || str_ends(str_of(file), ".yaml");
}

bool spec_parse(struct arena *arena, struct data *data, const char *file, struct str content, struct spec *spec,
                struct err *err)
{
    struct building b = {.arena = arena, .data = data, .spec = spec, .err = err};
    *spec = (struct spec){.file = file, .content = content};
    spec->sha256 = sha256_hex(arena, content);
    if (!decode(arena, file, content, &spec->content, err))
        return false;
    bool (*read)(struct building *) = is_explicit(spec->content) ? explicit_read
        : !is_yaml_name(file) && is_requirements(spec->content)  ? requirements_read
                                                                 : environment_read;
    if (!read(&b))
        return false;
    for (size_t i = 0; i < spec->deps.n; i++)
        if (!spec->deps.v[i].problem)
            find_pin(&b, &spec->deps.v[i]);
    intersect(&b);
    return true;
}

bool spec_read(struct arena *arena, struct data *data, const char *path, struct spec *spec, struct err *err)
{
    struct str content;
    return file_read(arena, path, LARGEST_FILE, "environment file", &content, err)
        && spec_parse(arena, data, path, content, spec, err);
}

int conda_version_cmp(const char *left, const char *right)
{
    struct release l, r;
    release_parse(str_of(left), &l);
    release_parse(str_of(right), &r);
    return release_cmp(lower(l), lower(r));
}

bool conda_version_matches(const char *constraint, const char *version)
{
    struct cuda_range range;
    struct release exact, have;
    return !read_range(constraint, &range, &exact) || !release_parse(str_of(version), &have)
        || (exact.major >= 0 ? release_agree(exact, have) : range_holds(&range, have));
}
