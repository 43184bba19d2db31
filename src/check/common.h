/* What several checks ask. */
#ifndef CONDAGPU_CHECK_COMMON_H
#define CONDAGPU_CHECK_COMMON_H

#include "check/check.h"

/* The environment of the activated shell; of this process where no shell could be activated. */
const char *const *check_environment(const struct check_input *input);
/* How a process starts in it; `executable` is the program whose DT_RPATH counts, NULL for none. */
struct loader_options check_loader_options(const struct check_input *input, const char *executable);
/* What the loader's rules make of dlopen(name) in it. */
struct resolution check_dlopen(const struct check_input *input, const char *executable, const char *name);
/* The rule by which a file won, for people. */
const char *check_rule_text(const struct resolution *resolution);
/* A variable of the activated shell (of this process where no shell could be activated); NULL when unset or empty. */
const char *check_activated_value(const struct check_input *input, const char *name);
/* The elements of LD_LIBRARY_PATH in it, as the loader cuts them: at colons and semicolons. */
void check_library_path_elements(const struct check_input *input, struct strv *elements);
/* The first file in `dir` whose name starts with one of `starts` (NULL-terminated, in that order); NULL for none. */
const char *check_library_in(const struct check_input *input, const char *dir, const char *const *starts);

/* A new directory below TMPDIR; NULL when none can be made. It goes away with its variable. */
const char *check_temporary_dir(const struct check_input *input);
void check_remove_dir(const char **dir);
#define _cleanup_removed_ __attribute__((cleanup(check_remove_dir)))

#endif
