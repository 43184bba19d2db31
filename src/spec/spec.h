/* What the environment asks for: the content of an environment file, as its readers (conda, pip) understand it. */
#ifndef CONDAGPU_SPEC_SPEC_H
#define CONDAGPU_SPEC_SPEC_H

#include <stdbool.h>

#include "data/table.h"
#include "util/arena.h"
#include "util/err.h"
#include "util/release.h"
#include "util/str.h"
#include "util/vec.h"

enum manager { MANAGER_CONDA, MANAGER_PIP };

/* What a pin names (DESIGN.md section 6). */
enum pin_kind {
    PIN_BUILD = 1, /* K1: one libcudart build: cuda-cudart=12.4.127 */
    PIN_RELEASE,   /* K2: a toolkit release X.Y.Z: cuda-toolkit=12.4.1 */
    PIN_MINOR,     /* K3: a minor X.Y, which stands for a set of builds: cuda-version=12.4 */
    PIN_BOUND,     /* K4: a bound only, never compared for equality: pytorch=*=*cuda126*, cuda-version>=12 */
};

/* A set of CUDA releases. Missing bounds have major -1. Bounds compare by release_cmp with unknown parts as 0. */
struct cuda_range {
    struct release min, max;
    bool min_exclusive, max_inclusive; /* [min, max) unless said otherwise */
    const struct cuda_range *also;     /* the next range of the set, all of it above this one; NULL for the last */
};

/* One of "12.4|12.6". */
struct alternative {
    enum pin_kind kind;
    struct cuda_range cuda;
    const char *release; /* as a pin's */
};

struct dep {
    enum manager manager;
    const char *text;    /* as written, trimmed, without the comment; where a file spreads it over keys, as conda or pip
                          * write it in one line */
    const char *name;    /* normalised: lower case; pip's with "-" for "_" and "."; NULL when the spec is not valid
                          * or names none, as pip's options and paths do */
    const char *version; /* as conda's MatchSpec or PEP 508 gives it: "12.4.*", ">=2,<3"; NULL for none */
    const char *build;   /* conda: build string or glob; NULL */
    const char *channel; /* conda: "nvidia/label/cuda-12.4.0"; pip: URL of a direct reference, or the value of
                          * --index-url, --extra-index-url and -f; NULL */
    const char *subdir;  /* conda; NULL */
    const char *extras;  /* pip: "cuda12,x"; NULL */
    const char *marker;  /* pip: the text behind ";"; NULL */
    const char *problem; /* why the reader refuses the spec; NULL when it is well formed */
    const char *file;
    unsigned line, column; /* from 1, in characters */
    bool dropped;        /* does not count: it stands in a pip: list that a later one replaces, in a feature or extra that
                          * is not part of the default environment, or is foreign */
    bool foreign;        /* its marker is false on this machine */
    bool unsure;         /* whether its marker holds is not known */
};

struct variable {
    const char *name, *value; /* value as written in the source (010 stays 010); NULL for null */
    unsigned line, column;
};

struct pin {
    enum manager manager;
    enum pin_kind kind;
    const char *package; /* cuda-version, pytorch, nvidia-cuda-runtime-cu12, … */
    const char *text;    /* the dependency as written */
    const char *file;
    unsigned line, column;
    struct cuda_range cuda;
    const char *release; /* what is pinned, for people: "12.4", "12.4.1", "12.4.127", ">=11.1"; never NULL */
    struct { VEC(struct alternative); } alternatives; /* two or more, of a PIN_BOUND whose `cuda` is their union */
    const char *why;     /* how the text leads to it, where that is not plain: "build string", "torch 2.3.0 from PyPI" */
    bool dropped, foreign; /* as its dep's */
};

/* A thing about the file that is not an error but that a person should know. */
struct note {
    const char *id; /* in kebab case: "several-pip-lists" */
    const char *file;
    unsigned line, column;
    const char *message, *mend;
    bool remark; /* how the file was read, where nothing is wrong with it */
};

struct conflict {
    size_t first, second; /* indices into pins */
    const char *message;
};

struct spec {
    const char *file;   /* as given; "-" for standard input */
    const char *sha256; /* of the bytes read */
    struct str content; /* decoded to UTF-8 */
    const char *format; /* "environment", "explicit", "requirements", "conda-lock", "pixi-lock", "pixi", "pyproject" */
    const char *name;   /* of the environment; NULL */
    struct strv channels;
    struct { VEC(struct dep); } deps;
    struct { VEC(struct variable); } variables;
    struct { VEC(struct pin); } pins;
    struct { VEC(struct note); } notes;
    struct { VEC(struct conflict); } conflicts;
    bool has_effective;          /* at least one pin bounds CUDA and they do not conflict */
    struct cuda_range effective; /* intersection of all pins that are not dropped */
    struct release release;      /* the single release or minor that the intersection names; RELEASE_NONE for a range */
    const char *effective_text;  /* "12.4", ">=11.1"; NULL without */
    size_t deciding;             /* index of the pin that decides `release`, for messages */
};

/* Reads and understands `path` ("-": standard input). All memory is the arena's. ERR_INPUT with file, line, column. */
bool spec_read(struct arena *arena, struct data *data, const char *path, struct spec *spec, struct err *err);
/* The same for content that is already here (a download, a test); `file` names it. */
bool spec_parse(struct arena *arena, struct data *data, const char *file, struct str content, struct spec *spec,
                struct err *err);

/* Whether the release lies in the range as far as both are known: 12 (no minor) may lie in [12.4, 12.5). */
bool range_may_hold(const struct cuda_range *range, struct release release);
/* ">=12.4,<12.5" and the like; "12.4" where it is exactly one minor, release or build; "12.4 or 12.6". */
char *range_text(struct arena *arena, const struct cuda_range *range);
/* The set of what lies in any of the `n` single ranges (one at least), which are put in order. */
struct cuda_range range_union(struct arena *arena, struct cuda_range *ranges, size_t n);
/* Narrows `all` to what lies in `range`, too. False, and nothing is changed, when that is nothing. */
bool range_narrow(struct arena *arena, struct cuda_range *all, const struct cuda_range *range);

/* Whether a variable or a template's blank stands in the text: ${CUDA}, $CUDA_VERSION, {{ cuda }}. */
bool spec_is_unexpanded(struct str text);

/* Version order and matching, as conda and pip do them. */
int conda_version_cmp(const char *left, const char *right);
bool conda_version_matches(const char *constraint, const char *version); /* "12.4.*", ">=12,<13|11.8" */
bool pep440_matches(const char *constraint, const char *version);        /* "==2.4.0+cu124", ">=2,<3" */
int pep440_cmp(const char *left, const char *right);

#endif
