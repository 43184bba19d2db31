#include "cmd/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

bool output_write(const char *path, struct str content, struct err *err)
{
    if (strcmp(path, "-") != 0)
        return file_write_atomic(path, content, 0644, err);
    fwrite(content.s, 1, content.n, stdout); /* main() looks at the stream's error once, at the end */
    return true;
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
