/* What looks like a credential. */
#ifndef CONDAGPU_CHECK_SECRET_H
#define CONDAGPU_CHECK_SECRET_H

#include <stdbool.h>

#include "check/check.h"
#include "data/table.h"
#include "util/arena.h"
#include "util/str.h"

struct secret {
    size_t from, n;   /* where it stands in the text */
    const char *what; /* "a GitHub token" */
};

/* The first one at or behind `from`: a token by its prefix (rows of secret.tsv), the password of an address, the token in
 * an address of conda's. A reference such as ${TOKEN} is none. */
bool secret_find(const struct table *prefixes, struct str text, size_t from, struct secret *secret);
/* Whether a variable is by its name and value a credential: HF_TOKEN with more than a path or a word in it. */
bool secret_variable(const char *name, const char *value);
/* A copy with "***" in the place of each. */
char *secret_redact(struct arena *arena, const struct table *prefixes, struct str text);

void check_secrets(const struct check_input *input, struct result *result);

#endif
