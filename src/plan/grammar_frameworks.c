/* The allocators of the C library, JAX and CuPy. */
#include <stdlib.h>
#include <string.h>

#include "plan/grammar.h"

/* jemalloc's src/conf.c: pairs k:v with commas; booleans are true and false only. */
struct verdict grammar_malloc_conf(const struct grammar *grammar, const char *name, const char *value)
{
    static const char *const booleans[] = {
        "background_thread", "abort_conf", "abort", "confirm_conf", "cache_oblivious", "retain",
        "stats_print",       "tcache",     "prof",  "xmalloc"};
    struct str rest = str_of(value), pair;
    while (str_cut(&rest, ',', &pair)) {
        size_t colon = str_find(pair, ':');
        struct str key = str_slice(pair, 0, colon), part = str_slice(pair, colon + 1, pair.n);
        if (key.n == 0 || part.n == 0 || str_find(key, '=') < key.n)
            return verdict_of(grammar, VALUE_BAD,
                              "%s=%s is not a comma list of key:value: jemalloc complains in every "
                              "process and ignores it",
                              name, value);
        for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++)
            if (str_eq_c(key, booleans[i]) && !str_eq_c(part, "true") && !str_eq_c(part, "false"))
                return verdict_of(grammar, VALUE_BAD,
                                  "%s: %.*s is true or false for jemalloc, which complains in every "
                                  "process and ignores %.*s",
                                  name, (int)key.n, key.s, (int)part.n, part.s);
    }
    return verdict_good();
}

/* glibc's elf/dl-tunables.c: name=value pairs with colons; a malformed one costs a warning per process from 2.39 on. */
struct verdict grammar_glibc_tunables(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^glibc(\\.[a-z0-9_]+)+=[^:=]+(:glibc(\\.[a-z0-9_]+)+=[^:=]+)*$", value))
        return verdict_good();
    bool old = grammar->glibc.major >= 0 && release_cmp(grammar->glibc, (struct release){2, 39, -1}) < 0;
    return verdict_of(grammar, old ? VALUE_DOUBTFUL : VALUE_BAD, "%s=%s is not a colon list of glibc.…=value: glibc %s",
                      name, value, old ? "before 2.39 ignores it silently" : "2.39 and later warn in every process");
}

/* jaxlib/xla_client.py lowers the word before it looks. */
struct verdict grammar_xla_allocator(const struct grammar *grammar, const char *name, const char *value)
{
    const char *word = str_lower(grammar->arena, str_of(value));
    if (grammar_matches("^(default|platform|bfc|cuda_async|vmm|address)$", word))
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is not one of default, platform, bfc, cuda_async, vmm, address: JAX stops "
                      "with a ValueError",
                      name, value);
}

struct verdict grammar_fraction(const struct grammar *grammar, const char *name, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (grammar_matches("^[0-9]*\\.?[0-9]+$", value) && *end == '\0' && number > 0 && number <= 1)
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD, "%s=%s is not a fraction above 0 and up to 1", name, value);
}

struct verdict grammar_cupy_limit(const struct grammar *grammar, const char *name, const char *value)
{
    if (grammar_matches("^[0-9]+$|^[0-9]+(\\.[0-9]+)?%$", value))
        return verdict_good();
    return verdict_of(grammar, VALUE_BAD,
                      "%s=%s is neither a number of bytes nor a percentage: CuPy stops with a ValueError "
                      "at first use",
                      name, value);
}
