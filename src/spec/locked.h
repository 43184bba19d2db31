/* What the readers of lock files share: one package, one build of it, for one platform. */
#ifndef CONDAGPU_SPEC_LOCKED_H
#define CONDAGPU_SPEC_LOCKED_H

#include "spec/building.h"
#include "spec/yaml_tree.h"

struct locked {
    enum manager manager;
    struct place place;
    const char *name, *version, *address; /* each may be NULL where another says it */
};

/* Adds the package as a dependency that names exactly it, with the text NAME=VERSION=BUILD or NAME==VERSION. */
bool locked_add(struct building *b, const struct locked *package);

/* What a lock file calls the machines that this program runs on: linux-64, linux-aarch64, … */
const char *locked_platform(void);

/* Letters, digits, "_", "-" and "." as names of packages have them. */
bool locked_is_name(const char *name);
struct place locked_place(const struct building *b, const struct node *node);
/* "a, b, c", at most as many as a line bears. */
const char *locked_list(struct arena *arena, const struct strv *list);

/* The text of a mapping's key; NULL for none, null and what is no text. */
const char *locked_text(const struct node *map, const char *key);

#endif
