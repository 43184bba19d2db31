/* A hook's text as simple commands: enough of sh and fish to tell a command from a word in quotes, a comment or a here
 * document. It does not run or expand anything. */
#ifndef CONDAGPU_CHECK_HOOKS_LEX_H
#define CONDAGPU_CHECK_HOOKS_LEX_H

#include <stdbool.h>

#include "util/arena.h"
#include "util/str.h"
#include "util/vec.h"

struct shell_word {
    struct str text; /* as written, with its quotes */
    unsigned line;
};

/* One simple command: assignments, name, arguments; or the head of a compound one; or "name()", where a function is
 * defined. */
struct shell_command {
    struct {
        VEC(struct shell_word);
    } words;
    unsigned line;
    bool piped;       /* its output goes into a pipe */
    bool redirected;  /* its standard output goes to a file or another descriptor */
    bool to_stderr;   /* to descriptor 2 */
    bool in_subshell; /* within ( … ), or part of a pipeline */
    bool in_function;
    bool is_pattern;       /* of case, with its head if they share a line: nothing that runs */
    bool bash_redirection; /* &>, <<<, <( or >( */
};
struct shell_commands {
    VEC(struct shell_command);
};

void shell_lex(struct arena *arena, struct str text, bool is_fish, struct shell_commands *commands);

/* A word without its quotes, where no expansion is in it; NULL otherwise. */
char *shell_literal(struct arena *arena, struct str word);

#endif
