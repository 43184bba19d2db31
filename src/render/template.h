/* The template language of hooks: text with placeholders, one loop, and inclusion. Private to render/.
 *
 * A template is copied line by line.
 *   @# …              a comment of the template; the line is dropped
 *   @include FILE@    the lines of another template in the same directory
 *   @for KIND …@      the lines up to @end@, once for each variable of one of these kinds: set, default, lead
 *                     (a default that a job's variable leads), unset, list (prepend and append)
 *   @end@
 *   @PLACEHOLDER@     in any other line. @VERSION@, @INPUTS@ and @ID@ anywhere; between @for@ and @end@ also those of
 *                     the variable (struct hook_variable). A line that holds @VALUE_TEXT@ or @WHY@ is written once
 *                     for each operation on the variable.
 *   @@                one @
 * The directives stand alone in their line, blanks around them do not count. */
#ifndef CONDAGPU_RENDER_TEMPLATE_H
#define CONDAGPU_RENDER_TEMPLATE_H

#include "util/arena.h"
#include "util/err.h"
#include "util/str.h"
#include "util/vec.h"

/* What one operation says of itself, as ASCII text for a comment. */
struct reason {
    const char *value; /* @VALUE_TEXT@ */
    const char *why;   /* @WHY@ */
};

enum variable_kind { VARIABLE_SET, VARIABLE_DEFAULT, VARIABLE_LEAD, VARIABLE_UNSET, VARIABLE_LIST };

/* All operations of a plan on one variable. The values are words of the shell, quoted. */
struct hook_variable {
    enum variable_kind kind;
    const char *name;     /* @NAME@ */
    const char *state;    /* @STATE@: the names of the state variables begin with this and an underscore */
    const char *mark;     /* @MARK@: what any condagpu hook wrote last into the variable */
    const char *value;    /* @VALUE@ */
    const char *lead;     /* @LEAD@: name of the job's variable */
    const char *front;    /* @FRONT@: the elements to prepend, with colons between */
    const char *back;     /* @BACK@: the elements to append */
    const char *elements; /* @ELEMENTS@: both */
    const char *words;    /* @WORDS@: both, each a word, with blanks between */
    struct {
        VEC(struct reason);
    } reasons;
};

struct hook_content {
    const char *version, *inputs, *id;
    struct {
        VEC(struct hook_variable);
    } variables;
};

/* The text of template `name` in `directory`. ERR_INPUT with file and line. */
bool template_expand(struct arena *arena, const char *directory, const char *name, const struct hook_content *hook,
                     struct str *text, struct err *err);

#endif
