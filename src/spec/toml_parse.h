/* What the TOML parser, a module of its own, tells the program: events in the order of the file. C and C++ read this.
 */
#ifndef CONDAGPU_SPEC_TOML_PARSE_H
#define CONDAGPU_SPEC_TOML_PARSE_H

#include <stdbool.h>
#include <stddef.h>

struct toml_event {
    const char *s; /* of a key or a scalar: not NUL-terminated */
    size_t n;
    unsigned line, column; /* from 1, in characters */
};

/* The functions return false to stop. */
struct toml_sink {
    void *context;
    bool (*open)(void *context, bool is_table, struct toml_event place);
    void (*close)(void *context);
    bool (*key)(void *context, struct toml_event key);
    /* `is_text`: a string; else a number, a boolean or a date as it is written. */
    bool (*scalar)(void *context, bool is_text, struct toml_event scalar);
    void (*fail)(void *context, struct toml_event why);
};

/* The one symbol of the module: whether the text (UTF-8) is TOML and no function stopped. A syntax error is told by
 * fail(). The caller has bounded how deep the text nests. */
typedef bool toml_parse_function(const char *text, size_t size, const struct toml_sink *sink);
#define TOML_PARSE_SYMBOL "condagpu_toml_parse"

#endif
