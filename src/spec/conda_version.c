/* conda's order of versions and its version constraints, after conda.models.version. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

/* One run of digits or letters. Their order: dev, other letters (by bytes), numbers, post. */
enum rank { RANK_DEV, RANK_TEXT, RANK_NUMBER, RANK_POST };

struct atom {
    enum rank rank;
    struct str text; /* digits without leading zeros, or letters */
};

static const struct atom zero = {RANK_NUMBER, {"", 0}};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_separator(char c)
{
    return c == '.' || c == '_' || c == '-';
}

static bool text_is(struct str text, const char *word)
{
    return text.n == strlen(word) && strncasecmp(text.s, word, text.n) == 0;
}

static struct atom make_atom(struct str run)
{
    if (!is_digit(run.s[0]))
        return (struct atom){text_is(run, "dev") ? RANK_DEV : text_is(run, "post") ? RANK_POST : RANK_TEXT, run};
    while (run.n && run.s[0] == '0')
        run = str_slice(run, 1, run.n);
    return (struct atom){RANK_NUMBER, run};
}

static int compare_atoms(struct atom left, struct atom right)
{
    if (left.rank != right.rank)
        return left.rank < right.rank ? -1 : 1;
    if (left.rank == RANK_NUMBER && left.text.n != right.text.n)
        return left.text.n < right.text.n ? -1 : 1;
    size_t shorter = left.text.n < right.text.n ? left.text.n : right.text.n;
    int order = left.rank == RANK_NUMBER ? memcmp(left.text.s, right.text.s, shorter)
                                         : strncasecmp(left.text.s, right.text.s, shorter);
    if (order || left.rank != RANK_TEXT)
        return order;
    return (left.text.n > right.text.n) - (left.text.n < right.text.n);
}

/* The next atom of a component; a component that begins with a letter has a 0 in front. False at its end. */
static bool next_atom(struct str *component, bool *first, struct atom *atom)
{
    bool implied = *first && component->n && !is_digit(component->s[0]);
    *first = false;
    if (implied)
        *atom = zero;
    if (implied || component->n == 0)
        return implied;
    size_t n = 1;
    while (n < component->n && is_digit(component->s[n]) == is_digit(component->s[0]))
        n++;
    *atom = make_atom(str_slice(*component, 0, n));
    *component = str_slice(*component, n, component->n);
    return true;
}

static int compare_components(struct str left, struct str right)
{
    bool left_first = true, right_first = true;
    for (;;) {
        struct atom l = zero, r = zero;
        bool has_left = next_atom(&left, &left_first, &l), has_right = next_atom(&right, &right_first, &r);
        if (!has_left && !has_right)
            return 0;
        int order = compare_atoms(l, r);
        if (order)
            return order;
    }
}

static struct str next_component(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && !is_separator(rest->s[n]))
        n++;
    struct str component = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n < rest->n ? n + 1 : n, rest->n);
    return component;
}

static int compare_parts(struct str left, struct str right)
{
    while (left.n || right.n) {
        int order = compare_components(next_component(&left), next_component(&right));
        if (order)
            return order;
    }
    return 0;
}

/* EPOCH!VERSION+LOCAL */
static void split_version(struct str text, struct str *epoch, struct str *version, struct str *local)
{
    size_t mark = str_find(text, '!');
    *epoch = mark < text.n ? str_slice(text, 0, mark) : STR("0");
    *version = mark < text.n ? str_slice(text, mark + 1, text.n) : text;
    size_t plus = str_find(*version, '+');
    *local = str_slice(*version, plus + 1, version->n);
    *version = str_slice(*version, 0, plus);
}

static int compare_versions(struct str left, struct str right)
{
    struct str l[3], r[3];
    split_version(left, &l[0], &l[1], &l[2]);
    split_version(right, &r[0], &r[1], &r[2]);
    for (size_t i = 0; i < 3; i++) {
        int order = compare_parts(l[i], r[i]);
        if (order)
            return order;
    }
    return 0;
}

int conda_version_cmp(const char *left, const char *right)
{
    return compare_versions(str_trim(str_of(left)), str_trim(str_of(right)));
}

/* Whether the version begins with the components of `start`: 12.4 holds 12.4 and 12.4.127, not 12.40. */
static bool begins_with(struct str version, struct str start)
{
    while (start.n) {
        if (compare_components(next_component(&version), next_component(&start)) != 0)
            return false;
    }
    return true;
}

/* ~=2.3.1 is >=2.3.1 and 2.3.* */
static bool is_compatible(struct str version, struct str bound)
{
    size_t dot = bound.n;
    while (dot > 0 && bound.s[dot - 1] != '.')
        dot--;
    return compare_versions(version, bound) >= 0 && dot > 0 && begins_with(version, str_slice(bound, 0, dot - 1));
}

static const struct operator {
    const char *text;
    bool less, equal, greater;
} operators[] = {
    {"==", false, true, false}, {"!=", true, false, true}, {"<=", true, true, false}, {">=", false, true, true},
    {"<", true, false, false},  {">", false, false, true}, {"=", false, true, false}, {"", false, true, false},
};

static bool matches_one(struct str constraint, struct str version)
{
    constraint = str_trim(constraint);
    if (str_starts(constraint, "~="))
        return is_compatible(version, str_trim(str_slice(constraint, 2, constraint.n)));
    const struct operator *operator = operators;
    while (!str_starts(constraint, operator->text))
        operator++;
    struct str bound = str_trim(str_slice(constraint, strlen(operator->text), constraint.n));
    if (str_eq_c(bound, "*"))
        return true;
    bool glob = str_ends(bound, "*") || strcmp(operator->text, "=") == 0;
    if (str_ends(bound, "*"))
        bound.n--;
    if (str_ends(bound, "."))
        bound.n--;
    if (glob && operator->equal && !operator->less && !operator->greater)
        return begins_with(version, bound);
    if (glob && !operator->equal)
        return !begins_with(version, bound);
    int order = compare_versions(version, bound);
    return order < 0 ? operator->less : order > 0 ? operator->greater : operator->equal;
}

bool conda_version_matches(const char *constraint, const char *version)
{
    struct str any = str_of(constraint), all, one, have = str_trim(str_of(version));
    while (str_cut(&any, '|', &all)) {
        bool good = true;
        while (str_cut(&all, ',', &one))
            good = good && matches_one(one, have);
        if (good)
            return true;
    }
    return false;
}
