#include "check/secret.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static bool is_token_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t token_length(struct str text, size_t from)
{
    size_t n = 0;
    while (from + n < text.n && is_token_char(text.s[from + n]))
        n++;
    return n;
}

static bool find_token(const struct table *prefixes, struct str text, size_t at, struct secret *secret)
{
    for (size_t row = 0; row < prefixes->rows; row++) {
        const char *prefix = table_cell(prefixes, row, "prefix");
        size_t n = strlen(prefix);
        if (!str_starts(str_slice(text, at, text.n), prefix)
            || token_length(text, at + n) < strtoul(table_cell(prefixes, row, "least"), NULL, 10))
            continue;
        *secret = (struct secret){at, n + token_length(text, at + n), table_cell(prefixes, row, "what")};
        return true;
    }
    return false;
}

/* ${X}, $X, {{ x }}, <token> and %X% stand for a secret and are none. */
static bool is_reference(struct str value)
{
    return value.n == 0 || memchr("$<{%*", value.s[0], 5);
}

/* The password in scheme://user:password@host. */
static bool find_password(struct str text, size_t at, struct secret *secret)
{
    struct str rest = str_slice(text, at, text.n);
    if (!str_starts(rest, "://"))
        return false;
    size_t end = 3;
    while (end < rest.n && !isspace((unsigned char)rest.s[end]) && rest.s[end] != '/' && rest.s[end] != '@')
        end++;
    struct str user = str_slice(rest, 3, end);
    size_t colon = str_find(user, ':');
    if (end == rest.n || rest.s[end] != '@' || colon == user.n || is_reference(str_slice(user, colon + 1, user.n)))
        return false;
    *secret = (struct secret){at + 3 + colon + 1, user.n - colon - 1, "a password"};
    return true;
}

/* https://host/t/TOKEN/channel, as conda takes it. */
static bool find_conda_token(struct str text, size_t at, struct secret *secret)
{
    static const size_t least = 8;
    if (!str_starts(str_slice(text, at, text.n), "/t/") || !memchr(text.s, ':', at))
        return false;
    size_t n = token_length(text, at + 3);
    if (n < least || at + 3 + n == text.n || text.s[at + 3 + n] != '/')
        return false;
    *secret = (struct secret){at + 3, n, "a channel's token"};
    return true;
}

/* Whole files are searched, so each character first has to be one that may begin something. */
bool secret_find(const struct table *prefixes, struct str text, size_t from, struct secret *secret)
{
    bool begins[256] = {[':'] = true, ['/'] = true};
    for (size_t row = 0; row < prefixes->rows; row++)
        begins[(unsigned char)table_cell(prefixes, row, "prefix")[0]] = true;
    for (size_t at = from; at < text.n; at++) {
        char c = text.s[at];
        if (!begins[(unsigned char)c])
            continue;
        if (c == ':' ? find_password(text, at, secret)
            : c == '/' ? find_conda_token(text, at, secret)
                       : (at == 0 || !is_token_char(text.s[at - 1])) && find_token(prefixes, text, at, secret))
            return true;
    }
    return false;
}

static bool is_one_of(struct str word, const char *const *words)
{
    while (*words && !str_eq_c(word, *words))
        words++;
    return *words != NULL;
}

bool secret_variable(const char *name, const char *value)
{
    static const char *const secrets[] = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "CREDENTIALS", NULL};
    static const char *const keys[] = {"API", "ACCESS", "SECRET", "PRIVATE", NULL}; /* in front of KEY */
    static const char *const others[] = {"PATH", "FILE", "DIR", "URL", "ID", "TIMEOUT", "NAME", NULL};
    static const size_t least = 8;
    struct str rest = str_of(name), word = {"", 0}, before = {"", 0};
    bool found = false;
    if (!value || strlen(value) < least || is_reference(str_of(value)) || value[0] == '/' || value[0] == '~')
        return false;
    while (str_cut(&rest, '_', &word)) {
        found = found || is_one_of(word, secrets) || (str_eq_c(word, "KEY") && is_one_of(before, keys));
        before = word;
    }
    return found && !is_one_of(word, others);
}

char *secret_redact(struct arena *arena, const struct table *prefixes, struct str text)
{
    struct text out = {.arena = arena};
    struct secret secret;
    size_t at = 0;
    text_bytes(&out, "", 0);
    while (secret_find(prefixes, text, at, &secret)) {
        text_bytes(&out, text.s + at, secret.from - at);
        text_add(&out, "***");
        at = secret.from + secret.n;
    }
    text_bytes(&out, text.s + at, text.n - at);
    return out.s;
}

/* Hooks are readable to all who may read the environment; ours hold only what condagpu.yml or a template put there. */
static void look_at_hooks(const struct check_input *input, struct result *result, const struct table *prefixes)
{
    struct secret secret;
    for (size_t i = 0; i < input->hook_count; i++) {
        const struct hook_file *hook = &input->hooks[i];
        if (!hook->present || !secret_find(prefixes, hook->actual, 0, &secret))
            continue;
        unsigned line = 1;
        for (size_t at = 0; at < secret.from; at++)
            line += hook->actual.s[at] == '\n';
        check_fail(input, result, "%s holds %s", hook->relative, secret.what);
        check_evidence(input, result, hook->path, line, 0, "%s", secret.what);
    }
}

static void look_at_variable(const struct check_input *input, struct result *result, const struct table *prefixes,
                             struct variable variable, const char *file)
{
    struct secret secret;
    bool token = secret_find(prefixes, str_of(variable.value), 0, &secret);
    if (!token && !secret_variable(variable.name, variable.value))
        return;
    check_warn(input, result, "the value of %s looks like a credential", variable.name);
    check_evidence(input, result, file, variable.line, variable.column, "%s: %s", variable.name,
                   token ? secret.what : "by its name");
}

void check_secrets(const struct check_input *input, struct result *result)
{
    const struct facts *facts = input->facts;
    struct env_vars stored = {0};
    struct err err = {0};
    const struct table *prefixes = data_table(facts->data, "secret", &err);
    if (!prefixes || !inventory_env_vars(input->arena, facts->inventory, &stored, &err)) {
        check_skip(input, result, "%s: %s", err.file, err.why);
        return;
    }
    look_at_hooks(input, result, prefixes);
    for (size_t i = 0; facts->spec && i < facts->spec->variables.n; i++)
        look_at_variable(input, result, prefixes, facts->spec->variables.v[i], facts->spec->file);
    for (size_t i = 0; i < stored.n; i++)
        look_at_variable(input, result, prefixes, (struct variable){stored.v[i].name, stored.v[i].value, 0, 0},
                         stored.v[i].file);
    check_pass(input, result, "no hook and no variable of the environment holds what looks like a credential");
    if (result->status != STATUS_PASS)
        check_fix(input, result, "revoke it if the environment was ever shared, and set it where the job runs");
}
