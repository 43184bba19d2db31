#include "plan/value.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "plan/grammar.h"
#include "util/str.h"

/* Whole words of a name: TOKEN, not TOKENIZERS. */
static const char *const words[] = {"TOKEN",      "SECRET",     "PASSWORD",    "PASSWD",
                                    "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"};
static const char *const key_owners[] = {"API", "ACCESS", "PRIVATE", "SECRET", "AUTH", "ACCOUNT", "SSH", "SIGNING"};

/* How well-known services begin or build their credentials. */
static const struct {
    const char *expression, *what;
} shapes[] = {
    {"^gh[pousr]_[A-Za-z0-9]{20,}|^github_pat_", "a GitHub token"},
    {"^glpat-", "a GitLab token"},
    {"^hf_[A-Za-z0-9]{20,}", "a Hugging Face token"},
    {"^sk-[A-Za-z0-9_-]{20,}", "an API key"},
    {"^A(KI|SI)A[A-Z0-9]{16}$", "an AWS access key"},
    {"^xox[abprs]-", "a Slack token"},
    {"^pypi-[A-Za-z0-9_-]{20,}", "a PyPI token"},
    {"^eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.", "a JSON web token"},
    {"-----BEGIN ", "a key block"},
    {"^[a-z][a-z0-9+.-]*://[^/@:]+:[^/@]+@", "a URL with a password"},
};

static bool is_one_of(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word.n == strlen(list[i]) && strncasecmp(word.s, list[i], word.n) == 0)
            return true;
    return false;
}

const char *secret_reason(struct arena *arena, const char *name, const char *value)
{
    struct str rest = str_of(name), word, before = {NULL, 0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (grammar_matches(shapes[i].expression, value))
            return arena_printf(arena, "the value looks like %s", shapes[i].what);
    for (; str_cut(&rest, '_', &word); before = word) {
        bool is_key = word.n == 3 && strncasecmp(word.s, "KEY", 3) == 0
                      && is_one_of(before, key_owners, sizeof key_owners / sizeof *key_owners);
        if (is_key || is_one_of(word, words, sizeof words / sizeof *words))
            return arena_printf(arena, "the name holds \"%.*s\"", (int)word.n, word.s);
    }
    return NULL;
}

/* The length of the word $CONDA_PREFIX at `s`; 0 when it does not stand there or goes on. */
static size_t prefix_word(const char *s)
{
    static const char word[] = "$CONDA_PREFIX";
    size_t length = sizeof word - 1;
    bool stands = strncmp(s, word, length) == 0 && !isalnum((unsigned char)s[length]) && s[length] != '_';
    return stands ? length : 0;
}

const char *value_problem(struct arena *arena, const char *value)
{
    static const struct {
        char character;
        const char *name;
    } forbidden[] = {
        {'$', "a dollar"},     {'"', "a double quote"},      {'\'', "a single quote"}, {'`', "a backquote"},
        {'\\', "a backslash"}, {'!', "an exclamation mark"}, {'\n', "a newline"},
    };
    for (const char *s = value; *s; s++) {
        size_t word = prefix_word(s);
        for (size_t i = 0; !word && i < sizeof forbidden / sizeof *forbidden; i++)
            if (*s == forbidden[i].character)
                return arena_printf(arena, "it holds %s, which some shell would expand or mangle", forbidden[i].name);
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return "it holds a control character";
        s += word ? word - 1 : 0;
    }
    return NULL;
}
