/* What differs from shell to shell beside the templates: how a word is quoted. */
#include "render/render.h"

#include <ctype.h>
#include <string.h>

static const char prefix_name[] = "$CONDA_PREFIX";

/* Whether $CONDA_PREFIX, the whole name, stands at `at`. */
static bool is_prefix(struct str value, size_t at)
{
    size_t length = sizeof prefix_name - 1;
    if (value.n - at < length || memcmp(value.s + at, prefix_name, length) != 0)
        return false;
    if (value.n - at == length)
        return true;
    unsigned char next = (unsigned char)value.s[at + length];
    return !isalnum(next) && next != '_';
}

/* How a word in double quotes is written: the text of $CONDA_PREFIX, and what stands for each special byte. */
struct quoting {
    const char *prefix;
    const char *special;     /* the bytes that need more than the double quotes */
    const char *replacement; /* printf format of one such byte */
};

static void quote_with(struct text *text, struct str value, const struct quoting *quoting)
{
    text_add(text, "\"");
    for (size_t i = 0; i < value.n; i++) {
        if (is_prefix(value, i)) {
            text_add(text, "%s", quoting->prefix);
            i += sizeof prefix_name - 2;
        } else if (value.s[i] && strchr(quoting->special, value.s[i])) {
            text_add(text, quoting->replacement, value.s[i]);
        } else {
            text_bytes(text, value.s + i, 1);
        }
    }
    text_add(text, "\"");
}

/* POSIX 2.2.3: in double quotes a backslash keeps its meaning before these four only. */
static void quote_sh(struct text *text, struct str value)
{
    static const struct quoting sh = {"${CONDA_PREFIX}", "\"\\$`", "\\%c"};
    quote_with(text, value, &sh);
}

/* The quotes are closed around the variable, so that a bracket behind it is no index. */
static void quote_fish(struct text *text, struct str value)
{
    static const struct quoting fish = {"\"\"$CONDA_PREFIX\"\"", "\"\\$", "\\%c"};
    quote_with(text, value, &fish);
}

/* Neither quote can be escaped inside itself, and only a backslash stops the history's exclamation mark, so each
 * special byte stands escaped between two quoted parts. */
static void quote_csh(struct text *text, struct str value)
{
    static const struct quoting csh = {"${CONDA_PREFIX}", "\"\\$`!", "\"\\%c\""};
    quote_with(text, value, &csh);
}

const struct shell shells[] = {
    {"sh", ".sh", quote_sh},
    {"fish", ".fish", quote_fish},
    {"csh", ".csh", quote_csh},
    {NULL, NULL, NULL},
};

const struct shell *shell_find(const char *name)
{
    for (const struct shell *shell = shells; shell->name; shell++)
        if (strcmp(shell->name, name) == 0)
            return shell;
    return NULL;
}
