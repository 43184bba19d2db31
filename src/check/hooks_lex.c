#include "check/hooks_lex.h"

#include <string.h>

#include "util/text.h"

struct heredoc {
    struct str delimiter; /* without quotes */
    bool strips_tabs;
};

struct lexer {
    struct arena *arena;
    struct str text;
    size_t at;
    unsigned line;
    bool is_fish;
    struct shell_commands *commands;
    struct shell_command current;
    struct {
        VEC(struct heredoc);
    } heredocs;               /* whose bodies begin on the next line */
    unsigned subshells;       /* open ( */
    unsigned braces;          /* open { */
    unsigned function_braces; /* the depth at which a function's body began; 0 for none */
    bool function_next;       /* name() was seen: the next { begins its body */
    bool pipe_before;
};

static char peek(const struct lexer *lexer, size_t ahead)
{
    return lexer->at + ahead < lexer->text.n ? lexer->text.s[lexer->at + ahead] : '\0';
}

static bool ended(const struct lexer *lexer)
{
    return lexer->at >= lexer->text.n;
}

static void advance(struct lexer *lexer)
{
    if (peek(lexer, 0) == '\n')
        lexer->line++;
    if (!ended(lexer))
        lexer->at++;
}

static void skip_single_quotes(struct lexer *lexer)
{
    advance(lexer);
    while (!ended(lexer) && peek(lexer, 0) != '\'') {
        if (lexer->is_fish && peek(lexer, 0) == '\\')
            advance(lexer);
        advance(lexer);
    }
    advance(lexer);
}

static void skip_backquotes(struct lexer *lexer)
{
    advance(lexer);
    while (!ended(lexer) && peek(lexer, 0) != '`') {
        if (peek(lexer, 0) == '\\')
            advance(lexer);
        advance(lexer);
    }
    advance(lexer);
}

enum { DEEPEST = 64 };

static void skip_quoting(struct lexer *lexer, unsigned depth);

/* Behind "$(", "${" or "(": to its end, over quotes and nested ones. */
static void skip_nested(struct lexer *lexer, char open, char close, unsigned depth)
{
    for (unsigned level = 1; !ended(lexer) && level > 0;) {
        char c = peek(lexer, 0);
        if (c == open)
            level++;
        else if (c == close)
            level--;
        if (strchr("'\"`\\$", c) && c)
            skip_quoting(lexer, depth + 1);
        else
            advance(lexer);
    }
}

static void skip_double_quotes(struct lexer *lexer, unsigned depth)
{
    advance(lexer);
    while (!ended(lexer) && peek(lexer, 0) != '"') {
        char c = peek(lexer, 0);
        if (c == '\\' || c == '`' || c == '$')
            skip_quoting(lexer, depth + 1);
        else
            advance(lexer);
    }
    advance(lexer);
}

/* Over one quoted part or expansion that begins here. */
static void skip_quoting(struct lexer *lexer, unsigned depth)
{
    char c = peek(lexer, 0);
    if (depth > DEEPEST) {
        advance(lexer);
    } else if (c == '\'') {
        skip_single_quotes(lexer);
    } else if (c == '"') {
        skip_double_quotes(lexer, depth);
    } else if (c == '`' && !lexer->is_fish) {
        skip_backquotes(lexer);
    } else if (c == '\\') {
        advance(lexer);
        advance(lexer);
    } else if (c == '$' && (peek(lexer, 1) == '(' || peek(lexer, 1) == '{')) {
        char open = peek(lexer, 1);
        advance(lexer);
        advance(lexer);
        skip_nested(lexer, open, open == '(' ? ')' : '}', depth);
    } else
        advance(lexer);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(const struct lexer *lexer, char c)
{
    return c == '\0' || is_blank(c) || c == '\n' || strchr(";&|<>()", c) != NULL || (lexer->is_fish && c == ')');
}

static struct str read_word(struct lexer *lexer)
{
    size_t start = lexer->at;
    while (!ended(lexer)) {
        char c = peek(lexer, 0);
        bool array = c == '(' && lexer->at > start && lexer->text.s[lexer->at - 1] == '=' && !lexer->is_fish;
        if (array || (lexer->is_fish && c == '(')) { /* x=(a b); fish's command substitution */
            advance(lexer);
            skip_nested(lexer, '(', ')', 0);
        } else if (ends_word(lexer, c) && c != '\0')
            break;
        else
            skip_quoting(lexer, 0);
    }
    return str_slice(lexer->text, start, lexer->at);
}

static void end_command(struct lexer *lexer, bool piped)
{
    struct shell_command *command = &lexer->current;
    command->piped = piped;
    command->in_subshell = lexer->subshells > 0 || piped || lexer->pipe_before;
    command->in_function = lexer->function_braces > 0;
    if (command->words.n)
        *vec_add(lexer->arena, lexer->commands) = *command;
    lexer->pipe_before = piped;
    *command = (struct shell_command){0};
}

static void skip_line(struct lexer *lexer)
{
    while (!ended(lexer) && peek(lexer, 0) != '\n')
        advance(lexer);
}

static void skip_heredocs(struct lexer *lexer)
{
    for (size_t i = 0; i < lexer->heredocs.n; i++) {
        const struct heredoc *heredoc = &lexer->heredocs.v[i];
        while (!ended(lexer)) {
            size_t start = lexer->at;
            skip_line(lexer);
            struct str line = str_slice(lexer->text, start, lexer->at);
            advance(lexer);
            while (heredoc->strips_tabs && line.n && line.s[0] == '\t')
                line = str_slice(line, 1, line.n);
            if (str_eq(line, heredoc->delimiter))
                break;
        }
    }
    lexer->heredocs.n = 0;
}

static struct str without_quotes(struct arena *arena, struct str word)
{
    char *copy = arena_alloc(arena, word.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++)
        if (!strchr("'\"\\", word.s[i]))
            copy[n++] = word.s[i];
    return (struct str){copy, n};
}

static void skip_blanks(struct lexer *lexer)
{
    while (is_blank(peek(lexer, 0)) && !ended(lexer))
        advance(lexer);
}

/* At < or >; the descriptor in front of it, if any, has become a word of digits. */
static void read_redirection(struct lexer *lexer)
{
    struct shell_command *command = &lexer->current;
    char direction = peek(lexer, 0);
    bool is_stdout = direction == '>';
    if (lexer->at > 0 && command->words.n && lexer->text.s[lexer->at - 1] == '2'
        && str_eq_c(command->words.v[command->words.n - 1].text, "2")) {
        command->words.n--;
        is_stdout = false;
    } else if (lexer->at > 0 && command->words.n && lexer->text.s[lexer->at - 1] == '1'
               && str_eq_c(command->words.v[command->words.n - 1].text, "1"))
        command->words.n--;
    if (!lexer->is_fish && peek(lexer, 1) == '(') { /* <(…): part of a word */
        command->bash_redirection = true;
        advance(lexer);
        advance(lexer);
        skip_nested(lexer, '(', ')', 0);
        return;
    }
    bool heredoc = direction == '<' && peek(lexer, 1) == '<' && peek(lexer, 2) != '<' && !lexer->is_fish;
    if (direction == '<' && peek(lexer, 1) == '<' && peek(lexer, 2) == '<')
        command->bash_redirection = true;
    bool strips = heredoc && peek(lexer, 2) == '-';
    bool duplicates = false;
    while (!ended(lexer) && strchr("<>&|-", peek(lexer, 0))) {
        duplicates |= peek(lexer, 0) == '&';
        advance(lexer);
    }
    skip_blanks(lexer);
    struct str target = read_word(lexer);
    if (heredoc)
        *vec_add(lexer->arena, &lexer->heredocs) = (struct heredoc){without_quotes(lexer->arena, target), strips};
    if (is_stdout) {
        command->redirected = true;
        command->to_stderr = (duplicates && str_eq_c(target, "2")) || str_eq_c(target, "/dev/stderr");
    }
}

static void close_brace(struct lexer *lexer)
{
    if (lexer->braces == lexer->function_braces)
        lexer->function_braces = 0;
    if (lexer->braces)
        lexer->braces--;
}

/* The words that open or close a function's body. */
static void follow_blocks(struct lexer *lexer, struct str word)
{
    static const char *const fish_blocks[] = {"if", "for", "while", "switch", "begin", "function", NULL};
    if (!lexer->is_fish) {
        if (str_eq_c(word, "{")) {
            lexer->braces++;
            if (lexer->function_next && !lexer->function_braces)
                lexer->function_braces = lexer->braces;
            lexer->function_next = false;
        } else if (str_eq_c(word, "}"))
            close_brace(lexer);
        else if (str_eq_c(word, "function"))
            lexer->function_next = true;
        return;
    }
    if (str_eq_c(word, "end"))
        close_brace(lexer);
    for (const char *const *block = fish_blocks; *block; block++)
        if (str_eq_c(word, *block))
            lexer->braces++;
    if (str_eq_c(word, "function") && !lexer->function_braces)
        lexer->function_braces = lexer->braces;
}

static void add_word(struct lexer *lexer)
{
    static const char *const leaders[] = {"{",     "}",    "then", "else", "do",  "!",     "if",   "while",
                                          "until", "elif", "and",  "or",   "not", "begin", "time", NULL};
    struct shell_command *command = &lexer->current;
    unsigned line = lexer->line;
    struct str word = read_word(lexer);
    if (word.n == 0) { /* nothing that a word can begin with: never stand still */
        advance(lexer);
        return;
    }
    if (lexer->function_next && command->words.n && str_eq_c(word, "{")) { /* function name { */
        end_command(lexer, false);
        command->line = line;
    }
    if (command->words.n == 0) {
        command->line = line;
        follow_blocks(lexer, word);
        for (const char *const *leader = leaders; *leader; leader++)
            if (str_eq_c(word, *leader))
                return; /* the command proper comes behind it */
    }
    *vec_add(lexer->arena, &command->words) = (struct shell_word){word, line};
}

static void open_parenthesis(struct lexer *lexer)
{
    size_t ahead = 1;
    while (is_blank(peek(lexer, ahead)))
        ahead++;
    advance(lexer);
    if (lexer->current.words.n == 1 && peek(lexer, ahead - 1) == ')') { /* name() */
        while (peek(lexer, 0) != ')')
            advance(lexer);
        advance(lexer);
        struct shell_word *name = &lexer->current.words.v[0];
        name->text = str_of(arena_printf(lexer->arena, "%.*s()", (int)name->text.n, name->text.s));
        end_command(lexer, false);
        lexer->function_next = true;
        return;
    }
    if (lexer->current.words.n == 0 && peek(lexer, 0) == '(') { /* ((…)): arithmetic, which ends in two parentheses */
        *vec_add(lexer->arena, &lexer->current.words) = (struct shell_word){STR("(("), lexer->line};
        lexer->current.line = lexer->line;
        skip_nested(lexer, '(', ')', 0);
        return;
    }
    end_command(lexer, false);
    lexer->subshells++;
}

/* A ) without its ( ends a pattern of case. */
static void close_parenthesis(struct lexer *lexer)
{
    advance(lexer);
    lexer->current.is_pattern = lexer->subshells == 0;
    end_command(lexer, false);
    if (lexer->subshells)
        lexer->subshells--;
}

static void read_operator(struct lexer *lexer)
{
    char c = peek(lexer, 0), next = peek(lexer, 1);
    if (c == '&' && next == '>') {
        lexer->current.bash_redirection = true;
        advance(lexer);
        read_redirection(lexer);
    } else if (c == '<' || c == '>')
        read_redirection(lexer);
    else if (c == '(')
        open_parenthesis(lexer);
    else if (c == ')')
        close_parenthesis(lexer);
    else {
        bool doubled = c != '\n' && next == c;
        end_command(lexer, c == '|' && !doubled);
        advance(lexer);
        if (doubled)
            advance(lexer);
        if (c == '\n')
            skip_heredocs(lexer);
    }
}

void shell_lex(struct arena *arena, struct str text, bool is_fish, struct shell_commands *commands)
{
    struct lexer lexer = {.arena = arena, .text = text, .line = 1, .is_fish = is_fish, .commands = commands};
    while (!ended(&lexer)) {
        char c = peek(&lexer, 0);
        if (is_blank(c))
            advance(&lexer);
        else if (c == '\\' && peek(&lexer, 1) == '\n') {
            advance(&lexer);
            advance(&lexer);
        } else if (c == '#')
            skip_line(&lexer);
        else if (c == '\n' || (c && strchr(";&|<>)", c)) || (c == '(' && !is_fish))
            read_operator(&lexer);
        else
            add_word(&lexer);
    }
    end_command(&lexer, false);
}

char *shell_literal(struct arena *arena, struct str word)
{
    struct text text = {.arena = arena};
    char quote = '\0';
    text_bytes(&text, "", 0);
    for (size_t i = 0; i < word.n; i++) {
        char c = word.s[i];
        if (quote != '\'' && (c == '$' || c == '`' || c == '\\'))
            return NULL;
        if (quote && c == quote)
            quote = '\0';
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else
            text_bytes(&text, &c, 1);
    }
    return text.s;
}
