/* Python versions as PEP 440 orders and matches them. Numbers of any length; nothing overflows. */
#ifndef CONDAGPU_SPEC_PEP440_H
#define CONDAGPU_SPEC_PEP440_H

#include <stdbool.h>

#include "util/str.h"

/* One version in its parts; the views lie in the text that was parsed. */
struct pep440 {
    struct str epoch, release, local; /* digits without leading zeros; "2.04.0"; the text behind "+" */
    char pre;                         /* 'a', 'b', 'c' (release candidate), or 0 */
    bool has_post, has_dev;
    struct str pre_number, post_number, dev_number;
};

/* False when PEP 440's appendix B does not read the text as a version. */
bool pep440_parse(struct str text, struct pep440 *version);
/* A comma-separated list of clauses such as ">=2,<3" that pip accepts; "" is one. */
bool pep440_constraint_is_valid(struct str constraint);

#endif
