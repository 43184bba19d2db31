/* What the text of the file shows beside its dependencies: comments, variables, credentials. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "check/lint_rule.h"
#include "check/secret.h"
#include "spec/decode.h"

static struct evidence at_offset(const struct linting *l, size_t offset, const char *text)
{
    struct evidence place = {.text = text, .file = l->spec->file};
    decode_place(l->spec->content, offset, &place.line, &place.column);
    return place;
}

/* "cuda 12.1", "cudatoolkit=11.3", "CUDA-11.8", "cu121": offset and length in the comment, or n 0. */
static struct str cuda_in(struct str comment)
{
    for (size_t at = 0; at + 4 < comment.n; at++) {
        const char *s = comment.s + at;
        size_t n = strncasecmp(s, "cudatoolkit", comment.n - at < 11 ? comment.n - at : 11) == 0 ? 11
            : strncasecmp(s, "cuda", 4) == 0                                                     ? 4
                                                                                                 : 0;
        size_t end = at + n;
        while (n && end < comment.n && strchr(" =-:v<>~", comment.s[end]))
            end++;
        size_t digits = end;
        while (digits < comment.n && (isdigit((unsigned char)comment.s[digits]) || comment.s[digits] == '.'))
            digits++;
        struct str number = str_slice(comment, end, digits);
        if (n && str_find(number, '.') < number.n && isdigit((unsigned char)number.s[0]))
            return str_slice(comment, at, digits - str_ends(number, "."));
    }
    return (struct str){NULL, 0};
}

/* The comment of a line: behind a # at its start or behind a blank. */
static struct str comment_of(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] == '#' && (i == 0 || line.s[i - 1] == ' ' || line.s[i - 1] == '\t'))
            return str_slice(line, i, line.n);
    return (struct str){NULL, 0};
}

static void look_at_comments(struct linting *l)
{
    struct str rest = l->spec->content, line;
    if (l->spec->pins.n)
        return;
    while (str_cut(&rest, '\n', &line)) {
        struct str found = cuda_in(comment_of(line));
        if (!found.n)
            continue;
        const char *text = str_dup(l->arena, found);
        lint_at(l, "comment-only", STATUS_WARN, at_offset(l, (size_t)(found.s - l->spec->content.s), text),
                "add \"- cuda-version=X.Y\" to the dependencies",
                "\"%s\" stands in a comment only, and no dependency pins CUDA", text);
        return;
    }
}

/* "- pytorch torchvision cudatoolkit=11.3": a word that begins with a letter is no version. */
static void look_at_words(struct linting *l)
{
    for (size_t i = 0; i < l->spec->deps.n; i++) {
        const struct dep *dep = &l->spec->deps.v[i];
        size_t blank = strcspn(dep->text, " \t");
        const char *second = dep->text + blank + strspn(dep->text + blank, " \t");
        if (dep->manager != MANAGER_CONDA || !blank || strchr(dep->text, '[') || !isalpha((unsigned char)*second))
            continue;
        lint_dep(l, "several-specs", STATUS_FAIL, dep, "give each package an item of its own",
                 "\"%s\" is one dependency: conda takes \"%s\" for the version of %.*s", dep->text, second, (int)blank,
                 dep->text);
    }
}

static bool needs_expansion(const char *value)
{
    const char *dollar = strchr(value, '$');
    return strncmp(value, "~/", 2) == 0
        || (dollar && (isalpha((unsigned char)dollar[1]) || (dollar[1] && strchr("_{(", dollar[1]))));
}

static void look_at_variables(struct linting *l)
{
    for (size_t i = 0; i < l->spec->variables.n; i++) {
        const struct variable *variable = &l->spec->variables.v[i];
        struct evidence place = {variable->name, l->spec->file, variable->line, variable->column};
        const char *value = variable->value ? variable->value : "";
        if (secret_variable(variable->name, variable->value))
            lint_at(l, "secret", STATUS_WARN, place, "set it where the job runs, from the CI's or the cluster's secrets",
                    "the value of %s looks like a credential", variable->name);
        else if (needs_expansion(value))
            lint_at(l, "literal-variable", STATUS_WARN, place, "write the value out",
                    "conda does not expand \"%s\": %s is set to these very characters", value, variable->name);
    }
}

/* The message never holds the secret. */
static void look_for_secrets(struct linting *l)
{
    struct str rest = l->spec->content, line;
    struct secret secret;
    for (unsigned number = 1; str_cut(&rest, '\n', &line); number++)
        for (size_t at = 0; secret_find(l->secrets, line, at, &secret); at = secret.from + secret.n) {
            struct evidence place = {.text = "", .file = l->spec->file, .line = number};
            unsigned first;
            decode_place(line, secret.from, &first, &place.column);
            lint_at(l, "secret", STATUS_WARN, place, "revoke it if this file was ever shared", "this looks like %s",
                    secret.what);
        }
}

void lint_text(struct linting *l)
{
    look_at_comments(l);
    look_at_words(l);
    look_at_variables(l);
    look_for_secrets(l);
}
