#include "cmd/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/file.h"
#include "util/path.h"

/* A device, FIFO or socket is written to, not replaced. */
static bool write_through(const char *path, struct str content, struct err *err)
{
    _cleanup_stream_ FILE *stream = fopen(path, "we");
    if (stream && fwrite(content.s, 1, content.n, stream) == content.n && fflush(stream) == 0)
        return true;
    return err_system(err, ERR_OUTPUT, "cannot write", path, errno);
}

bool output_write(const char *path, struct str content, struct err *err)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    struct stat status;
    if (strcmp(path, "-") == 0) {
        fwrite(content.s, 1, content.n, stdout); /* main() looks at the stream's error once, at the end */
        return true;
    }
    if (stat(path, &status) != 0)
        return file_write_atomic(path, content, 0644, err);
    if (!S_ISREG(status.st_mode))
        return write_through(path, content, err);
    const char *real = path_real(arena, path); /* what a link leads to is written, the link stays */
    return file_write_atomic(real ? real : path, content, status.st_mode & 0777, err);
}

bool output_is_json(struct run *run, bool *json)
{
    const struct strv *formats = &run->options.formats;
    const char *format = formats->n ? formats->v[formats->n - 1] : "text";
    *json = strcmp(format, "json") == 0;
    if (*json || strcmp(format, "text") == 0)
        return true;
    return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--format takes text or json here, not \"%s\"", format);
}

bool output_json(struct run *run, json_t *document)
{
    const struct strv *outputs = &run->options.outputs;
    char *text = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    if (!text)
        return err_set(&run->err, ERR_OUTPUT, "cannot write", "JSON", 0, 0, "a text in it is not UTF-8");
    const char *copy = arena_printf(run->arena, "%s\n", text);
    free(text);
    return output_write(outputs->n ? outputs->v[outputs->n - 1] : "-", str_of(copy), &run->err);
}
