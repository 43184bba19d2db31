#include "spec/pins.h"

#include <string.h>

#include "util/text.h"

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

static struct pin *add_pin(struct finding *finding, const struct dep *dep, struct alternative what, const char *why)
{
    struct building *b = finding->b;
    struct pin *pin = vec_add(b->arena, &b->spec->pins);
    *pin = (struct pin){
        .manager = dep->manager,
        .kind = what.kind,
        .package = dep->name,
        .text = dep->text,
        .file = dep->file,
        .line = dep->line,
        .column = dep->column,
        .cuda = what.cuda,
        .release = what.release,
        .why = why,
        .dropped = dep->dropped,
        .foreign = dep->foreign,
    };
    return pin;
}

static struct alternative bound(struct arena *arena, struct cuda_range range)
{
    return (struct alternative){PIN_BOUND, range, range_text(arena, &range)};
}

/* One exact release: X alone is a bound, X.Y a minor, X.Y.Z what the package's versions name. */
static struct alternative exactly(struct arena *arena, enum pin_kind kind, struct release release)
{
    if (release.minor < 0)
        return bound(arena, whole_minor(release));
    if (release.patch < 0)
        kind = PIN_MINOR;
    if (kind == PIN_MINOR)
        release.patch = -1;
    return (struct alternative){kind, whole_minor(release), release_text(arena, release)};
}

static void add_exact(struct finding *finding, const struct dep *dep, enum pin_kind kind, struct release release,
                      const char *why)
{
    add_pin(finding, dep, exactly(finding->b->arena, kind, release), why);
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

/* A version such as 11.8.*, 12.4.127, ">=12,<13" or "==12.4.127". False where it bounds nothing, as exclusions do. */
static bool read_clauses(struct arena *arena, struct str rest, enum pin_kind kind, struct alternative *found)
{
    struct cuda_range range = {.min = RELEASE_NONE, .max = RELEASE_NONE};
    struct release exact = RELEASE_NONE;
    struct str part;
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
    bool is_exact = exact.major >= 0, is_bound = range.min.major >= 0 || range.max.major >= 0;
    if (is_exact || is_bound)
        *found = is_exact ? exactly(arena, kind, exact) : bound(arena, range);
    return is_exact || is_bound;
}

/* "12.4|12.6" takes either, and so bounds the release without naming one. */
static void add_alternatives(struct finding *finding, const struct dep *dep, const struct alternative *all, size_t n)
{
    struct arena *arena = finding->b->arena;
    struct text release = {.arena = arena};
    struct cuda_range *ranges = arena_alloc(arena, n * sizeof *ranges);
    for (size_t i = 0; i < n; i++) {
        ranges[i] = all[i].cuda;
        text_add(&release, "%s%s", i ? " or " : "", all[i].release);
    }
    struct pin *pin =
        add_pin(finding, dep, (struct alternative){PIN_BOUND, range_union(arena, ranges, n), release.s}, NULL);
    for (size_t i = 0; i < n; i++)
        *vec_add(arena, &pin->alternatives) = all[i];
}

/* An alternative that bounds nothing ("12.4|*") leaves all open. */
static void read_version(struct finding *finding, const struct dep *dep, enum pin_kind kind)
{
    struct { VEC(struct alternative); } found = {0};
    struct str rest = str_of(dep->version), part;
    while (str_cut(&rest, '|', &part))
        if (!read_clauses(finding->b->arena, part, kind, vec_add(finding->b->arena, &found)))
            return;
    if (found.n == 1)
        add_pin(finding, dep, found.v[0], NULL);
    else if (found.n)
        add_alternatives(finding, dep, found.v, found.n);
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
    add_pin(finding, dep, bound(finding->b->arena, range), "build string");
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
        if (release_parse_span(str_slice(range, 0, str_find(range, ' ')), &first, &last)
            && release_cmp(wanted, first) >= 0 && release_cmp(wanted, last) <= 0)
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
        add_pin(finding, dep,
                (struct alternative){PIN_BOUND, whole_minor(release), release_text(finding->b->arena, release)},
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

/* The row of the package in pin_packages.tsv; packages->rows for none. */
static size_t package_row(const struct finding *finding, const struct dep *dep)
{
    static const char *const managers[] = {[MANAGER_CONDA] = "conda", [MANAGER_PIP] = "pip"};
    size_t row = 0;
    while (row < finding->packages->rows
           && !(cstr_eq(table_cell(finding->packages, row, "package"), dep->name)
                && cstr_eq(table_cell(finding->packages, row, "manager"), managers[dep->manager])))
        row++;
    return row;
}

/* A marker is worth a word only where it decides on a pin. */
static void note_marker(struct building *b, const struct dep *dep)
{
    struct place place = {dep->file, dep->line, dep->column};
    if (dep->foreign)
        building_note(b, "marker-false", place,
                      arena_printf(b->arena, "\"%s\" pins nothing on this machine: its marker is false", dep->text),
                      NULL)
            ->remark = true;
    else if (dep->unsure && !dep->dropped)
        building_note(b, "marker-unknown", place,
                      arena_printf(b->arena, "\"%s\" counts as a pin, but whether its marker holds is not known",
                                   dep->text),
                      "pin python (python=X.Y), or write the line without its marker");
}

/* An address may hold a password as ${NAME}; its version is that of the file's name all the same. */
static bool is_readable(const struct dep *dep)
{
    bool by_address = dep->manager == MANAGER_PIP && dep->channel;
    return dep->name && !dep->problem && !spec_is_unexpanded(str_of(by_address ? dep->version : dep->text));
}

static void read_dep(struct finding *finding, const struct dep *dep)
{
    size_t row = is_readable(dep) ? package_row(finding, dep) : finding->packages->rows;
    size_t before = finding->b->spec->pins.n;
    if (row < finding->packages->rows)
        read_package(finding, dep, row);
    if (finding->b->spec->pins.n > before)
        note_marker(finding->b, dep);
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

/* More of them say no more, and each repeats the text of a pin, which may be as long as the file. */
enum { MOST_CONFLICTS = 20 };

/* All pins are held against the first exact one, so that a long file costs no more than its length. */
static void find_conflicts(struct building *b, size_t first)
{
    struct spec *spec = b->spec;
    const struct pin *exact = &spec->pins.v[first];
    for (size_t i = 0; i < spec->pins.n && spec->conflicts.n < MOST_CONFLICTS; i++) {
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

/* Bounds of a package's own version first, then what conda's builds of torch were compiled with. What torch of PyPI was
 * built with counts only where nothing else is said. */
enum rank { RANK_VERSION, RANK_BUILD, RANK_WEAK };

static enum rank rank_of(const struct pin *pin)
{
    return !pin->why ? RANK_VERSION : pin->manager == MANAGER_CONDA ? RANK_BUILD : RANK_WEAK;
}

/* Bounds of one manager that leave no release are a conflict; other bounds then count for nothing. */
static void narrow_by(struct building *b, size_t index)
{
    struct spec *spec = b->spec;
    const struct pin *pin = &spec->pins.v[index], *before = &spec->pins.v[spec->deciding];
    if (!spec->has_effective)
        spec->effective = pin->cuda;
    else if (!range_narrow(b->arena, &spec->effective, &pin->cuda)) {
        if (rank_of(pin) == RANK_VERSION && pin->manager == before->manager && spec->conflicts.n < MOST_CONFLICTS)
            *vec_add(b->arena, &spec->conflicts) = (struct conflict){
                spec->deciding, index,
                arena_printf(b->arena, "%s (line %u) asks for CUDA %s, but the lines before it leave %s", pin->text,
                             pin->line, pin->release, range_text(b->arena, &spec->effective))};
        return;
    }
    spec->has_effective = true;
    spec->deciding = index;
}

static void use_bounds(struct building *b)
{
    struct spec *spec = b->spec;
    for (enum rank rank = RANK_VERSION; rank <= RANK_WEAK && !(rank == RANK_WEAK && spec->has_effective); rank++)
        for (size_t i = 0; i < spec->pins.n; i++)
            if (!spec->pins.v[i].dropped && rank_of(&spec->pins.v[i]) == rank)
                narrow_by(b, i);
    if (!spec->has_effective)
        return;
    const struct pin *pin = &spec->pins.v[spec->deciding];
    spec->has_effective = spec->conflicts.n == 0;
    spec->effective_text = range_text(b->arena, &spec->effective);
    if (rank_of(pin) == RANK_WEAK)
        spec->release = (struct release){pin->cuda.min.major, pin->cuda.min.minor, -1};
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
