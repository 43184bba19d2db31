/* Thread counts and placement: OpenMP, MKL, OpenBLAS, numexpr and their like. */
#include <stdlib.h>
#include <string.h>

#include "plan/grammar.h"

/* The strictest of the readers decides: LLVM's OpenMP aborts or hangs on signs and letters, numexpr on a list. */
struct verdict grammar_threads(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^[1-9][0-9]{0,4}$", value))
        return verdict_good();
    if (grammar_matches("^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4})+$", value))
        return verdict_of(grammar, VALUE_BAD,
                          "%s=%s is a list: OpenMP takes it, numexpr (so pandas) stops with a "
                          "ValueError at import",
                          name, value);
    if (strcmp(value, "0") == 0)
        return verdict_of(grammar, VALUE_BAD, "%s=0: libgomp ignores it, LLVM's OpenMP runs one thread", name);
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not a plain positive number below 100000: libgomp ignores it, LLVM's "
                      "OpenMP aborts, hangs or takes a random count",
                      name, value);
}

struct verdict grammar_proc_bind(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^(true|false|TRUE|FALSE|(close|spread|master|primary)(,(close|spread|master|primary))*)$",
                        value))
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not true, false, or a list of close, spread, master, primary: it is "
                      "ignored with a message in every process",
                      name, value);
}

struct verdict grammar_places(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^(threads|cores|sockets|ll_caches|numa_domains)(\\([1-9][0-9]*\\))?$", value)
        || value[0] == '{')
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not threads, cores, sockets or a list in braces: it is ignored with a "
                      "message in every process",
                      name, value);
}

struct verdict grammar_blocktime(const struct grammar *grammar, const char *name, const char *value)
{
    if (strcmp(value, "infinite") == 0 || grammar_is_number(str_of(value)))
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is neither a plain number of milliseconds nor infinite: it is ignored "
                      "with a warning",
                      name, value);
}
