/* The readers of package records: the first byte says which. Whatever a record holds, the digests that come out are 64
 * hexadecimal digits, and the paths lie within the input or are decoded from it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prefix/record_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool check_file(void *context, const struct record_file *file)
{
    size_t *left = context;
    if (file->sha256 && (strlen(file->sha256) != 64 || strspn(file->sha256, "0123456789abcdef") != 64))
        abort();
    if (file->path.n && !memchr(file->path.s, file->path.s[file->path.n - 1], file->path.n))
        abort();
    return (*left)-- > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    size_t left = 1000;
    if (size == 0)
        return 0;
    enum record_kind kind = data[0] == 'c' ? RECORD_CONDA : RECORD_PIP;
    if (!record_files_bytes(kind, (struct str){(const char *)data + 1, size - 1}, check_file, &left, &err)
        && err.kind != ERR_INPUT)
        abort();
    return 0;
}
