#include "spec/pep440.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "spec/spec.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The digits at the start of `rest`, cut off; leading zeros do not count, so that length and bytes give the order. */
static struct str cut_number(struct str *rest)
{
    size_t end = 0, start = 0;
    while (end < rest->n && is_digit(rest->s[end]))
        end++;
    while (start + 1 < end && rest->s[start] == '0')
        start++;
    struct str number = str_slice(*rest, start, end);
    *rest = str_slice(*rest, end, rest->n);
    return number;
}

static int number_cmp(struct str left, struct str right)
{
    if (left.n != right.n)
        return left.n < right.n ? -1 : 1;
    return left.n ? memcmp(left.s, right.s, left.n) : 0;
}

static struct str or_zero(struct str number)
{
    return number.n ? number : STR("0");
}

static bool starts_nocase(struct str text, const char *word)
{
    size_t n = strlen(word);
    return text.n >= n && strncasecmp(text.s, word, n) == 0;
}

static struct str skip_separator(struct str rest)
{
    return rest.n && strchr("-_.", rest.s[0]) ? str_slice(rest, 1, rest.n) : rest;
}

/* Cuts "[-_.]WORD[-_.]N" for one of the words off `rest`; the word's index, or -1 when none stands there. */
static int cut_suffix(struct str *rest, const char *const *words, struct str *number)
{
    struct str behind = skip_separator(*rest);
    for (int i = 0; words[i]; i++) {
        if (!starts_nocase(behind, words[i]))
            continue;
        behind = str_slice(behind, strlen(words[i]), behind.n);
        struct str digits = skip_separator(behind);
        if (digits.n && is_digit(digits.s[0]))
            behind = digits;
        *number = or_zero(cut_number(&behind));
        *rest = behind;
        return i;
    }
    return -1;
}

static bool cut_release(struct str *rest, struct pep440 *version)
{
    struct str start = *rest, number = cut_number(rest);
    version->epoch = STR("0");
    if (number.n && rest->n && rest->s[0] == '!') {
        version->epoch = number;
        *rest = start = str_slice(*rest, 1, rest->n);
        number = cut_number(rest);
    }
    if (!number.n)
        return false;
    while (rest->n > 1 && rest->s[0] == '.' && is_digit(rest->s[1])) {
        *rest = str_slice(*rest, 1, rest->n);
        cut_number(rest);
    }
    version->release = str_slice(start, 0, (size_t)(rest->s - start.s));
    return true;
}

static void cut_post(struct str *rest, struct pep440 *version)
{
    static const char *const words[] = {"post", "rev", "r", NULL};
    if (rest->n > 1 && rest->s[0] == '-' && is_digit(rest->s[1])) {
        *rest = str_slice(*rest, 1, rest->n);
        version->post_number = cut_number(rest);
        version->has_post = true;
    } else {
        version->has_post = cut_suffix(rest, words, &version->post_number) >= 0;
    }
}

static bool is_local(struct str local)
{
    bool between = false;
    for (size_t i = 0; i < local.n; i++) {
        if (is_alnum(local.s[i]))
            between = true;
        else if (!between || !strchr("-_.", local.s[i]))
            return false;
        else
            between = false;
    }
    return between;
}

bool pep440_parse(struct str text, struct pep440 *version)
{
    static const char *const pre[] = {"alpha", "beta", "preview", "pre", "rc", "a", "b", "c", NULL};
    static const char letters[] = "abcccabc";
    static const char *const dev[] = {"dev", NULL};
    struct str rest = str_trim(text);
    *version = (struct pep440){0};
    if (rest.n && (rest.s[0] == 'v' || rest.s[0] == 'V'))
        rest = str_slice(rest, 1, rest.n);
    if (!cut_release(&rest, version))
        return false;
    int which = cut_suffix(&rest, pre, &version->pre_number);
    if (which >= 0)
        version->pre = letters[which];
    cut_post(&rest, version);
    version->has_dev = cut_suffix(&rest, dev, &version->dev_number) >= 0;
    if (rest.n && rest.s[0] == '+') {
        version->local = str_slice(rest, 1, rest.n);
        return is_local(version->local);
    }
    return rest.n == 0;
}

/* Missing parts are 0, so that 1.0 and 1.0.0 are equal. At most `limit` parts are compared. */
static int release_parts_cmp(struct str left, struct str right, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        struct str l = {0}, r = {0};
        bool more_left = str_cut(&left, '.', &l), more_right = str_cut(&right, '.', &r);
        if (!more_left && !more_right)
            return 0;
        int order = number_cmp(more_left ? cut_number(&l) : STR("0"), more_right ? cut_number(&r) : STR("0"));
        if (order)
            return order;
    }
    return 0;
}

/* Where the pre-release part sorts: a bare development release before all, a final release behind all. */
static int pre_rank(const struct pep440 *version)
{
    return version->pre ? version->pre : version->has_dev && !version->has_post ? 0 : 'z';
}

static int public_cmp(const struct pep440 *left, const struct pep440 *right)
{
    int order = number_cmp(left->epoch, right->epoch);
    if (!order)
        order = release_parts_cmp(left->release, right->release, SIZE_MAX);
    if (!order)
        order = pre_rank(left) - pre_rank(right);
    if (!order)
        order = number_cmp(left->pre_number, right->pre_number);
    if (!order)
        order = left->has_post - right->has_post;
    if (!order)
        order = number_cmp(left->post_number, right->post_number);
    if (!order)
        order = right->has_dev - left->has_dev;
    return order ? order : number_cmp(left->dev_number, right->dev_number);
}

static bool cut_local(struct str *rest, struct str *part)
{
    if (!rest->n)
        return false;
    size_t end = 0;
    while (end < rest->n && is_alnum(rest->s[end]))
        end++;
    *part = str_slice(*rest, 0, end);
    *rest = str_slice(*rest, end + 1, rest->n);
    return true;
}

static bool is_number(struct str part)
{
    for (size_t i = 0; i < part.n; i++)
        if (!is_digit(part.s[i]))
            return false;
    return part.n > 0;
}

static int local_part_cmp(struct str left, struct str right)
{
    bool l = is_number(left), r = is_number(right);
    if (l != r)
        return l ? 1 : -1;
    if (l)
        return number_cmp(cut_number(&left), cut_number(&right));
    size_t n = left.n < right.n ? left.n : right.n;
    int order = strncasecmp(left.s, right.s, n);
    return order ? order : (left.n > right.n) - (left.n < right.n);
}

static int local_cmp(struct str left, struct str right)
{
    for (;;) {
        struct str l, r;
        bool more_left = cut_local(&left, &l), more_right = cut_local(&right, &r);
        if (!more_left || !more_right)
            return more_left - more_right;
        int order = local_part_cmp(l, r);
        if (order)
            return order;
    }
}

int pep440_cmp(const char *left, const char *right)
{
    struct pep440 l, r;
    bool valid_left = pep440_parse(str_of(left), &l), valid_right = pep440_parse(str_of(right), &r);
    if (!valid_left || !valid_right)
        return valid_left != valid_right ? valid_left - valid_right : strcmp(left, right);
    int order = public_cmp(&l, &r);
    return order ? order : local_cmp(l.local, r.local);
}

enum operator{ COMPATIBLE, ARBITRARY, EQUAL, DIFFERENT, AT_MOST, AT_LEAST, BELOW, ABOVE };

struct clause {
    enum operator operator;
    bool wildcard; /* "==1.2.*" */
    struct str text;
    struct pep440 version;
};

static size_t parts_of(struct str release)
{
    size_t parts = 1;
    for (size_t i = 0; i < release.n; i++)
        parts += release.s[i] == '.';
    return parts;
}

static bool version_fits(struct clause *clause)
{
    const struct pep440 *v = &clause->version;
    bool may_be_local = (clause->operator== EQUAL || clause->operator== DIFFERENT) && !clause->wildcard;
    if (v->local.n && !may_be_local)
        return false;
    if (clause->wildcard && (v->pre || v->has_post || v->has_dev))
        return false;
    return clause->operator!= COMPATIBLE || parts_of(v->release) > 1;
}

static bool read_clause(struct str text, struct clause *clause)
{
    static const struct {
        const char *text;
        enum operator operator;
    } operators[] = {
        {"===", ARBITRARY}, {"~=", COMPATIBLE}, {"==", EQUAL}, {"!=", DIFFERENT},
        {"<=", AT_MOST},    {">=", AT_LEAST},   {"<", BELOW},  {">", ABOVE},
    };
    text = str_trim(text);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!str_starts(text, operators[i].text))
            continue;
        *clause = (struct clause){.operator= operators[i].operator};
        clause->text = str_trim(str_slice(text, strlen(operators[i].text), text.n));
        if (clause->operator== ARBITRARY)
            return clause->text.n > 0;
        struct str version = clause->text;
        clause->wildcard = (clause->operator== EQUAL || clause->operator== DIFFERENT) && str_ends(version, ".*");
        if (clause->wildcard)
            version.n -= 2;
        return pep440_parse(version, &clause->version) && version_fits(clause);
    }
    return false;
}

static bool has_prefix(const struct pep440 *version, const struct pep440 *prefix, size_t parts)
{
    return number_cmp(version->epoch, prefix->epoch) == 0
           && release_parts_cmp(version->release, prefix->release, parts) == 0;
}

static bool equals(const struct clause *clause, const struct pep440 *version)
{
    const struct pep440 *wanted = &clause->version;
    if (clause->wildcard)
        return has_prefix(version, wanted, parts_of(wanted->release));
    return public_cmp(version, wanted) == 0 && (!wanted->local.n || local_cmp(version->local, wanted->local) == 0);
}

static bool is_prerelease(const struct pep440 *version)
{
    return version->pre || version->has_dev;
}

/* PEP 440's exclusive comparisons leave out pre-releases, post-releases and local versions of the bound itself. */
static bool exclusive(const struct clause *clause, const struct pep440 *version)
{
    const struct pep440 *bound = &clause->version;
    bool same_base = has_prefix(version, bound, SIZE_MAX);
    int order = public_cmp(version, bound);
    if (clause->operator== BELOW)
        return order < 0 && !(same_base && is_prerelease(version) && !is_prerelease(bound));
    return order > 0 && !(same_base && version->has_post && !bound->has_post);
}

static bool clause_matches(const struct clause *clause, struct str text, const struct pep440 *version)
{
    switch (clause->operator) {
    case ARBITRARY:
        return text.n == clause->text.n && strncasecmp(text.s, clause->text.s, text.n) == 0;
    case COMPATIBLE:
        return public_cmp(version, &clause->version) >= 0
               && has_prefix(version, &clause->version, parts_of(clause->version.release) - 1);
    case EQUAL:
        return equals(clause, version);
    case DIFFERENT:
        return !equals(clause, version);
    case AT_MOST:
        return public_cmp(version, &clause->version) <= 0;
    case AT_LEAST:
        return public_cmp(version, &clause->version) >= 0;
    case BELOW:
    case ABOVE:
        break;
    }
    return exclusive(clause, version);
}

/* Cuts the next clause; an empty one is allowed only as the last, as pip has it. */
static bool next_clause(struct str *rest, struct str *part)
{
    return str_cut(rest, ',', part) && (str_trim(*part).n || rest->s);
}

bool pep440_constraint_is_valid(struct str constraint)
{
    struct str rest = constraint, part;
    struct clause clause;
    while (next_clause(&rest, &part))
        if (!read_clause(part, &clause))
            return false;
    return true;
}

bool pep440_matches(const char *constraint, const char *version)
{
    struct str rest = str_of(constraint), part, text = str_trim(str_of(version));
    struct pep440 parsed;
    bool valid = pep440_parse(text, &parsed);
    while (next_clause(&rest, &part)) {
        struct clause clause;
        if (!read_clause(part, &clause) || (!valid && clause.operator!= ARBITRARY)
            || !clause_matches(&clause, text, &parsed))
            return false;
    }
    return true;
}
