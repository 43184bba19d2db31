/* What is installed in a conda prefix, by its own records. */
#ifndef CONDAGPU_PREFIX_INVENTORY_H
#define CONDAGPU_PREFIX_INVENTORY_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/err.h"
#include "util/vec.h"

enum record_kind { RECORD_CONDA, RECORD_PIP };

/* One conda-meta/NAME-VERSION-BUILD.json or one *.dist-info. */
struct record {
    enum record_kind kind;
    const char *name;    /* conda: as in the record's file name; pip: normalised (lower case, "-") */
    const char *version;
    const char *build;   /* conda; NULL for pip */
    const char *path;    /* absolute: the JSON file, or the dist-info directory */
    const char *installer; /* pip's INSTALLER file ("pip", "uv", "conda"); NULL for conda records */
};

struct hook {
    const char *name;  /* file name */
    const char *path;  /* absolute */
    bool activate;     /* in activate.d, else in deactivate.d */
    bool ours;         /* ~zz-condagpu.* */
};

struct inventory {
    const char *prefix;  /* absolute, as given (not resolved) */
    const char *real;    /* resolved */
    bool is_conda;       /* conda-meta/history exists */
    bool writable;       /* this user can write below it */
    struct { VEC(struct record); } records; /* conda's first, each kind sorted by name; dist-info with INSTALLER
                                               "conda" is left out, its conda record stands for it */
    struct strv site_packages; /* absolute lib/pythonX.Y/site-packages that exist, resolved-unique */
    const char *python;  /* absolute bin/python (a file or symlink that resolves) or NULL */
    struct strv targets; /* names below targets/ that have a lib: "x86_64-linux" */
    struct { VEC(struct hook); } hooks; /* every entry of activate.d, then of deactivate.d, each ascending by code
                                           point; conda runs deactivate.d from its end */
    struct strv env_vars_d; /* absolute paths in etc/conda/env_vars.d */
    struct strv notes;   /* records that could not be read, and why */
};

/* Characters of a prefix's path that the activation scripts of conda and rattler do not quote. */
#define PREFIX_UNQUOTED ":;'\"`$\\!\n"

/* Names, versions and builds come from file names (conda: name-version-build, of which only the name may hold a "-",
 * conda's Dist; pip: PEP 427); a record is opened only by the functions below. A prefix that is not a directory is
 * ERR_INPUT; what is no record, or cannot be read, is a note. */
bool inventory_read(struct arena *arena, const char *prefix, struct inventory *inventory, struct err *err);

/* The first record of that kind and name, or NULL. */
const struct record *inventory_find(const struct inventory *inventory, enum record_kind kind, const char *name);
/* The first record whose name starts with `start`, from index *from on, which moves behind it; NULL at the end. */
const struct record *inventory_next(const struct inventory *inventory, enum record_kind kind, const char *start,
                                    size_t *from);

/* The first dependency of a record whose name starts with `start`, as its builder wrote it: "cudnn >=9.1,<10" of conda's
 * depends, "nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\"" of a wheel's Requires-Dist. NULL for none, and when
 * the record cannot be read. */
const char *inventory_requirement(struct arena *arena, const struct record *record, const char *start);

struct owner {
    const struct record *record; /* NULL: nobody owns it */
    const char *sha256;          /* hexadecimal, as recorded for the installed file (sha256_in_prefix); NULL */
};
/* Who installed `path` (absolute, below the prefix; links are looked up as named, then resolved). Reads the records
 * whose name suggests CUDA (cuda*, libcu*, nvidia*, torch*, …) first, then the others. A record that is not valid owns
 * nothing. The digest of a link is NULL: builders record different things for it. */
struct owner inventory_owner(struct arena *arena, const struct inventory *inventory, const char *path);

/* Every libcudart*.so* of the prefix that is a regular file, links resolved, each once, sorted: in lib, lib64,
 * targets/T/lib, and in site-packages nvidia/X/lib and torch/lib; and where the records of wheels and of packages whose
 * name suggests CUDA say that they put one. */
void inventory_cudart_files(struct arena *arena, const struct inventory *inventory, struct strv *paths);

/* What conda sets before activate.d: the files of env_vars.d by path, a later one winning, then conda-meta/state. Names
 * and values are as in the files: conda makes names upper case unless it is told not to, never expands values, and takes
 * the value ENV_VAR_UNSET for "do not set". What is not a string is left out. ERR_INPUT, with line and column, for a file
 * that is not a JSON object; then conda cannot activate at all (conda/activate.py, core/prefix_data.py; CEP 32). */
#define ENV_VAR_UNSET "***unset***"
struct env_var {
    const char *name, *value, *file;
};
struct env_vars {
    VEC(struct env_var);
};
bool inventory_env_vars(struct arena *arena, const struct inventory *inventory, struct env_vars *vars, struct err *err);

/* torch's version and CUDA release as torch/version.py states them, without running it. */
struct torch_build {
    bool present;
    const char *version; /* "2.4.0+cu124" */
    const char *cuda;    /* "12.4"; NULL for a CPU build */
    const char *path;    /* of version.py */
    const struct record *record; /* conda's pytorch or pip's torch; NULL when stray */
};
void inventory_torch(struct arena *arena, const struct inventory *inventory, struct torch_build *torch);

/* A prefix by name, as conda looks it up: $CONDA_ENVS_DIRS or $CONDA_ENVS_PATH, envs_dirs of .condarc files (the nearest
 * to the user first), <root>/envs and ~/.conda/envs, at last ~/.conda/environments.txt. The root is $CONDA_ROOT, else the
 * parent of $CONDA_EXE's directory, else $MAMBA_ROOT_PREFIX; "base" is the root itself. ERR_INPUT naming the places that
 * were looked at (conda/base/context.py, locate_prefix_by_name and envs_dirs). */
bool prefix_by_name(struct arena *arena, const char *name, const char **prefix, struct err *err);

#endif
