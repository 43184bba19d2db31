/* NCCL's own parsers: src/misc/param.cc, src/misc/utils.cc, src/graph/paths.cc, src/debug.cc. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/grammar.h"

/* NCCL reads integers by strtoll with base 0 and no look at what stands behind them. */
struct verdict grammar_nccl_integer(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^-?(0|[1-9][0-9]*)$", value))
        return verdict_good();
    char *end;
    long long read = strtoll(value, &end, 0);
    return verdict_of(grammar, VALUE_BAD, "%s=%s is not a plain number: NCCL silently reads it as %lld", name, value,
                      read);
}

struct verdict grammar_nccl_switch(const struct grammar *grammar, const char *name, const char *value)
{
    if (strcmp(value, "0") == 0 || strcmp(value, "1") == 0)
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD, "%s=%s is neither 0 nor 1: NCCL acts on 1 only and silently ignores the rest",
                      name, value);
}

static bool known_before(struct release nccl, int minor)
{
    return nccl.major >= 0 && release_cmp(nccl, (struct release){2, minor, -1}) < 0;
}

struct verdict grammar_nccl_level(const struct grammar *grammar, const char *name, const char *value)
{
    static const struct {
        const char *word;
        int since_minor;
    } words[] = {
        {"LOC", 0}, {"NVL", 0},  {"NVB", 0}, {"C2C", 26}, {"PIX", 0},
        {"PXB", 0}, {"P2C", 27}, {"PXN", 0}, {"PHB", 0},  {"SYS", 0},
    };
    if (grammar_matches("^[0-5]$", value))
        return verdict_good();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, value) == 0)
            return known_before(grammar->nccl, words[i].since_minor)
                       ? verdict_of(grammar, VALUE_BAD,
                                    "%s=%s is known from NCCL 2.%d on: this one silently ignores it", name, value,
                                    words[i].since_minor)
                       : verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not one of LOC NVL NVB C2C PIX PXB P2C PXN PHB SYS in upper case, nor 0 "
                      "to 5: NCCL silently ignores it",
                      name, value);
}

struct verdict grammar_nccl_names(const struct grammar *grammar, const char *name, const char *value)
{
    size_t most = strcmp(name, "NCCL_IB_HCA") == 0 ? 32 : 16, items = 1;
    for (const char *s = value; *s; s++)
        items += *s == ',';
    if (strlen(value) <= 1)
        return verdict_of(grammar, VALUE_BAD, "%s=%s is too short: NCCL ignores a value of one character", name, value);
    if (!grammar_matches("^\\^?=?[^,=^ \t]+(,[^,=^ \t]+)*$", value))
        return verdict_of(grammar, VALUE_BAD,
                          "%s=%s: ^ and = stand once, in that order, in front of the whole list, and "
                          "blanks are part of a name",
                          name, value);
    if (items > most)
        return verdict_of(grammar, VALUE_BAD, "%s names %zu items: NCCL reads %zu", name, items, most);
    return verdict_good();
}

bool grammar_nccl_selects(const struct grammar *grammar, const char *value, const char *name)
{
    bool inverted = value[0] == '^', exact = value[inverted] == '=';
    struct str rest = str_of(value + inverted + exact), item;
    while (str_cut(&rest, ',', &item)) {
        const char *wanted = str_dup(grammar->arena, str_slice(item, 0, str_find(item, ':')));
        bool hit = exact ? strcmp(name, wanted) == 0 : strncmp(name, wanted, strlen(wanted)) == 0;
        if (hit && wanted[0])
            return !inverted;
    }
    return inverted;
}

struct verdict grammar_nccl_debug(const struct grammar *grammar, const char *name, const char *value)
{
    static const char *const words[] = {"VERSION", "WARN", "INFO", "ABORT", "TRACE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i], value) == 0)
            return i == 2 || i == 4 ? verdict_of(grammar, VALUE_DOUBTFUL,
                                                 "%s=%s writes many lines in every job: it belongs "
                                                 "into a debugging session",
                                                 name, value)
                                    : verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not one of VERSION, WARN, INFO, ABORT, TRACE: NCCL then says nothing at "
                      "all",
                      name, value);
}

/* The NCCL that is there must read the variable; tags such as 2.4.8-1 count without what follows the dash. */
static struct verdict in_version(const struct grammar *grammar, const char *name, const struct table *table, size_t row)
{
    struct release since, until;
    const char *first = table_cell(table, row, "since_nccl"), *last = table_cell(table, row, "until_nccl");
    struct str head = str_of(first), tail = str_of(last);
    if (grammar->nccl.major < 0)
        return last ? verdict_of(grammar, VALUE_DOUBTFUL, "%s is read by NCCL up to %s only", name, last)
                    : verdict_good();
    if (first && release_parse(str_slice(head, 0, str_find(head, '-')), &since)
        && release_cmp(grammar->nccl, since) < 0)
        return verdict_of(grammar, VALUE_DOUBTFUL, "%s is read from NCCL %s on, not by this one", name, first);
    if (last && release_parse(str_slice(tail, 0, str_find(tail, '-')), &until) && release_cmp(grammar->nccl, until) > 0)
        return verdict_of(grammar, VALUE_DOUBTFUL, "%s was last read by NCCL %s, not by this one", name, last);
    return verdict_good();
}

struct verdict grammar_nccl_any(const struct grammar *grammar, const char *name, const char *value)
{
    struct err err;
    const struct table *table = data_table(grammar->data, "nccl_env", &err);
    size_t row = table ? table_find(table, "variable", name) : 0;
    if (!table)
        return verdict_of(grammar, VALUE_DOUBTFUL, "the table nccl_env could not be read: %s", err.why);
    if (row == table->rows)
        return verdict_good();
    struct verdict verdict = in_version(grammar, name, table, row);
    const char *type = table_cell(table, row, "type");
    if (type && strcmp(type, "int64") == 0)
        verdict = verdict_worse(grammar_nccl_integer(grammar, name, value), verdict);
    if (strcmp(name, "NCCL_ALGO") == 0 || strcmp(name, "NCCL_PROTO") == 0)
        verdict = verdict_worse(verdict, verdict_of(grammar, VALUE_DOUBTFUL,
                                                    "%s is for debugging: since NCCL 2.24.3 a word "
                                                    "that is not known ends the job",
                                                    name));
    return verdict;
}
