/* PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF. torch's parser changed twice: generation A up to 1.13, B from 2.0 to
 * 2.9, C from 2.10 on; options and bounds are rows of data/alloc_conf.tsv. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/grammar.h"
#include "util/text.h"

enum generation { GENERATION_A, GENERATION_B, GENERATION_C };

enum fault {
    FAULT_NO_COLON,
    FAULT_SEPARATOR,
    FAULT_NO_VALUE,
    FAULT_EMPTY_ITEM,
    FAULT_TRAILING_COMMA,
    FAULT_BLANK,
    FAULT_KEY,
    FAULT_BOOLEAN,
    FAULT_SUFFIX,
    FAULT_NEGATIVE,
    FAULT_NO_NUMBER,
    FAULT_TOO_SMALL,
    FAULT_TWENTY,
    FAULT_TOO_LARGE,
    FAULT_STOI,
    FAULT_FRACTION,
    FAULT_POWER,
    FAULT_BRACKET,
    FAULT_WORD,
};

/* What each generation does about a fault; NULL stands for "takes it as meant". */
struct fault_row {
    const char *what;
    const char *outcome[3];
};

#define RUNTIME "a RuntimeError at the first CUDA allocation"
#define VALUE "a ValueError at the first CUDA allocation"
#define ASSERT "an internal assertion (RuntimeError) at the first CUDA allocation"
#define SKIPPED "it is skipped without a word"

static const struct fault_row fault_rows[] = {
    [FAULT_NO_COLON] = {"is not key:value", {SKIPPED, RUNTIME, VALUE}},
    [FAULT_SEPARATOR] = {"holds a character that separates nothing here (items are key:value, with commas between)",
                         {SKIPPED, RUNTIME, VALUE}},
    [FAULT_NO_VALUE] = {"has no value", {SKIPPED, RUNTIME, ASSERT}},
    [FAULT_EMPTY_ITEM] = {"holds an empty item", {"it may be skipped", RUNTIME, VALUE}},
    [FAULT_TRAILING_COMMA] = {"ends in a comma", {NULL, "it is dropped", "it is dropped"}},
    [FAULT_BLANK] = {"holds a blank", {"the words are read apart", "blanks are dropped", "blanks are dropped"}},
    [FAULT_KEY] = {"is not an option", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_BOOLEAN] = {"must be exactly True or False", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_SUFFIX] = {"has something behind the number", {"it is dropped", "it is dropped", "it is dropped"}},
    [FAULT_NEGATIVE] = {"is negative",
                        {"it is read as unlimited", "it is read as unlimited", "it is read as unlimited"}},
    [FAULT_NO_NUMBER] = {"is not a number", {"an error (stoi)", RUNTIME, VALUE}},
    [FAULT_TOO_SMALL] = {"is too small", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_TWENTY] = {"is too small (it must be above 20)", {RUNTIME, RUNTIME, NULL}},
    [FAULT_TOO_LARGE] = {"is too large", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_STOI] = {"is above 2147483647", {RUNTIME " (stoi)", RUNTIME " (stoi)", NULL}},
    [FAULT_FRACTION] = {"is out of range", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_POWER] = {"is not a power of two", {RUNTIME, RUNTIME, VALUE}},
    [FAULT_BRACKET] = {"has a bracket that is not closed", {RUNTIME, "undefined behaviour", ASSERT}},
    [FAULT_WORD] = {"is not one of its values", {RUNTIME, RUNTIME, VALUE}},
};

struct reading {
    const struct grammar *grammar;
    const struct table *table;
    const char *name;
    enum generation generation;
    struct verdict verdict;
};

static enum generation generation_of(struct release torch)
{
    if (torch.major < 0)
        return GENERATION_B; /* not known: the strictest */
    if (torch.major < 2)
        return GENERATION_A;
    return release_cmp(torch, (struct release){2, 10, -1}) < 0 ? GENERATION_B : GENERATION_C;
}

static const char *torch_text(const struct grammar *grammar)
{
    return grammar->torch.major < 0
               ? "torch"
               : arena_printf(grammar->arena, "torch %s", release_text(grammar->arena, grammar->torch));
}

static void add(struct reading *reading, struct verdict verdict)
{
    reading->verdict = verdict_worse(reading->verdict, verdict);
}

/* A fault that this generation takes as meant, or nearly (`mild`), is a doubt: other releases refuse it. */
static void report(struct reading *reading, enum fault fault, struct str where)
{
    const struct fault_row *row = &fault_rows[fault];
    const char *outcome = row->outcome[reading->generation];
    bool mild = !outcome || fault == FAULT_TRAILING_COMMA || fault == FAULT_BLANK;
    add(reading, verdict_of(reading->grammar, mild ? VALUE_DOUBTFUL : VALUE_BAD, "%s: \"%.*s\" %s; with %s: %s",
                            reading->name, (int)where.n, where.s, row->what, torch_text(reading->grammar),
                            outcome ? outcome : "taken, but other releases refuse it"));
}

/* ROCm's spellings of two options. */
static const struct {
    const char *name, *same_as;
} aliases[] = {
    {"release_lock_on_hipmalloc", "release_lock_on_cudamalloc"},
    {"pinned_use_hip_host_register", "pinned_use_cuda_host_register"},
};

static size_t find_option(const struct reading *reading, struct str key)
{
    const char *name = str_dup(reading->grammar->arena, key);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0)
            name = aliases[i].same_as;
    return table_find(reading->table, "option", name);
}

static void unknown_option(struct reading *reading, struct str key)
{
    struct strv names = {0};
    struct arena *arena = reading->grammar->arena;
    for (size_t i = 0; i < reading->table->rows; i++)
        strv_add(arena, &names, table_cell(reading->table, i, "option"));
    strv_add(arena, &names, NULL);
    const char *nearest = text_nearest(str_dup(arena, key), names.v);
    if (!nearest) {
        report(reading, FAULT_KEY, key);
        return;
    }
    add(reading, verdict_of(reading->grammar, VALUE_BAD, "%s: \"%.*s\" is not an option (%s is meant?); with %s: %s",
                            reading->name, (int)key.n, key.s, nearest, torch_text(reading->grammar),
                            fault_rows[FAULT_KEY].outcome[reading->generation]));
}

/* Whether this torch has the option: rows say since which release, and until which. */
static bool in_release(struct reading *reading, size_t row)
{
    struct release since, until, torch = reading->grammar->torch;
    const char *option = table_cell(reading->table, row, "option"),
               *first = table_cell(reading->table, row, "since_torch");
    const char *last = table_cell(reading->table, row, "until");
    struct release minor = {torch.major, torch.minor, -1};
    if (torch.major < 0)
        return true;
    if (first && release_parse(str_of(first), &since) && release_cmp(minor, since) < 0) {
        add(reading,
            verdict_of(reading->grammar, VALUE_BAD, "%s: %s is an option from torch %s on; %s does not know it: %s",
                       reading->name, option, first, torch_text(reading->grammar),
                       fault_rows[FAULT_KEY].outcome[reading->generation]));
        return false;
    }
    if (last && release_parse(str_of(last), &until) && release_cmp(minor, until) > 0) {
        add(reading,
            verdict_of(reading->grammar, VALUE_BAD, "%s: %s was an option up to torch %s; %s does not know it: %s",
                       reading->name, option, last, torch_text(reading->grammar),
                       fault_rows[FAULT_KEY].outcome[reading->generation]));
        return false;
    }
    return true;
}

static double number_of(struct str text)
{
    char buffer[32];
    if (text.n == 0 || text.n >= sizeof buffer)
        return (double)NAN;
    memcpy(buffer, text.s, text.n);
    buffer[text.n] = '\0';
    return strtod(buffer, NULL);
}

static bool starts_with_digit(struct str text)
{
    return text.n && text.s[0] >= '0' && text.s[0] <= '9';
}

static bool is_power_of_two(struct str text)
{
    double number = number_of(text);
    int exponent;
    return grammar_is_number(text) && number >= 1 && number <= 2147483648.0 && frexp(number, &exponent) == 0.5;
}

/* MiB and counts: the reader takes a prefix of digits, so "128MB" and "-1" pass it without the effect that was meant.
 */
static void check_integer(struct reading *reading, size_t row, struct str item, struct str value)
{
    const char *least = table_cell(reading->table, row, "min");
    double number = number_of(value), floor = least ? strtod(least, NULL) : 0;
    if (str_starts(value, "-"))
        report(reading, FAULT_NEGATIVE, item);
    else if (!starts_with_digit(value))
        report(reading, FAULT_NO_NUMBER, item);
    else if (!grammar_is_number(value))
        report(reading, FAULT_SUFFIX, item);
    else if (number < floor)
        report(reading, number == 20 && floor == 21 ? FAULT_TWENTY : FAULT_TOO_SMALL, item);
    else if (!(number <= 2147483647.0))
        report(reading, FAULT_STOI, item);
}

static void check_float(struct reading *reading, size_t row, struct str item, struct str value)
{
    const char *least = table_cell(reading->table, row, "min"), *most = table_cell(reading->table, row, "max");
    const char *text = str_dup(reading->grammar->arena, value);
    if (!grammar_matches("^[0-9]*\\.?[0-9]+$", text)) {
        report(reading, FAULT_FRACTION, item);
        return;
    }
    double number = strtod(text, NULL), low = strtod(least + (least[0] == '('), NULL), high = strtod(most, NULL);
    bool above = least[0] == '(' ? number > low : number >= low;
    bool below = strchr(most, ')') ? number < high : number <= high;
    if (!above || !below)
        report(reading, FAULT_FRACTION, item);
}

/* [256:1,512:2,>:8]: keys are MiB in powers of two or ">", values 0 or powers of two. */
static void check_power_list(struct reading *reading, struct str item, struct str value)
{
    if (!str_ends(value, "]")) {
        report(reading, FAULT_BRACKET, item);
        return;
    }
    struct str rest = str_slice(value, 1, value.n - 1), part;
    if (reading->generation == GENERATION_A)
        add(reading,
            verdict_of(reading->grammar, VALUE_BAD, "%s: \"%.*s\" is a list, which torch reads from 2.0 on only",
                       reading->name, (int)item.n, item.s));
    while (str_cut(&rest, ',', &part)) {
        size_t colon = str_find(part, ':');
        struct str key = str_slice(part, 0, colon), power = str_slice(part, colon + 1, part.n);
        bool key_holds = str_eq_c(key, ">") || is_power_of_two(key);
        if (!key_holds || !(str_eq_c(power, "0") || is_power_of_two(power)))
            report(reading, FAULT_POWER, part.n ? part : item);
    }
}

static void check_power(struct reading *reading, size_t row, struct str item, struct str value)
{
    const char *most = table_cell(reading->table, row, "max");
    bool bounded = most && most[0] != '2';
    if (str_starts(value, "["))
        check_power_list(reading, item, value);
    else if (!is_power_of_two(value))
        report(reading, FAULT_POWER, item);
    else if (bounded && number_of(value) > strtod(most, NULL))
        report(reading, FAULT_TOO_LARGE, item);
}

/* Bad values of 2.14's reserve options cost a warning only. */
static void check_reserve(struct reading *reading, struct str item, struct str value)
{
    const char *text = str_dup(reading->grammar->arena, value);
    if (!grammar_matches("^[0-9]*\\.?[0-9]+G?$|^\\[[^]:,]+:[^]:,]+(,[^]:,]+:[^]:,]+)*\\]$", text))
        add(reading, verdict_of(reading->grammar, VALUE_DOUBTFUL, "%s: \"%.*s\": torch warns and ignores it",
                                reading->name, (int)item.n, item.s));
}

static void check_word(struct reading *reading, size_t row, struct str item, struct str value)
{
    if (!str_eq_c(value, table_cell(reading->table, row, "min"))
        && !str_eq_c(value, table_cell(reading->table, row, "max")) && !str_eq_c(value, "hipMallocAsync"))
        report(reading, FAULT_WORD, item);
}

static void check_value(struct reading *reading, size_t row, struct str item, struct str value)
{
    struct str type = str_of(table_cell(reading->table, row, "type"));
    if (value.n == 0)
        report(reading, FAULT_NO_VALUE, item);
    else if (str_starts(type, "bool") && !str_eq_c(value, "True") && !str_eq_c(value, "False"))
        report(reading, FAULT_BOOLEAN, item);
    else if (str_starts(type, "uint pow2"))
        check_power(reading, row, item, value);
    else if (str_starts(type, "uint"))
        check_integer(reading, row, item, value);
    else if (str_starts(type, "float"))
        check_float(reading, row, item, value);
    else if (str_starts(type, "enum"))
        check_word(reading, row, item, value);
    else if (str_starts(type, "fraction") || str_starts(type, "list"))
        check_reserve(reading, item, value);
}

static bool holds_any(struct str text, const char *characters)
{
    for (size_t i = 0; i < text.n; i++)
        if (strchr(characters, text.s[i]))
            return true;
    return false;
}

static void check_item(struct reading *reading, struct str item)
{
    size_t colon = str_find(item, ':');
    struct str key = str_slice(item, 0, colon), value = str_slice(item, colon + 1, item.n);
    if (item.n == 0)
        report(reading, FAULT_EMPTY_ITEM, STR(","));
    else if (holds_any(item, "=;'\"") || holds_any(key, " \t"))
        report(reading, FAULT_SEPARATOR, item);
    else if (holds_any(value, " \t"))
        report(reading, FAULT_SEPARATOR, item);
    else if (find_option(reading, key) == reading->table->rows && colon < item.n)
        unknown_option(reading, key);
    else if (colon == item.n)
        report(reading, find_option(reading, key) < reading->table->rows ? FAULT_NO_VALUE : FAULT_NO_COLON, item);
    else if (in_release(reading, find_option(reading, key)))
        check_value(reading, find_option(reading, key), item, value);
}

/* Cuts at the next comma outside brackets. */
static bool next_item(struct str *rest, struct str *item)
{
    size_t depth = 0, i = 0;
    if (rest->n == 0)
        return false;
    for (; i < rest->n && (rest->s[i] != ',' || depth); i++)
        depth += rest->s[i] == '[' ? 1 : rest->s[i] == ']' && depth ? (size_t)-1 : 0;
    *item = str_slice(*rest, 0, i);
    *rest = str_slice(*rest, i < rest->n ? i + 1 : i, rest->n);
    return true;
}

/* Two options that do not go together. `other` NULL: any option besides the first. */
static void check_pairs(struct reading *reading, const char *value)
{
    bool expandable = strstr(value, "expandable_segments:True"), split = strstr(value, "max_split_size_mb:");
    bool collection = strstr(value, "garbage_collection_threshold:"), async = strstr(value, "backend:cudaMallocAsync");
    struct release torch = reading->grammar->torch;
    if (async && strchr(value, ','))
        add(reading, verdict_of(reading->grammar, VALUE_DOUBTFUL,
                                "%s: backend:cudaMallocAsync ignores the other options", reading->name));
    if (expandable && (split || collection) && torch.major >= 0 && release_cmp(torch, (struct release){2, 5, -1}) < 0)
        add(reading,
            verdict_of(reading->grammar, VALUE_DOUBTFUL,
                       "%s: before torch 2.5, expandable_segments together with "
                       "max_split_size_mb or garbage_collection_threshold can fail an assertion near the end of memory",
                       reading->name));
    if (grammar_matches("roundup_power2_divisions:(1(,|$)|\\[>:1\\])", value))
        add(reading, verdict_of(reading->grammar, VALUE_DOUBTFUL, "%s: roundup_power2_divisions of 1 has no effect",
                                reading->name));
    if (strstr(value, "pinned_num_register_threads:") && !strstr(value, "host_register:True"))
        add(reading, verdict_of(reading->grammar, VALUE_DOUBTFUL,
                                "%s: pinned_num_register_threads acts only together with "
                                "pinned_use_cuda_host_register:True",
                                reading->name));
}

/* 2.9 and earlier read the CUDA allocator's options from the older name only. */
static void check_name(struct reading *reading)
{
    struct release torch = reading->grammar->torch;
    if (strcmp(reading->name, "PYTORCH_ALLOC_CONF") == 0 && torch.major >= 0 && reading->generation != GENERATION_C)
        add(reading, verdict_of(reading->grammar, VALUE_BAD,
                                "PYTORCH_ALLOC_CONF is silently ignored by %s: it counts for CUDA "
                                "from 2.10 on; PYTORCH_CUDA_ALLOC_CONF works in every release",
                                torch_text(reading->grammar)));
}

struct verdict grammar_alloc_conf(const struct grammar *grammar, const char *name, const char *value)
{
    struct err err;
    struct reading reading = {.grammar = grammar, .name = name, .generation = generation_of(grammar->torch)};
    reading.table = data_table(grammar->data, "alloc_conf", &err);
    if (!reading.table)
        return verdict_of(grammar, VALUE_DOUBTFUL, "the table alloc_conf could not be read: %s", err.why);
    if (value[0] == '\0')
        return verdict_of(grammar, VALUE_BAD, "%s is empty, which is not the same as unset: unset it instead", name);
    struct str rest = str_of(value), item;
    check_name(&reading);
    if (str_ends(rest, ","))
        report(&reading, FAULT_TRAILING_COMMA, rest);
    while (next_item(&rest, &item)) {
        if (item.n && item.s[0] == ' ' && item.s != value)
            report(&reading, FAULT_BLANK, item);
        check_item(&reading, item.s == value ? item : str_trim(item));
    }
    check_pairs(&reading, value);
    return reading.verdict;
}
