#include "dialect.h"

static const struct dialect sh = {
    .suffix = ".sh",
    .prologue = "run() { . \"$1\"; }\n",
    .set = "export %1$s=\"${T_%2$u-}\"\n",
    .front = "export %1$s=\"${T_%2$u-}:${%1$s-}\"\n",
    .back = "export %1$s=\"${%1$s-}:${T_%2$u-}\"\n",
    .unset = "unset -v %1$s || :\n",
    .source = "run '%s'\n",
    .dump = "env -0 >'%s'\n",
};

static const struct dialect fish = {
    .suffix = ".fish",
    .prologue = "function run; source $argv[1]; end\n",
    .set = "set -gx %1$s \"$T_%2$u\"\n",
    .front = "set -gx %1$s \"$T_%2$u:$%1$s\"\n",
    .back = "set -gx %1$s \"$%1$s:$T_%2$u\"\n",
    .unset = "set -qg %1$s; and set -eg %1$s\n",
    .source = "run '%s'\n",
    .dump = "env -0 >'%s'\n",
};

static const struct dialect csh = {
    .suffix = ".csh",
    .prologue = "",
    .set = "setenv %1$s \"${T_%2$u}\"\n",
    .front = "if ($?%1$s) then\nsetenv %1$s \"${T_%2$u}:${%1$s}\"\nelse\nsetenv %1$s \"${T_%2$u}:\"\nendif\n",
    .back = "if ($?%1$s) then\nsetenv %1$s \"${%1$s}:${T_%2$u}\"\nelse\nsetenv %1$s \":${T_%2$u}\"\nendif\n",
    .unset = "unsetenv %1$s\n",
    .source = "eval 'source \"%s\"'\n",
    .dump = "env -0 >'%s'\n",
};

/* conda and mamba give xonsh the .sh hooks. */
static const struct dialect xonsh = {
    .suffix = ".sh",
    .prologue = "",
    .set = "$%1$s = $T_%2$u\n",
    .front = "$%1$s = $T_%2$u + ':' + (${...}.detype().get('%1$s') or '')\n",
    .back = "$%1$s = (${...}.detype().get('%1$s') or '') + ':' + $T_%2$u\n",
    .unset = "if '%1$s' in ${...}:\n    del $%1$s\n",
    .source = "source-bash --suppress-skip-message -n '%s'\n",
    .dump = "env -0 > '%s'\n",
};

static const char bash_listing[] = "{ set +o; shopt || :; alias; declare -F; compgen -v; umask; trap; } >'%s'\n";
static const char zsh_listing[] = "{ setopt; alias; functions; typeset +; umask; trap; } >'%s'\n";
static const char ash_listing[] = "{ set -o; alias; set; umask; trap; } >'%s'\n";
static const char ksh_listing[] = "{ set -o; alias; typeset -f; typeset +p; umask; trap; } >'%s'\n";
static const char fish_listing[] = "begin; functions -a -n; set --names; set -g --names; abbr; status; end >'%s'\n";
static const char csh_listing[] = "( set; alias ) >'%s'\n";
static const char xonsh_listing[] = "import pathlib; _ = pathlib.Path('%s').write_text(repr(sorted(aliases)))\n";

const struct subject subjects[] = {
    {"bash", {"bash", "--norc", "--noprofile"}, &sh, bash_listing, 0},
    {"bash-euf", {"bash", "--norc", "--noprofile", "-euf", "-o", "pipefail"}, &sh, bash_listing, 0},
    {"bash-odd",
     {"bash", "--norc", "--noprofile", "-O", "nocasematch", "-O", "extglob", "-O", "nullglob"},
     &sh,
     bash_listing,
     0},
    {"zsh", {"zsh", "-f"}, &sh, zsh_listing, 0},
    {"zsh-eu", {"zsh", "-f", "-eu", "-o", "pipefail"}, &sh, zsh_listing, 0},
    {"zsh-odd",
     {"zsh", "-f", "-o", "sh_word_split", "-o", "nomatch", "-o", "ksh_arrays", "-o", "warn_create_global"},
     &sh,
     zsh_listing,
     0},
    {"dash", {"dash"}, &sh, ash_listing, 0},
    {"dash-euf", {"dash", "-euf"}, &sh, ash_listing, 0},
    {"busybox-euf", {"busybox", "ash", "-euf"}, &sh, ash_listing, 0},
    {"mksh", {"mksh"}, &sh, ksh_listing, 0},
    {"ksh93", {"ksh93"}, &sh, ksh_listing, 0},
    {"fish", {"fish", "--no-config"}, &fish, fish_listing, 0},
    {"tcsh", {"tcsh", "-f"}, &csh, csh_listing, 0},
    {"bsd-csh", {"bsd-csh", "-f"}, &csh, csh_listing, 0},
    {"xonsh", {"xonsh", "--no-rc"}, &xonsh, xonsh_listing, 8},
    {NULL, {NULL}, NULL, NULL, 0},
};
