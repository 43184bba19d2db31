#include "spec/matchspec.h"

#include <string.h>

static bool refuse(struct dep *dep, const char *problem)
{
    dep->problem = problem;
    dep->name = NULL;
    return false;
}

/* name[key='value', key=value]: the values win over what stands before. */
static bool read_brackets(struct arena *arena, struct dep *dep, struct str inside)
{
    while (inside.n) {
        size_t equals = str_find(inside, '=');
        struct str key = str_trim(str_slice(inside, 0, equals));
        struct str rest = str_trim(str_slice(inside, equals + 1, inside.n)), value;
        if (equals == inside.n) /* pip's extras, which conda ignores */
            return true;
        if (rest.n == 0)
            return refuse(dep, "a key in the brackets has no value");
        if (rest.s[0] == '\'' || rest.s[0] == '"') {
            size_t end = 1;
            while (end < rest.n && rest.s[end] != rest.s[0])
                end++;
            if (end == rest.n)
                return refuse(dep, "a quote in the brackets is not closed");
            value = str_slice(rest, 1, end);
            rest = str_slice(rest, end + 1, rest.n);
        } else {
            value = str_trim(str_slice(rest, 0, str_find(rest, ',')));
            rest = str_slice(rest, str_find(rest, ','), rest.n);
        }
        const char **field = str_eq_c(key, "version") ? &dep->version
            : str_eq_c(key, "build")                  ? &dep->build
            : str_eq_c(key, "channel")                ? &dep->channel
            : str_eq_c(key, "subdir")                 ? &dep->subdir
                                                      : NULL;
        if (field)
            *field = str_dup(arena, value);
        inside = str_trim(str_slice(rest, str_find(rest, ',') + 1, rest.n));
    }
    return true;
}

const char *matchspec_channel(struct arena *arena, struct str channel)
{
    while (str_ends(channel, "/"))
        channel.n--;
    size_t scheme = str_starts(channel, "https://") ? 8 : str_starts(channel, "http://") ? 7 : 0;
    if (scheme && str_starts(str_slice(channel, scheme, channel.n), "conda.anaconda.org/"))
        channel = str_slice(channel, scheme + 19, channel.n);
    return str_eq_c(channel, "pkgs/main") ? "defaults" : str_dup(arena, channel);
}

/* channel::name, channel/subdir::name, channel:namespace:name and, as conda reads it, namespace:name */
static struct str read_channel(struct arena *arena, struct dep *dep, struct str text)
{
    size_t last = text.n;
    while (last > 0 && text.s[last - 1] != ':')
        last--;
    if (last == 0)
        return text;
    struct str rest = str_slice(text, last, text.n), before = str_slice(text, 0, last - 1);
    size_t middle = before.n;
    while (middle > 0 && before.s[middle - 1] != ':')
        middle--;
    if (middle == 0)
        return rest;
    struct str channel = str_slice(before, 0, middle - 1);
    static const char *const subdirs[] = {"linux-64", "linux-aarch64", "linux-ppc64le", "linux-32", "osx-64", "osx-arm64",
                                          "win-64", "win-32", "noarch", NULL};
    for (const char *const *subdir = subdirs; *subdir; subdir++) {
        size_t n = strlen(*subdir);
        if (channel.n > n && str_ends(channel, *subdir) && channel.s[channel.n - n - 1] == '/') {
            dep->subdir = *subdir;
            channel.n -= n + 1;
            break;
        }
    }
    dep->channel = matchspec_channel(arena, channel);
    return rest;
}

static bool is_operator(char c)
{
    return memchr("=<>!~", c, 5) != NULL;
}

/* Where the build begins in "VERSION=BUILD" or "VERSION BUILD"; the length when there is none. A blank or = behind an
 * operator belongs to the version. */
static size_t find_build(struct str text)
{
    for (size_t i = text.n; i-- > 1;) {
        if (memchr(",|<>~", text.s[i], 5))
            return text.n;
        if ((text.s[i] == ' ' || text.s[i] == '=') && i + 1 < text.n && !memchr("=!|,<>~ ", text.s[i - 1], 8))
            return i;
    }
    return text.n;
}

static bool check_version(struct dep *dep, struct str version)
{
    bool empty = version.n == 0 || version.s[0] == '.';
    for (size_t i = 0; i < version.n; i++) {
        char c = version.s[i];
        empty |= c == '.' && (i + 1 == version.n || version.s[i + 1] == '.' || memchr(",|", version.s[i + 1], 2));
        if (c == '~' && (i + 1 == version.n || version.s[i + 1] != '='))
            return refuse(dep, "invalid operator in the version");
        if (memchr("'\"()", c, 4))
            return refuse(dep, "the version holds a character that no version has");
    }
    return !empty || refuse(dep, "empty version component");
}

static struct str without_blanks(struct arena *arena, struct str text)
{
    char *copy = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] != ' ')
            copy[n++] = text.s[i];
    return (struct str){copy, n};
}

/* What "=BARE" without a build means: 1.2 is 1.2.*, and a star that is there already gets its dot. */
static const char *fuzzy_version(struct arena *arena, struct str bare)
{
    if (str_ends(bare, "*"))
        bare.n--;
    if (str_ends(bare, "."))
        bare.n--;
    if (bare.n == 0)
        return "*";
    return arena_printf(arena, "%.*s%s", (int)bare.n, bare.s, is_operator(bare.s[0]) ? "*" : ".*");
}

/* "=1.2" without a build is fuzzy; "==1.2" and "1.2=build" are exact. */
static bool read_version(struct arena *arena, struct dep *dep, struct str text)
{
    text = str_trim(text);
    size_t split = find_build(text);
    struct str version = without_blanks(arena, str_slice(text, 0, split));
    struct str build = str_trim(str_slice(text, split + 1, text.n));
    while (str_starts(build, "="))
        build = str_slice(build, 1, build.n);
    if (build.n)
        dep->build = str_dup(arena, build);
    bool exact = str_starts(version, "=="), fuzzy = !exact && str_starts(version, "=");
    struct str bare = str_slice(version, exact ? 2 : fuzzy ? 1 : 0, version.n);
    if (bare.n == 0)
        return true;
    if (str_ends(bare, ".") && fuzzy)
        bare.n--;
    bool is_list = str_find(bare, ',') < bare.n || str_find(bare, '|') < bare.n || str_find(bare, '=') < bare.n;
    if (!check_version(dep, bare))
        return false;
    if (fuzzy && is_list)
        dep->version = str_dup(arena, version);
    else
        dep->version = fuzzy && !build.n ? fuzzy_version(arena, bare) : str_dup(arena, bare);
    return true;
}

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.s[i];
        if (!(c == '_' || c == '-' || c == '.' || c == '*' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')))
            return false;
    }
    return name.n > 0 && name.s[0] != '-';
}

static bool is_package_url(struct str text)
{
    return (str_starts(text, "http://") || str_starts(text, "https://") || str_starts(text, "file://"))
        && (str_ends(text, ".conda") || str_ends(text, ".tar.bz2"));
}

/* Cuts the part behind the last `separator` off `text`; false when there is none. */
static bool cut_last(struct str *text, char separator, struct str *part)
{
    size_t at = text->n;
    while (at > 0 && text->s[at - 1] != separator)
        at--;
    if (at == 0)
        return false;
    *part = str_slice(*text, at, text->n);
    *text = str_slice(*text, 0, at - 1);
    return true;
}

bool matchspec_read_address(struct arena *arena, struct dep *dep, struct str address)
{
    struct str name, version, build, subdir;
    address = str_slice(address, 0, str_find(address, '#'));
    if (!cut_last(&address, '/', &name) || !(str_ends(name, ".conda") || str_ends(name, ".tar.bz2")))
        return false;
    name.n -= str_ends(name, ".conda") ? strlen(".conda") : strlen(".tar.bz2");
    if (!cut_last(&name, '-', &build) || !cut_last(&name, '-', &version) || !name.n || !version.n || !build.n)
        return false;
    dep->name = str_lower(arena, name);
    dep->version = str_dup(arena, version);
    dep->build = str_dup(arena, build);
    if (cut_last(&address, '/', &subdir) && subdir.n && address.n) {
        dep->subdir = str_dup(arena, subdir);
        dep->channel = matchspec_channel(arena, address);
    }
    return true;
}

void matchspec_parse(struct arena *arena, struct dep *dep)
{
    struct str text = str_of(dep->text), brackets = {NULL, 0};
    text = str_trim(str_slice(text, 0, str_find(text, '#')));
    dep->text = str_dup(arena, text);
    if (is_package_url(text)) {
        if (!matchspec_read_address(arena, dep, text))
            refuse(dep, "the file is not named NAME-VERSION-BUILD");
        return;
    }
    size_t open = str_find(text, '['), close = str_find(text, ']');
    if (open < text.n) {
        if (close == text.n || close < open) {
            refuse(dep, "a bracket is not closed");
            return;
        }
        brackets = str_slice(text, open + 1, close);
        text = str_trim(str_slice(text, 0, open));
    }
    text = read_channel(arena, dep, text);
    size_t n = 0;
    while (n < text.n && text.s[n] != ' ' && !is_operator(text.s[n]))
        n++;
    struct str name = {str_lower(arena, str_slice(text, 0, n)), n}, version = str_slice(text, n, text.n);
    if (n == 0 || !is_name(name)) {
        refuse(dep, n == 0 ? "no package name" : "the package name holds a character that no name has");
        return;
    }
    dep->name = name.s;
    if (str_trim(version).n && !read_version(arena, dep, version))
        return;
    read_brackets(arena, dep, brackets);
}
