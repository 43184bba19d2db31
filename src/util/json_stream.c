#include "util/json_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "util/file.h"

enum {
    CHUNK = 64 * 1024,
    DEEPEST = 64,
    LONGEST_PATH = 1024,
    LONGEST_VALUE = 1024 * 1024, /* yajl keeps a value whole */
};

/* An open object or array: how much of the path its members share. */
struct frame {
    size_t base;
};

struct reader {
    json_event_function *function;
    void *context;
    const char *file, *what;
    struct err *err;
    struct frame frames[DEEPEST];
    size_t depth;
    /* Behind an overlong key the path goes on with a byte that no wanted path holds; every level may add that much. */
    char path[LONGEST_PATH + 4 * DEEPEST];
    size_t length;
    size_t line;   /* of the chunk that is being parsed */
    size_t silent; /* bytes since the last event */
    bool stopped, failed;
};

static void path_cut(struct reader *reader, size_t length)
{
    reader->length = length;
    reader->path[length] = '\0';
}

static void path_byte(struct reader *reader, char byte)
{
    reader->path[reader->length++] = byte;
    reader->path[reader->length] = '\0';
}

static int emit(struct reader *reader, enum json_event_kind kind, const void *text, size_t size)
{
    struct json_event event = {kind, reader->path, {text, size}};
    reader->silent = 0;
    if (reader->function(reader->context, &event))
        return 1;
    reader->stopped = true;
    return 0;
}

static int enter(struct reader *reader, bool is_array)
{
    if (reader->depth == DEEPEST) {
        reader->failed = true;
        err_set(reader->err, ERR_INPUT, reader->what, reader->file, (unsigned)reader->line, 0,
                "nested more than %d deep", DEEPEST);
        return 0;
    }
    if (!emit(reader, JSON_EVENT_OPEN, "", 0))
        return 0;
    if (is_array) {
        path_byte(reader, '[');
        path_byte(reader, ']');
    }
    reader->frames[reader->depth++].base = reader->length;
    return 1;
}

static int leave(struct reader *reader, bool is_array)
{
    struct frame frame = reader->frames[--reader->depth];
    path_cut(reader, frame.base - (is_array ? 2 : 0));
    return emit(reader, JSON_EVENT_CLOSE, "", 0);
}

static int on_open_map(void *reader)
{
    return enter(reader, false);
}

static int on_close_map(void *reader)
{
    return leave(reader, false);
}

static int on_open_array(void *reader)
{
    return enter(reader, true);
}

static int on_close_array(void *reader)
{
    return leave(reader, true);
}

static int on_key(void *context, const unsigned char *key, size_t size)
{
    struct reader *reader = context;
    path_cut(reader, reader->frames[reader->depth - 1].base);
    reader->silent = 0;
    if (reader->length + 2 * size + 1 > LONGEST_PATH) {
        path_byte(reader, '\1');
        return 1;
    }
    if (reader->length)
        path_byte(reader, '.');
    for (size_t i = 0; i < size; i++) {
        if (strchr(".[]\\", key[i])) /* the string's own NUL is escaped as well */
            path_byte(reader, '\\');
        path_byte(reader, (char)(key[i] ? key[i] : '0'));
    }
    return 1;
}

static int on_string(void *reader, const unsigned char *text, size_t size)
{
    return emit(reader, JSON_EVENT_STRING, text, size);
}

static int on_number(void *reader, const char *text, size_t size)
{
    return emit(reader, JSON_EVENT_OTHER, text, size);
}

static int on_boolean(void *reader, int value)
{
    return emit(reader, JSON_EVENT_OTHER, value ? "true" : "false", value ? 4 : 5);
}

static int on_null(void *reader)
{
    return emit(reader, JSON_EVENT_OTHER, "null", 4);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_open_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close_map,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close_array,
};

static size_t count_lines(const char *bytes, size_t size)
{
    size_t lines = 0;
    for (const char *at = bytes; (at = memchr(at, '\n', size - (size_t)(at - bytes))); at++)
        lines++;
    return lines;
}

/* yajl's own sentence, without its newline and leading words. */
static bool refuse(struct reader *reader, yajl_handle parser, const char *bytes, size_t size)
{
    if (reader->failed)
        return false;
    size_t consumed = yajl_get_bytes_consumed(parser);
    unsigned char *text = yajl_get_error(parser, 0, (const unsigned char *)bytes, size);
    struct str why = str_trim(str_of((const char *)text));
    size_t colon = str_find(why, ':');
    if (colon < why.n)
        why = str_trim(str_slice(why, colon + 1, why.n));
    size_t line = reader->line + count_lines(bytes, consumed < size ? consumed : size);
    err_set(reader->err, ERR_INPUT, reader->what, reader->file, (unsigned)line, 0, "not JSON: %.*s", (int)why.n, why.s);
    yajl_free_error(parser, text);
    return false;
}

/* True while there is more to read. */
static bool feed(struct reader *reader, yajl_handle parser, const char *bytes, size_t size)
{
    reader->silent += size;
    yajl_status status = yajl_parse(parser, (const unsigned char *)bytes, size);
    if (status == yajl_status_client_canceled)
        return false;
    if (status != yajl_status_ok) {
        refuse(reader, parser, bytes, size);
        reader->failed = true;
        return false;
    }
    reader->line += count_lines(bytes, size);
    if (reader->silent > LONGEST_VALUE + CHUNK) {
        reader->failed = true;
        err_set(reader->err, ERR_INPUT, reader->what, reader->file, (unsigned)reader->line, 0,
                "a value of more than %d bytes", LONGEST_VALUE);
        return false;
    }
    return true;
}

static bool finish(struct reader *reader, yajl_handle parser)
{
    if (!reader->stopped && !reader->failed && yajl_complete_parse(parser) != yajl_status_ok && !reader->stopped) {
        refuse(reader, parser, "", 0);
        reader->failed = true;
    }
    yajl_free(parser);
    return !reader->failed;
}

static yajl_handle start(struct reader *reader)
{
    reader->line = 1;
    yajl_handle parser = yajl_alloc(&callbacks, NULL, reader);
    /* A file name in a record need not be UTF-8. */
    yajl_config(parser, yajl_dont_validate_strings, 1);
    return parser;
}

bool json_stream_bytes(struct str bytes, const char *name, const char *what, json_event_function *function,
                       void *context, struct err *err)
{
    struct reader reader = {.function = function, .context = context, .file = name, .what = what, .err = err};
    yajl_handle parser = start(&reader);
    for (size_t at = 0; at < bytes.n; at += CHUNK) {
        struct str chunk = str_slice(bytes, at, at + CHUNK);
        if (!feed(&reader, parser, chunk.s, chunk.n))
            break;
    }
    return finish(&reader, parser);
}

bool json_stream_file(const char *path, const char *what, json_event_function *function, void *context, struct err *err)
{
    _cleanup_fd_ int fd = file_open_regular(path);
    char chunk[CHUNK];
    ssize_t got = 0;
    if (fd < 0)
        return err_system(err, ERR_INPUT, what, path, errno);
    struct reader reader = {.function = function, .context = context, .file = path, .what = what, .err = err};
    yajl_handle parser = start(&reader);
    while ((got = read(fd, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0 && !feed(&reader, parser, chunk, (size_t)got))
            break;
    if (got < 0) {
        reader.failed = true;
        err_system(err, ERR_INPUT, what, path, errno);
    }
    return finish(&reader, parser);
}
