/* What went wrong, where, and how to mend it. A function that can fail returns bool and fills one of these. */
#ifndef CONDAGPU_UTIL_ERR_H
#define CONDAGPU_UTIL_ERR_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds are the exit statuses. */
enum err_kind {
    ERR_NONE = 0,
    ERR_USAGE = 2,   /* wrong command line */
    ERR_INPUT = 3,   /* an input could not be read or is not valid */
    ERR_OUTPUT = 4,  /* a file could not be written */
    ERR_NETWORK = 5, /* a transfer failed */
};

struct err {
    enum err_kind kind;
    char what[64];      /* what was being done or read: "environment file", "option" */
    char file[1024];    /* "" where no file is concerned */
    unsigned line;      /* from 1; 0 for unknown */
    unsigned column;    /* from 1, in characters; 0 for unknown */
    char why[768];      /* one line, without a full stop */
    char mend[768];     /* one line that says what to do; "" for none */
};

/* Fill `err` (its text is made printable: one line, no control bytes) and return false, for `return err_...(…)`. */
bool err_set(struct err *err, enum err_kind kind, const char *what, const char *file, unsigned line, unsigned column,
             const char *format, ...) __attribute__((format(printf, 7, 8)));
/* The same for a failed system call on `file`: the reason is strerror(errnum). */
bool err_system(struct err *err, enum err_kind kind, const char *what, const char *file, int errnum);
/* Adds the mend; returns false. */
bool err_mend(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "what: file:line:column: why" with what is known of it, without a newline; always NUL-terminated. */
void err_format(const struct err *err, char *buffer, size_t size);

#endif
