/* The file lists of records, read in bounded memory. */
#ifndef CONDAGPU_PREFIX_RECORD_FILES_H
#define CONDAGPU_PREFIX_RECORD_FILES_H

#include <stdbool.h>

#include "prefix/inventory.h"
#include "util/str.h"

/* A file of a record. */
struct record_file {
    struct str path;    /* conda: relative to the prefix; pip: relative to site-packages, or absolute */
    const char *sha256; /* lower-case hexadecimal, of the file as installed; NULL when not recorded */
};
/* Called for each file; false ends the reading. A conda record may name a file twice: in its list without a digest, and
 * in paths_data. `file` is valid during the call only. */
typedef bool record_file_function(void *context, const struct record_file *file);

/* Reads a record's list of files: "files" and "paths_data.paths" of conda's JSON (conda/models/records.py), RECORD of a
 * dist-info (CSV with quoting, urlsafe base64 without padding: PEP 376, PEP 427). ERR_INPUT when it cannot be read or
 * is malformed. */
bool record_files(const struct record *record, record_file_function *function, void *context, struct err *err);
/* The same for the bytes of such a file. */
bool record_files_bytes(enum record_kind kind, struct str bytes, record_file_function *function, void *context,
                        struct err *err);

/* Whether a package of this name may hold CUDA libraries. */
bool record_suggests_cuda(const struct record *record);

#endif
