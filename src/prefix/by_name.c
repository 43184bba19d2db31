#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "prefix/inventory.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_CONDARC = 1024 * 1024 };

/* What a look-up knows of the user's conda. */
struct conda {
    struct arena *arena;
    const char *home;  /* NULL when unknown */
    struct strv roots; /* existing root prefixes, the preferred one first */
    struct strv dirs;  /* directories of environments, in the order of the look-up */
};

static const char *env_value(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* "~", "$NAME" and "${NAME}", as conda expands the paths in its configuration; an unknown variable stays. */
static const char *expand(const struct conda *conda, struct str path)
{
    struct text text = {.arena = conda->arena};
    text_bytes(&text, "", 0);
    if (conda->home && str_starts(path, "~") && (path.n == 1 || path.s[1] == '/')) {
        text_add(&text, "%s", conda->home);
        path = str_slice(path, 1, path.n);
    }
    for (size_t i = 0; i < path.n;) {
        bool braces = path.s[i] == '$' && i + 1 < path.n && path.s[i + 1] == '{';
        size_t start = i + (braces ? 2 : 1), end = start;
        while (path.s[i] == '$' && end < path.n
               && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", path.s[end]))
            end++;
        bool complete = path.s[i] == '$' && end > start && (!braces || (end < path.n && path.s[end] == '}'));
        const char *value = complete ? getenv(str_dup(conda->arena, str_slice(path, start, end))) : NULL;
        if (value)
            text_add(&text, "%s", value);
        else
            text_bytes(&text, path.s + i, 1);
        i = value ? end + (braces ? 1 : 0) : i + 1;
    }
    return text.s;
}

static void add_dir(struct conda *conda, struct str dir)
{
    if (dir.n == 0)
        return;
    const char *path = path_absolute(conda->arena, expand(conda, dir));
    if (strv_find(&conda->dirs, path) == conda->dirs.n)
        strv_add(conda->arena, &conda->dirs, path);
}

static void event_cleanup(yaml_event_t *event)
{
    yaml_event_delete(event);
}

/* One state a position: the key of the document's mapping, its value, or below it. */
struct condarc_reader {
    struct conda *conda;
    int depth;     /* of open collections */
    bool is_value; /* in the document's mapping: a value comes next */
    bool wanted;   /* the value's key is envs_dirs (or envs_path, its other name) */
};

static void on_scalar(struct condarc_reader *reader, struct str text)
{
    if (reader->depth == 1 && !reader->is_value) {
        reader->wanted = str_eq_c(text, "envs_dirs") || str_eq_c(text, "envs_path");
        reader->is_value = true;
        return;
    }
    if (reader->wanted && reader->depth <= 2)
        add_dir(reader->conda, text);
    if (reader->depth == 1)
        reader->is_value = false;
}

/* False at the end of the stream. */
static bool on_event(struct condarc_reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        on_scalar(reader, (struct str){(const char *)event->data.scalar.value, event->data.scalar.length});
        return true;
    case YAML_ALIAS_EVENT:
        if (reader->depth == 1)
            reader->is_value = !reader->is_value;
        return true;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        reader->depth++;
        return true;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        if (--reader->depth == 1)
            reader->is_value = false;
        return true;
    case YAML_STREAM_END_EVENT:
        return false;
    default:
        return true;
    }
}

/* What cannot be read, or is no YAML, adds what stands before the mistake: another tool's file is not ours to judge. */
static void read_condarc(struct conda *conda, const char *path)
{
    struct err ignored = {0};
    struct str content;
    yaml_parser_t parser;
    if (!file_is_regular(path) || !file_read(conda->arena, path, LARGEST_CONDARC, "condarc", &content, &ignored)
        || !yaml_parser_initialize(&parser))
        return;
    struct condarc_reader reader = {.conda = conda};
    yaml_parser_set_input_string(&parser, (const unsigned char *)content.s, content.n);
    for (bool more = true; more;) {
        __attribute__((cleanup(event_cleanup))) yaml_event_t event = {0};
        more = yaml_parser_parse(&parser, &event) && on_event(&reader, &event);
    }
    yaml_parser_delete(&parser);
}

/* conda.d: *.yml and *.yaml, the last one the strongest. */
static void read_condarc_dir(struct conda *conda, const char *dir)
{
    struct strv names = {0};
    if (!dir_list(conda->arena, dir, &names))
        return;
    for (size_t i = names.n; i-- > 0;)
        if (str_ends(str_of(names.v[i]), ".yml") || str_ends(str_of(names.v[i]), ".yaml"))
            read_condarc(conda, path_join(conda->arena, dir, names.v[i]));
}

/* .condarc, condarc and condarc.d of one directory, the strongest first. */
static void read_condarcs_in(struct conda *conda, const char *dir)
{
    if (!dir)
        return;
    read_condarc_dir(conda, path_join(conda->arena, dir, "condarc.d"));
    read_condarc(conda, path_join(conda->arena, dir, "condarc"));
    read_condarc(conda, path_join(conda->arena, dir, ".condarc"));
}

static const char *in_home(const struct conda *conda, const char *relative)
{
    return conda->home ? path_join(conda->arena, conda->home, relative) : NULL;
}

/* conda/base/constants.py, SEARCH_PATH, from its end: a later file is the stronger one, and its list comes first. */
static void read_condarcs(struct conda *conda)
{
    const char *condarc = env_value("CONDARC"), *xdg = env_value("XDG_CONFIG_HOME");
    if (condarc)
        read_condarc(conda, expand(conda, str_of(condarc)));
    read_condarcs_in(conda, env_value("CONDA_PREFIX"));
    if (conda->home)
        read_condarc(conda, in_home(conda, ".condarc"));
    read_condarcs_in(conda, in_home(conda, ".conda"));
    read_condarcs_in(conda, in_home(conda, ".config/conda"));
    if (xdg)
        read_condarcs_in(conda, path_join(conda->arena, xdg, "conda"));
    for (size_t i = 0; i < conda->roots.n; i++)
        read_condarcs_in(conda, conda->roots.v[i]);
    read_condarcs_in(conda, "/var/lib/conda");
    read_condarcs_in(conda, "/etc/conda");
}

static void add_root(struct conda *conda, const char *path)
{
    if (path && path[0] == '/' && file_is_dir(path)) {
        const char *root = path_absolute(conda->arena, path);
        if (strv_find(&conda->roots, root) == conda->roots.n)
            strv_add(conda->arena, &conda->roots, root);
    }
}

static void find_roots(struct conda *conda)
{
    const char *exe = env_value("CONDA_EXE");
    add_root(conda, env_value("CONDA_ROOT"));
    if (exe && exe[0] == '/')
        add_root(conda, path_dirname(conda->arena, path_dirname(conda->arena, exe)));
    add_root(conda, env_value("MAMBA_ROOT_PREFIX"));
}

static void find_dirs(struct conda *conda)
{
    const char *list = env_value("CONDA_ENVS_DIRS");
    struct str rest = str_of(list ? list : env_value("CONDA_ENVS_PATH")), dir;
    while (str_cut(&rest, ':', &dir))
        add_dir(conda, str_trim(dir));
    read_condarcs(conda);
    for (size_t i = 0; i < conda->roots.n; i++)
        add_dir(conda, str_of(path_join(conda->arena, conda->roots.v[i], "envs")));
    if (conda->home)
        add_dir(conda, str_of(in_home(conda, ".conda/envs")));
}

/* Lines of ~/.conda/environments.txt whose last part is the name and which are there. */
static void find_listed(const struct conda *conda, const char *name, struct strv *found)
{
    struct err ignored = {0};
    struct str rest, line;
    const char *path = in_home(conda, ".conda/environments.txt");
    if (!path || !file_is_regular(path)
        || !file_read(conda->arena, path, LARGEST_CONDARC, "environments.txt", &rest, &ignored))
        return;
    while (str_cut(&rest, '\n', &line)) {
        const char *prefix = str_dup(conda->arena, str_trim(line));
        if (prefix[0] == '/' && strcmp(path_basename(prefix), name) == 0 && file_is_dir(prefix)
            && strv_find(found, prefix) == found->n)
            strv_add(conda->arena, found, prefix);
    }
}

static bool not_found(const struct conda *conda, const char *name, struct err *err)
{
    struct text text = {.arena = conda->arena};
    text_bytes(&text, "", 0);
    for (size_t i = 0; i < conda->dirs.n; i++)
        text_add(&text, "%s%s", i ? ", " : "", conda->dirs.v[i]);
    err_set(err, ERR_INPUT, "environment", name, 0, 0, "no environment of this name in %s%s",
            text.n ? text.s : "any place that is known here", conda->home ? ", nor in ~/.conda/environments.txt" : "");
    return err_mend(err, "give its directory: --prefix DIR; conda env list shows them");
}

static bool find_named(struct conda *conda, const char *name, const char **prefix, struct err *err)
{
    struct strv listed = {0};
    find_dirs(conda);
    for (size_t i = 0; i < conda->dirs.n; i++) {
        *prefix = path_join(conda->arena, conda->dirs.v[i], name);
        if (file_is_dir(*prefix))
            return true;
    }
    find_listed(conda, name, &listed);
    if (listed.n == 0)
        return not_found(conda, name, err);
    *prefix = listed.v[0];
    if (listed.n == 1)
        return true;
    err_set(err, ERR_INPUT, "environment", name, 0, 0, "%zu environments have this name: %s, %s%s", listed.n,
            listed.v[0], listed.v[1], listed.n > 2 ? ", …" : "");
    return err_mend(err, "say which: --prefix DIR");
}

static bool find_base(const struct conda *conda, const char *name, const char **prefix, struct err *err)
{
    if (conda->roots.n) {
        *prefix = conda->roots.v[0];
        return true;
    }
    err_set(err, ERR_INPUT, "environment", name, 0, 0,
            "where conda is installed is not known: none of CONDA_ROOT, CONDA_EXE and MAMBA_ROOT_PREFIX leads to it");
    return err_mend(err, "give its directory: --prefix DIR");
}

bool prefix_by_name(struct arena *arena, const char *name, const char **prefix, struct err *err)
{
    struct conda conda = {.arena = arena, .home = env_value("HOME")};
    find_roots(&conda);
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        err_set(err, ERR_INPUT, "environment", name, 0, 0, "not a name of an environment");
        return err_mend(err, "a directory is given by --prefix DIR");
    }
    if (strcmp(name, "base") == 0 || strcmp(name, "root") == 0)
        return find_base(&conda, name, prefix, err);
    return find_named(&conda, name, prefix, err);
}
