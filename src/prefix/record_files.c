#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "prefix/record_files.h"
#include "util/file.h"
#include "util/json_stream.h"

enum { LONGEST_FIELD = 8192, SHA256_HEX = 64, SHA256_BYTES = 32 };

/* conda: what is known of the element of paths_data.paths that is being read. */
struct conda_reader {
    record_file_function *function;
    void *context;
    char path[LONGEST_FIELD];
    size_t length; /* 0: no usable path */
    char sha256[SHA256_HEX + 1], sha256_in_prefix[SHA256_HEX + 1];
    bool has_placeholder, is_link;
};

static void keep_digest(char to[SHA256_HEX + 1], struct str text)
{
    to[0] = '\0';
    if (text.n != SHA256_HEX)
        return;
    for (size_t i = 0; i < SHA256_HEX; i++) {
        char c = text.s[i];
        if (!strchr("0123456789abcdefABCDEF", c) || c == '\0') {
            to[0] = '\0';
            return;
        }
        to[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    }
    to[SHA256_HEX] = '\0';
}

static void keep_member(struct conda_reader *reader, const char *member, const struct json_event *event)
{
    if (strcmp(member, "prefix_placeholder") == 0)
        reader->has_placeholder = event->kind == JSON_EVENT_STRING;
    if (event->kind != JSON_EVENT_STRING)
        return;
    if (strcmp(member, "_path") == 0) {
        reader->length = event->text.n <= sizeof reader->path ? event->text.n : 0;
        memcpy(reader->path, event->text.s, reader->length);
    } else if (strcmp(member, "sha256") == 0)
        keep_digest(reader->sha256, event->text);
    else if (strcmp(member, "sha256_in_prefix") == 0)
        keep_digest(reader->sha256_in_prefix, event->text);
    else if (strcmp(member, "path_type") == 0)
        reader->is_link = str_eq_c(event->text, "softlink");
}

/* The digest in the package is that of the installed file unless a prefix was written into it. */
static bool end_element(struct conda_reader *reader)
{
    const char *digest = reader->sha256_in_prefix;
    if (!digest[0] && !reader->has_placeholder)
        digest = reader->sha256;
    struct record_file file = {{reader->path, reader->length}, digest[0] && !reader->is_link ? digest : NULL};
    return reader->length == 0 || reader->function(reader->context, &file);
}

static bool on_conda_event(void *context, const struct json_event *event)
{
    static const char element[] = "paths_data.paths[]";
    struct conda_reader *reader = context;
    if (event->kind == JSON_EVENT_STRING && strcmp(event->path, "files[]") == 0)
        return reader->function(reader->context, &(struct record_file){event->text, NULL});
    if (strncmp(event->path, element, sizeof element - 1) != 0)
        return true;
    const char *member = event->path + sizeof element - 1;
    if (*member == '\0' && event->kind == JSON_EVENT_OPEN) {
        reader->length = 0;
        reader->sha256[0] = reader->sha256_in_prefix[0] = '\0';
        reader->has_placeholder = reader->is_link = false;
    } else if (*member == '\0' && event->kind == JSON_EVENT_CLOSE)
        return end_element(reader);
    else if (*member == '.')
        keep_member(reader, member + 1, event);
    return true;
}

/* pip's RECORD: a state machine over bytes. */
struct csv_reader {
    record_file_function *function;
    void *context;
    char path[LONGEST_FIELD], hash[256];
    size_t path_length, hash_length, field;
    bool quoted, after_quote, overlong, stopped;
};

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* "sha256=" and 43 digits of urlsafe base64 to hexadecimal. */
static bool decode_hash(struct str hash, char hex[SHA256_HEX + 1])
{
    unsigned bits = 0, held = 0;
    size_t bytes = 0;
    if (!str_starts(hash, "sha256="))
        return false;
    hash = str_slice(hash, 7, hash.n);
    while (hash.n && hash.s[hash.n - 1] == '=')
        hash.n--;
    if (hash.n != 43)
        return false;
    for (size_t i = 0; i < hash.n; i++) {
        int value = base64_value(hash.s[i]);
        if (value < 0)
            return false;
        bits = (bits << 6 | (unsigned)value) & 0xffff;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        unsigned byte = bits >> held & 0xff;
        hex[2 * bytes] = "0123456789abcdef"[byte >> 4];
        hex[2 * bytes + 1] = "0123456789abcdef"[byte & 15];
        bytes++;
    }
    hex[2 * bytes] = '\0';
    return bytes == SHA256_BYTES;
}

static void end_row(struct csv_reader *reader)
{
    char hex[SHA256_HEX + 1];
    bool has_digest = decode_hash((struct str){reader->hash, reader->hash_length}, hex);
    struct record_file file = {{reader->path, reader->path_length}, has_digest ? hex : NULL};
    if (reader->path_length && !reader->overlong)
        reader->stopped = !reader->function(reader->context, &file);
    reader->path_length = reader->hash_length = reader->field = 0;
    reader->quoted = reader->after_quote = reader->overlong = false;
}

static void field_byte(struct csv_reader *reader, char c)
{
    if (reader->field == 0) {
        if (reader->path_length < sizeof reader->path)
            reader->path[reader->path_length++] = c;
        else
            reader->overlong = true;
    } else if (reader->field == 1 && reader->hash_length < sizeof reader->hash)
        reader->hash[reader->hash_length++] = c;
}

static void csv_byte(struct csv_reader *reader, char c)
{
    if (reader->quoted) {
        reader->after_quote = c == '"';
        reader->quoted = c != '"';
        if (c != '"')
            field_byte(reader, c);
        return;
    }
    bool doubled = c == '"' && reader->after_quote; /* "" within quotes is one quote */
    reader->after_quote = false;
    if (doubled)
        field_byte(reader, '"');
    if (c == '"')
        reader->quoted = true;
    else if (c == ',')
        reader->field++;
    else if (c == '\n')
        end_row(reader);
    else if (c != '\r')
        field_byte(reader, c);
}

static void csv_bytes(struct csv_reader *reader, struct str bytes)
{
    for (size_t i = 0; i < bytes.n && !reader->stopped; i++)
        csv_byte(reader, bytes.s[i]);
}

static bool csv_finish(struct csv_reader *reader, const char *file, struct err *err)
{
    if (!reader->stopped && reader->quoted)
        return err_set(err, ERR_INPUT, "record of a package", file, 0, 0, "it ends within quotes");
    if (!reader->stopped)
        end_row(reader);
    return true;
}

static bool read_csv(const char *path, struct csv_reader *reader, struct err *err)
{
    _cleanup_fd_ int fd = file_open_regular(path);
    char chunk[64 * 1024];
    ssize_t got = fd < 0 ? -1 : 0;
    while (fd >= 0 && !reader->stopped && ((got = read(fd, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR)))
        csv_bytes(reader, (struct str){chunk, got > 0 ? (size_t)got : 0});
    if (got < 0)
        return err_system(err, ERR_INPUT, "record of a package", path, errno);
    return csv_finish(reader, path, err);
}

bool record_files(const struct record *record, record_file_function *function, void *context, struct err *err)
{
    if (record->kind == RECORD_CONDA) {
        struct conda_reader reader = {.function = function, .context = context};
        return json_stream_file(record->path, "record of a package", on_conda_event, &reader, err);
    }
    _cleanup_arena_ struct arena *arena = arena_new();
    struct csv_reader reader = {.function = function, .context = context};
    return read_csv(arena_printf(arena, "%s/RECORD", record->path), &reader, err);
}

bool record_files_bytes(enum record_kind kind, struct str bytes, record_file_function *function, void *context,
                        struct err *err)
{
    if (kind == RECORD_CONDA) {
        struct conda_reader reader = {.function = function, .context = context};
        return json_stream_bytes(bytes, "", "record of a package", on_conda_event, &reader, err);
    }
    struct csv_reader reader = {.function = function, .context = context};
    csv_bytes(&reader, bytes);
    return csv_finish(&reader, "", err);
}

bool record_suggests_cuda(const struct record *record)
{
    static const char *const patterns[] = {"*cuda*", "libcu*",  "*cudart*", "cudnn*",      "libnpp*",
                                           "libnv*", "nvidia*", "*torch*",  "tensorflow*", "jax*",
                                           "*cupy*", "nccl*",   NULL};
    for (const char *const *pattern = patterns; *pattern; pattern++)
        if (fnmatch(*pattern, record->name, 0) == 0)
            return true;
    return false;
}
