#include "spec/pins.h"

#include <string.h>

struct finding {
    struct building *b;
    const struct table *packages, *torch;
    struct release index_cuda; /* of an index line such as .../whl/cu118 */
};

static struct cuda_range whole_minor(struct release release)
{
    return (struct cuda_range){
        .min = {release.major, release.minor, -1},
        .max = release.minor < 0 ? (struct release){release.major + 1, -1, -1}
                                 : (struct release){release.major, release.minor + 1, -1},
    };
}

static void add_pin(struct finding *finding, const struct dep *dep, enum pin_kind kind, struct cuda_range range,
                    const char *release, const char *why)
{
    struct building *b = finding->b;
    *vec_add(b->arena, &b->spec->pins) = (struct pin){
        .manager = dep->manager,
        .kind = kind,
        .package = dep->name,
        .text = dep->text,
        .file = dep->file,
        .line = dep->line,
        .column = dep->column,
        .cuda = range,
        .release = release ? release : range_text(b->arena, &range),
        .why = why,
        .dropped = dep->dropped,
    };
}

/* One exact release: X alone is a bound, X.Y a minor, X.Y.Z what the package's versions name. */
static void add_exact(struct finding *finding, const struct dep *dep, enum pin_kind kind, struct release release,
                      const char *why)
{
    if (release.minor < 0)
        kind = PIN_BOUND;
    else if (release.patch < 0)
        kind = PIN_MINOR;
    if (kind == PIN_MINOR)
        release.patch = -1;
    add_pin(finding, dep, kind, whole_minor(release),
            kind == PIN_BOUND ? NULL : release_text(finding->b->arena, release), why);
}

static void tighten(struct cuda_range *range, struct str operator, struct release release)
{
    if (str_starts(operator, ">")) {
        range->min = release;
        range->min_exclusive = operator.n == 1;
    } else if (str_starts(operator, "<")) {
        range->max = release;
        range->max_inclusive = operator.n == 2;
    }
}

static struct str digits_at(struct str text, const char *accepted)
{
    size_t n = 0;
    while (n < text.n && strchr(accepted, text.s[n]))
        n++;
    return str_slice(text, 0, n);
}

/* A version such as 11.8.*, 12.4.127, ">=12,<13" or "==12.4.127". Alternatives and exclusions bound nothing here. */
static void read_version(struct finding *finding, const struct dep *dep, enum pin_kind kind)
{
    struct cuda_range range = {.min = RELEASE_NONE, .max = RELEASE_NONE};
    struct str rest = str_of(dep->version), part;
    struct release exact = RELEASE_NONE;
    if (strchr(dep->version, '|'))
        return;
    while (str_cut(&rest, ',', &part)) {
        size_t n = 0;
        part = str_trim(part);
        while (n < part.n && memchr("<>=!~", part.s[n], 5))
            n++;
        struct str operator = str_slice(part, 0, n), number = str_trim(str_slice(part, n, part.n));
        number = digits_at(number, "0123456789."); /* 2.1.0dev bounds as 2.1.0 does, 12.4.* as 12.4 */
        while (str_ends(number, "."))
            number.n--;
        struct release release;
        if (str_starts(operator, "!") || !release_parse(number, &release))
            continue;
        if (operator.n == 0 || str_starts(operator, "="))
            exact = release;
        else if (str_starts(operator, "~"))
            range = whole_minor((struct release){release.major, release.patch < 0 ? -1 : release.minor, -1});
        else
            tighten(&range, operator, release);
    }
    if (exact.major >= 0)
        add_exact(finding, dep, kind, exact, NULL);
    else if (range.min.major >= 0 || range.max.major >= 0)
        add_pin(finding, dep, PIN_BOUND, range, NULL, NULL);
}

/* 118 is 11.8, 92 is 9.2, 12 is a major. */
static struct release from_digits(struct str digits)
{
    struct release release = RELEASE_NONE;
    if (digits.n == 2 && digits.s[0] == '9')
        release_parse((struct str){(char[]){digits.s[0], '.', digits.s[1]}, 3}, &release);
    else if (digits.n == 2)
        release_parse(digits, &release);
    else if (digits.n == 3)
        release_parse((struct str){(char[]){digits.s[0], digits.s[1], '.', digits.s[2]}, 4}, &release);
    return release;
}

/* py3.9_cuda11.3_cudnn8_0 (channel pytorch) depends on that very minor; cuda126_mkl_… and cuda12* (conda-forge) were
 * compiled with it and take any later minor of the major. */
static void read_build(struct finding *finding, const struct dep *dep)
{
    const char *found = dep->build ? strstr(dep->build, "cuda") : NULL;
    struct str number = found ? digits_at(str_of(found + 4), "0123456789.") : (struct str){NULL, 0};
    struct release release;
    while (str_ends(number, "."))
        number.n--;
    if (number.n == 0)
        return;
    if (str_find(number, '.') < number.n) {
        if (release_parse(number, &release))
            add_exact(finding, dep, PIN_MINOR, (struct release){release.major, release.minor, -1}, "build string");
        return;
    }
    release = from_digits(number);
    if (release.major < 0)
        return;
    struct cuda_range range = {.min = release, .max = {release.major + 1, -1, -1}};
    add_pin(finding, dep, PIN_BOUND, range, NULL, "build string");
}

/* The version of "==2.4.0+cu124"; empty for anything but one exact version. */
static struct str exact_version(const struct dep *dep)
{
    struct str version = str_of(dep->version);
    if (!str_starts(version, "==") || str_find(version, ',') < version.n || str_ends(version, "*"))
        return (struct str){"", 0};
    version = str_slice(version, 2, version.n);
    return str_trim(str_starts(version, "=") ? str_slice(version, 1, version.n) : version);
}

/* Rows of torch_cuda.tsv name one version or a range: 2.1.0-2.1.2. */
static const char *pypi_cuda(const struct finding *finding, struct str version)
{
    struct release wanted, first, last;
    if (!release_parse(version, &wanted))
        return NULL;
    for (size_t row = 0; row < finding->torch->rows; row++) {
        struct str range = str_of(table_cell(finding->torch, row, "torch"));
        range = str_slice(range, 0, str_find(range, ' '));
        size_t dash = str_find(range, '-');
        if (!release_parse(str_slice(range, 0, dash), &first))
            continue;
        if (dash == range.n || !release_parse(str_slice(range, dash + 1, range.n), &last))
            last = first;
        if (release_cmp(wanted, first) >= 0 && release_cmp(wanted, last) <= 0)
            return table_cell(finding->torch, row, "pypi_default_cuda");
    }
    return NULL;
}

static void read_local(struct finding *finding, const struct dep *dep)
{
    struct str version = exact_version(dep);
    size_t plus = str_find(version, '+');
    struct release release = RELEASE_NONE;
    if (plus < version.n) {
        struct str local = str_slice(version, plus + 1, version.n);
        if (str_starts(local, "cu"))
            release = from_digits(digits_at(str_slice(local, 2, local.n), "0123456789"));
        if (release.minor >= 0)
            add_exact(finding, dep, PIN_MINOR, release, "local version");
        return;
    }
    if (strcmp(dep->name, "torch") != 0 || version.n == 0)
        return;
    if (finding->index_cuda.minor >= 0) {
        add_exact(finding, dep, PIN_MINOR, finding->index_cuda, "the index that is named");
        return;
    }
    const char *cuda = pypi_cuda(finding, version);
    if (cuda && release_parse(str_of(cuda), &release))
        add_pin(finding, dep, PIN_BOUND, whole_minor(release), release_text(finding->b->arena, release),
                arena_printf(finding->b->arena, "torch %.*s of PyPI", (int)version.n, version.s));
}

/* nvidia/label/cuda-12.4.1 holds exactly that release. */
static bool read_label(struct finding *finding, const struct dep *dep, const char *channel)
{
    const char *label = channel ? strstr(channel, "label/cuda-") : NULL;
    struct release release;
    if (!label || !release_parse(str_of(label + 11), &release))
        return false;
    add_exact(finding, dep, PIN_RELEASE, release, "channel label");
    return true;
}

static const char *label_channel(const struct spec *spec)
{
    for (size_t i = 0; i < spec->channels.n; i++)
        if (strstr(spec->channels.v[i], "label/cuda-"))
            return spec->channels.v[i];
    return NULL;
}

static void read_package(struct finding *finding, const struct dep *dep, size_t row)
{
    static const char *const kinds[] = {[PIN_BUILD] = "build", [PIN_RELEASE] = "release", [PIN_MINOR] = "minor"};
    const char *kind_text = table_cell(finding->packages, row, "kind"), *reads = table_cell(finding->packages, row, "reads");
    enum pin_kind kind = PIN_BUILD;
    while (kind < PIN_MINOR && !cstr_eq(kinds[kind], kind_text))
        kind++;
    if (cstr_eq(reads, "build"))
        read_build(finding, dep);
    else if (cstr_eq(reads, "local")) {
        if (dep->version)
            read_local(finding, dep);
    } else if (!read_label(finding, dep, dep->channel)) {
        if (dep->version && strcmp(dep->version, "*") != 0)
            read_version(finding, dep, kind);
        else if (dep->manager == MANAGER_CONDA && kind == PIN_RELEASE)
            read_label(finding, dep, label_channel(finding->b->spec));
    }
}

static void read_dep(struct finding *finding, const struct dep *dep)
{
    static const char *const managers[] = {[MANAGER_CONDA] = "conda", [MANAGER_PIP] = "pip"};
    for (size_t row = 0; dep->name && !dep->problem && row < finding->packages->rows; row++)
        if (cstr_eq(table_cell(finding->packages, row, "package"), dep->name)
            && cstr_eq(table_cell(finding->packages, row, "manager"), managers[dep->manager])) {
            read_package(finding, dep, row);
            return;
        }
}

/* --index-url and --extra-index-url .../whl/cu118 decide which build of torch pip takes. */
static void read_index(struct finding *finding, const struct dep *dep)
{
    const char *found = dep->manager == MANAGER_PIP && !dep->name && dep->channel ? strstr(dep->channel, "/cu") : NULL;
    if (found && !dep->dropped) {
        struct release release = from_digits(digits_at(str_of(found + 3), "0123456789"));
        if (release.minor >= 0)
            finding->index_cuda = release;
    }
}

static bool is_exact(const struct pin *pin)
{
    return pin->kind != PIN_BOUND && !pin->dropped;
}

/* Bounds by a package's own version contradict an exact pin; what a build was compiled with does not. */
static bool contradicts(const struct pin *pin, const struct pin *exact)
{
    if (pin->dropped || pin == exact)
        return false;
    if (is_exact(pin))
        return pin->cuda.min.major != exact->cuda.min.major || pin->cuda.min.minor != exact->cuda.min.minor;
    return !pin->why && pin->manager == exact->manager && !range_may_hold(&pin->cuda, exact->cuda.min);
}

/* All pins are held against the first exact one, so that a long file costs no more than its length. */
static void find_conflicts(struct building *b, size_t first)
{
    struct spec *spec = b->spec;
    const struct pin *exact = &spec->pins.v[first];
    for (size_t i = 0; i < spec->pins.n; i++) {
        const struct pin *pin = &spec->pins.v[i];
        if (!contradicts(pin, exact))
            continue;
        size_t one = i < first ? i : first, two = i < first ? first : i;
        *vec_add(b->arena, &spec->conflicts) = (struct conflict){
            one, two,
            arena_printf(b->arena, "%s (line %u) asks for CUDA %s, %s (line %u) for %s", spec->pins.v[one].text,
                         spec->pins.v[one].line, spec->pins.v[one].release, spec->pins.v[two].text,
                         spec->pins.v[two].line, spec->pins.v[two].release)};
    }
}

static struct release filled(struct release release)
{
    return (struct release){release.major, release.minor < 0 ? 0 : release.minor, release.patch < 0 ? 0 : release.patch};
}

static void narrow(struct cuda_range *all, const struct cuda_range *range)
{
    int lower = release_cmp(filled(range->min), filled(all->min)), upper = release_cmp(filled(range->max), filled(all->max));
    if (range->min.major >= 0 && (all->min.major < 0 || lower > 0 || (lower == 0 && range->min_exclusive))) {
        all->min = range->min;
        all->min_exclusive = range->min_exclusive;
    }
    if (range->max.major >= 0 && (all->max.major < 0 || upper < 0 || (upper == 0 && !range->max_inclusive))) {
        all->max = range->max;
        all->max_inclusive = range->max_inclusive;
    }
}

static void use_exact(struct building *b, size_t first)
{
    struct spec *spec = b->spec;
    const struct pin *pin = &spec->pins.v[first];
    spec->has_effective = spec->conflicts.n == 0;
    spec->deciding = first;
    spec->effective = pin->cuda;
    spec->release = (struct release){pin->cuda.min.major, pin->cuda.min.minor, -1};
    spec->effective_text = release_text(b->arena, spec->release);
}

/* What torch of PyPI was built with counts only where nothing else is said. */
static void use_bounds(struct building *b)
{
    struct spec *spec = b->spec;
    for (int weak = 0; weak < 2 && !spec->has_effective; weak++)
        for (size_t i = 0; i < spec->pins.n; i++) {
            const struct pin *pin = &spec->pins.v[i];
            bool is_weak = pin->why && pin->manager == MANAGER_PIP;
            if (pin->dropped || is_weak != (weak == 1))
                continue;
            narrow(&spec->effective, &pin->cuda);
            spec->has_effective = true;
            spec->deciding = i;
            if (is_weak)
                spec->release = (struct release){pin->cuda.min.major, pin->cuda.min.minor, -1};
        }
    if (spec->has_effective)
        spec->effective_text = range_text(b->arena, &spec->effective);
}

static void decide(struct building *b)
{
    struct spec *spec = b->spec;
    size_t first = 0;
    spec->release = RELEASE_NONE;
    spec->effective = (struct cuda_range){.min = RELEASE_NONE, .max = RELEASE_NONE};
    while (first < spec->pins.n && !is_exact(&spec->pins.v[first]))
        first++;
    if (first < spec->pins.n) {
        find_conflicts(b, first);
        use_exact(b, first);
    } else
        use_bounds(b);
}

bool pins_find(struct building *b)
{
    struct finding finding = {
        .b = b,
        .packages = data_table(b->data, "pin_packages", b->err),
        .index_cuda = RELEASE_NONE,
    };
    finding.torch = finding.packages ? data_table(b->data, "torch_cuda", b->err) : NULL;
    if (!finding.torch)
        return false;
    for (size_t i = 0; i < b->spec->deps.n; i++)
        read_index(&finding, &b->spec->deps.v[i]);
    for (size_t i = 0; i < b->spec->deps.n; i++)
        read_dep(&finding, &b->spec->deps.v[i]);
    decide(b);
    return true;
}
