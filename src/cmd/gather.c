#include <config.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/gather.h"
#include "cmd/spec_state.h"
#include "render/render.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LARGEST_HOOK = 1024 * 1024, DEFAULT_DEADLINE_MS = 5000 };

bool gather_prefix(struct run *run, const char **prefix)
{
    const char *active = getenv("CONDA_PREFIX");
    if (run->options.name)
        return prefix_by_name(run->arena, run->options.name, prefix, &run->err);
    const char *chosen = run->options.prefix ? run->options.prefix : active;
    if (!chosen || !chosen[0]) {
        err_set(&run->err, ERR_USAGE, "prefix", NULL, 0, 0, "no environment is active");
        return err_mend(&run->err, "conda activate one, or name it with --prefix DIR or --name NAME");
    }
    *prefix = path_absolute(run->arena, chosen);
    return true;
}

bool gather_deadline(struct run *run, unsigned *deadline_ms)
{
    char *end;
    *deadline_ms = DEFAULT_DEADLINE_MS;
    if (!run->options.timeout)
        return true;
    double seconds = strtod(run->options.timeout, &end);
    if (end == run->options.timeout || *end || !(seconds > 0) || seconds > 3600)
        return err_set(&run->err, ERR_USAGE, "option", NULL, 0, 0, "--timeout takes seconds up to 3600, not \"%s\"",
                       run->options.timeout);
    *deadline_ms = (unsigned)(seconds * 1000) + (seconds < 0.001); /* 0 would be the default */
    return true;
}

/* The file of the working directory, or the one that `init` recorded, as far as they exist. */
static const char *default_file(const struct gathered *gathered)
{
    static const char *const names[] = {"environment.yml", "environment.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (file_exists(names[i]))
            return names[i];
    const char *recorded = gathered->state.file;
    return recorded && file_exists(recorded) ? recorded : NULL;
}

static bool missing_file(struct run *run)
{
    err_set(&run->err, ERR_INPUT, "environment file", NULL, 0, 0,
            "there is no environment.yml here, and none is recorded for the environment");
    return err_mend(&run->err, "name it with --file FILE");
}

static bool gather_spec(struct run *run, bool need_file, struct gathered *gathered)
{
    const char *file = run->options.file ? run->options.file : default_file(gathered);
    if (file) {
        if (!spec_read(run->arena, run->data, file, &gathered->spec, &run->err))
            return false;
        gathered->facts.spec = &gathered->spec;
    } else if (gathered->state.spec && !need_file) {
        if (!spec_state_read(run->arena, gathered->state.spec, &gathered->spec)) {
            err_set(&run->err, ERR_INPUT, "state file",
                    path_join(run->arena, gathered->inventory.prefix, STATE_FILE), 0, 0, "its pins cannot be read");
            return err_mend(&run->err, "name the environment file with --file FILE");
        }
        gathered->facts.spec = &gathered->spec;
        gathered->facts.spec_recorded = true;
    } else if (need_file)
        return missing_file(run);
    return true;
}

static bool gather_machine(struct run *run, struct gathered *gathered)
{
    unsigned deadline_ms;
    if (!gather_deadline(run, &deadline_ms))
        return false;
    if (run->options.probe)
        return machine_from_json(run->arena, run->options.probe, &gathered->machine, &run->err);
    struct probe_options options = {
        .root = run->options.root,
        .deadline_ms = deadline_ms,
        .no_driver = run->options.no_driver,
        .prefix = gathered->inventory.prefix,
    };
    probe_machine(run->arena, &options, &gathered->machine);
    return true;
}

/* condagpu.yml beside the environment file, unless --config names another. */
static bool gather_config(struct run *run, struct gathered *gathered)
{
    const char *file = run->options.config;
    config_default(&gathered->config);
    if (!file && gathered->facts.spec && !gathered->facts.spec_recorded && strcmp(gathered->spec.file, "-") != 0) {
        const char *beside =
            path_join(run->arena, path_dirname(run->arena, gathered->spec.file), "condagpu.yml");
        file = file_exists(beside) ? beside : NULL;
    }
    if (!file && gathered->facts.spec_recorded && gathered->state.config && file_exists(gathered->state.config))
        file = gathered->state.config;
    return !file || config_read(run->arena, file, &gathered->config, &run->err);
}

/* .sh and .fish always; .csh where it was written before, where it is asked for, and when `init` is run by somebody whose
 * login shell it is. */
static bool wants_shell(const struct run *run, const struct gathered *gathered, const struct shell *shell, bool writing)
{
    const char *login = getenv("SHELL");
    const char *name = login ? path_basename(login) : "";
    if (strcmp(shell->name, "csh") != 0)
        return true;
    if (strv_find(&run->options.shells, "csh") < run->options.shells.n
        || strv_find(&run->options.shells, "tcsh") < run->options.shells.n
        || (writing && (strcmp(name, "csh") == 0 || strcmp(name, "tcsh") == 0)))
        return true;
    return state_recorded(&gathered->state, "etc/conda/activate.d/" HOOK_STEM ".csh", NULL) != NULL;
}

static const char *short_digest(struct arena *arena, const char *file, const char *sha256)
{
    return arena_printf(arena, "%s sha256 %.12s", path_basename(file), sha256 ? sha256 : "?");
}

static const char *describe_inputs(struct arena *arena, const struct gathered *gathered)
{
    struct text text = {.arena = arena};
    const struct spec *spec = gathered->facts.spec;
    if (spec && spec->sha256)
        text_add(&text, "%s", short_digest(arena, spec->file, spec->sha256));
    if (gathered->config.file)
        text_add(&text, "%s%s", text.n ? ", " : "",
                 short_digest(arena, gathered->config.file, gathered->config.sha256));
    return text.n ? text_printable(arena, text_str(&text)) : "no environment file";
}

static bool add_hook(struct run *run, struct gathered *gathered, const struct shell *shell, bool activate)
{
    struct hook_file *hook = vec_add(run->arena, &gathered->hooks);
    struct render_input input = {
        .plan = &gathered->plan,
        .id = gathered->id,
        .version = PACKAGE_VERSION,
        .inputs = describe_inputs(run->arena, gathered),
        .template_dir = run->options.template_dir,
    };
    hook->relative = arena_printf(run->arena, "etc/conda/%s.d/" HOOK_STEM "%s", activate ? "activate" : "deactivate",
                                  shell->suffix);
    hook->path = path_join(run->arena, gathered->inventory.prefix, hook->relative);
    hook->present = file_is_regular(hook->path);
    if (hook->present
        && !file_read(run->arena, hook->path, LARGEST_HOOK, "hook", &hook->actual, &run->err))
        return false;
    hook->recorded = state_recorded(&gathered->state, hook->relative,
                                    hook->present ? sha256_hex(run->arena, hook->actual) : NULL);
    return render_hook(run->arena, shell, activate, &input, &hook->expected, &run->err);
}

/* The ID that a hook of ours carries in the names of its state, where state.json is lost: shells that are active hold it. */
static const char *id_of_hooks(struct run *run, const struct gathered *gathered)
{
    const char *path = path_join(run->arena, gathered->inventory.prefix, "etc/conda/deactivate.d/" HOOK_STEM ".sh");
    struct str content;
    struct err ignored;
    if (!file_exists(path) || !file_read(run->arena, path, LARGEST_HOOK, "hook", &content, &ignored))
        return NULL;
    const char *found = strstr(content.s, "_CONDAGPU_");
    if (!found || strspn(found + 10, "0123456789abcdef") != 8)
        return NULL;
    return arena_memdup(run->arena, found + 10, 8);
}

/* Deactivation first: a hook that can be undone is written before the one that must be. */
static bool gather_hooks(struct run *run, bool writing, struct gathered *gathered)
{
    gathered->id = gathered->state.present ? gathered->state.id : id_of_hooks(run, gathered);
    if (!gathered->id)
        gathered->id = state_new_id(run->arena);
    for (int activate = 0; activate < 2; activate++)
        for (const struct shell *shell = shells; shell->name; shell++)
            if (wants_shell(run, gathered, shell, writing) && !add_hook(run, gathered, shell, activate))
                return false;
    return true;
}

bool gather(struct run *run, bool need_file, struct gathered *gathered)
{
    const char *prefix;
    *gathered = (struct gathered){0};
    gathered->facts = (struct facts){
        .data = run->data,
        .inventory = &gathered->inventory,
        .machine = &gathered->machine,
        .state = &gathered->state,
    };
    return gather_prefix(run, &prefix) && inventory_read(run->arena, prefix, &gathered->inventory, &run->err)
        && state_read(run->arena, prefix, &gathered->state, &run->err) && gather_spec(run, need_file, gathered)
        && gather_machine(run, gathered) && gather_config(run, gathered)
        && plan_make(run->arena, &gathered->facts, &gathered->config, &gathered->plan, &run->err)
        && gather_hooks(run, need_file, gathered);
}
