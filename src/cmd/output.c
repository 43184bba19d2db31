#include "cmd/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/report.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

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

bool output_formats(struct run *run)
{
    struct strv *formats = &run->options.formats;
    const char *nearest;
    if (formats->n == 0)
        strv_add(run->arena, formats, report_formats[0]);
    for (size_t i = 0; i < formats->n; i++) {
        const char *const *known = report_formats;
        while (*known && strcmp(*known, formats->v[i]) != 0)
            known++;
        if (*known)
            continue;
        nearest = text_nearest(formats->v[i], report_formats);
        err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--format: there is no format \"%s\"", formats->v[i]);
        return err_mend(&run->err, nearest ? "did you mean %s?" : "text, json, junit, sarif and github are known",
                        nearest);
    }
    for (size_t i = 1; i < run->options.outputs.n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(run->options.outputs.v[i], run->options.outputs.v[j]) == 0)
                return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--output names %s twice",
                               run->options.outputs.v[i]);
    if (run->options.outputs.n > formats->n)
        return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "more --output than --format");
    if (formats->n > run->options.outputs.n + 1)
        return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0,
                       "%zu formats and %zu outputs: only one of them can go to standard output", formats->n,
                       run->options.outputs.n);
    return true;
}

void output_error(const struct err *err)
{
    char line[2048];
    err_format(err, line, sizeof line);
    fprintf(stderr, "condagpu: %s\n", line);
    if (err->mend[0])
        fprintf(stderr, "condagpu: %s\n", err->mend);
}
