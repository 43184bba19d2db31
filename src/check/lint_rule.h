/* What the rules of lint share; for src/check/lint*.c alone. */
#ifndef CONDAGPU_CHECK_LINT_RULE_H
#define CONDAGPU_CHECK_LINT_RULE_H

#include "check/lint.h"

struct linting {
    struct arena *arena;
    const struct spec *spec;
    const struct table *published, *builds, *compile, *torch, *packages, *secrets;
    struct results *results;
};

/* One more finding: its place is the dependency. The message gets one line; `mend` may be NULL. */
struct result *lint_dep(struct linting *l, const char *id, enum status status, const struct dep *dep, const char *mend,
                        const char *format, ...) __attribute__((format(printf, 6, 7)));
struct result *lint_at(struct linting *l, const char *id, enum status status, struct evidence place, const char *mend,
                       const char *format, ...) __attribute__((format(printf, 6, 7)));
/* What the finding concerns besides. */
void lint_also(struct linting *l, struct result *result, const struct dep *dep);

/* The first dependency of this name that counts, or NULL. */
const struct dep *lint_dep_named(const struct linting *l, enum manager manager, const char *name);
/* The channel's own name: "conda-forge" for its address, "defaults" for what stands behind that name. */
struct str lint_channel(const char *channel);
/* Whether the file, or `dep` itself (may be NULL), leaves channels out or names one, so that no setting of the user can
 * add another. */
bool lint_channels_closed(const struct linting *l, const struct dep *dep);
/* Whether no version that `dep` admits lies outside `area`, a constraint of its manager. */
bool lint_within(struct arena *arena, const struct dep *dep, const char *area);
/* The first pip option that begins with one of these (NULL-terminated), or NULL. */
const struct dep *lint_pip_option(const struct linting *l, const char *const *names);

void lint_published(struct linting *l);
void lint_torch(struct linting *l);
void lint_text(struct linting *l);

#endif
