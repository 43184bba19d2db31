#include <string.h>

#include "prefix/inventory.h"
#include "util/file.h"
#include "util/json_stream.h"
#include "util/path.h"

enum { LARGEST_METADATA = 4 * 1024 * 1024 };

struct wanted {
    struct arena *arena;
    const char *start;
    const char *found; /* the first dependency whose name starts so, as it is written */
};

static bool take(struct wanted *wanted, struct str text)
{
    text = str_trim(text);
    if (str_starts(text, wanted->start))
        wanted->found = str_dup(wanted->arena, text);
    return wanted->found != NULL;
}

static bool on_event(void *context, const struct json_event *event)
{
    if (event->kind != JSON_EVENT_STRING || strcmp(event->path, "depends[]") != 0)
        return true;
    return !take(context, event->text);
}

/* "Requires-Dist: NAME (==1.2) ; MARKER": the headers end at the first empty line (core metadata, PEP 566). */
static void read_metadata(struct wanted *wanted, const struct record *record)
{
    static const char header[] = "Requires-Dist:";
    struct str rest, line;
    struct err ignored;
    const char *path = path_join(wanted->arena, record->path, "METADATA");
    if (!file_exists(path) || !file_read(wanted->arena, path, LARGEST_METADATA, "metadata", &rest, &ignored))
        return;
    while (str_cut(&rest, '\n', &line) && str_trim(line).n)
        if (str_starts(line, header) && take(wanted, str_slice(line, sizeof header - 1, line.n)))
            return;
}

const char *inventory_requirement(struct arena *arena, const struct record *record, const char *start)
{
    struct wanted wanted = {.arena = arena, .start = start};
    struct err ignored;
    if (record->kind == RECORD_PIP)
        read_metadata(&wanted, record);
    else
        json_stream_file(record->path, "record", on_event, &wanted, &ignored);
    return wanted.found;
}
