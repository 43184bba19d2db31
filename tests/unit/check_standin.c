/* The engine's reporting functions, for a tree in which the engine is not built yet. */
#include <stdarg.h>

#include "check/check.h"

static void report(const struct check_input *input, struct result *result, enum status status, const char *format,
                   va_list args)
{
    if (result->message && result->status > status)
        return;
    result->status = status;
    result->message = arena_vprintf(input->arena, format, args);
}

#define REPORTS(name, status)                                                                                          \
    void name(const struct check_input *input, struct result *result, const char *format, ...)                         \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, format);                                                                                        \
        report(input, result, status, format, args);                                                                   \
        va_end(args);                                                                                                  \
    }

REPORTS(check_pass, STATUS_PASS)
REPORTS(check_warn, STATUS_WARN)
REPORTS(check_fail, STATUS_FAIL)
REPORTS(check_skip, STATUS_SKIP)

void check_fix(const struct check_input *input, struct result *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    result->fix = arena_vprintf(input->arena, format, args);
    va_end(args);
}

void check_evidence(const struct check_input *input, struct result *result, const char *file, unsigned line,
                    unsigned column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct evidence *evidence = vec_add(input->arena, &result->evidence);
    *evidence = (struct evidence){arena_vprintf(input->arena, format, args), file, line, column};
    va_end(args);
}
