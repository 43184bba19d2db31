#!/bin/sh
# The main job in a made-up environment, for people to watch: init, activation in a real shell, verify, deactivation.
# Called by `./bootstrap demo`, which sets CONDAGPU, top_srcdir, CC and CUDA_DIR.
# shellcheck disable=SC1091,SC2154
set -eu

: "${CONDAGPU:?is set by ./bootstrap demo}" "${top_srcdir:?}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/condagpu-demo-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM PIPE
. "$top_srcdir/tests/prefix.sh"

say() { printf '\n%s\n' "$*"; }

# show COMMAND...: echoes the command as one would type it, then runs it.
show() {
    printf '\n$ %s\n' "$(echo "$*" | sed "s|$CONDAGPU|condagpu|")"
    "$@"
}

# What the library itself answers to cudaRuntimeGetVersion: "13.0"; nothing when it needs a driver for that.
ask_release() {
    cat >"$scratch/ask.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*ask)(int *) = library ? (int (*)(int *))dlsym(library, "cudaRuntimeGetVersion") : NULL;
    int version = 0;
    if (!ask || ask(&version) != 0)
        return 1;
    printf("%d.%d\n", version / 1000, version % 1000 / 10);
    return 0;
}
END
    "${CC:-cc}" -o "$scratch/ask" "$scratch/ask.c" -ldl && "$scratch/ask" "$1"
}

# The newest build of that release that the tables know: "13.0" gives 13.0.96.
known_build() {
    awk -F '\t' -v release="$1" 'index($2, release ".") == 1 { build = $2 } END { print build }' \
        "$top_srcdir/src/data/cuda_release.tsv"
}

# Sets library, build and release: a toolkit's own runtime, or else a stand-in made on the spot.
find_runtime() {
    library='' build=''
    for candidate in ${CUDA_DIR:+"$CUDA_DIR"/lib64/libcudart.so.*} /usr/local/cuda*/lib64/libcudart.so.*; do
        release=$([ -f "$candidate" ] && ask_release "$candidate" 2>/dev/null) || continue
        library=$(readlink -f "$candidate")
        case ${library##*/} in
        libcudart.so.*.*.*) build=${library##*/libcudart.so.} ;;
        *) build=$(known_build "$release") ;;
        esac
        if [ -n "$build" ]; then return; fi
    done
    library="$scratch/libcudart.so.12" build=12.4.127 release=12.4
    standin_cudart "$library" 12040 libcudart.so.12
}

find_runtime
case $library in
"$scratch"/*) say "There is no CUDA toolkit here: a small stand-in plays libcudart $build." ;;
*) say "libcudart of CUDA $release comes from $library." ;;
esac

prefix="$scratch/envs/demo"
mkdir -p "$scratch/envs"
new_prefix "$prefix"
add_conda_cudart "$prefix" "$library" "$build"
environment "$scratch/environment.yml" "cuda-version=$release"
cd "$scratch"
show cat environment.yml
show "$CONDAGPU" init -p "$prefix"

cat >"$scratch/session" <<'END'
# What `conda activate`, some work and `conda deactivate` do to a shell.
prefix=$1
# show WORDS COMMAND...
show() {
    printf '\n$ %s\n' "$1"
    shift
    "$@"
}
snapshot() { env -0 | sort -z | grep -zv '^_=' >"$1"; }
activate() {
    old_path=$PATH
    export PATH="$prefix/bin:$PATH" CONDA_PREFIX="$prefix" CONDA_SHLVL=1 CONDA_DEFAULT_ENV=demo
    for hook in "$prefix"/etc/conda/activate.d/*.sh; do . "$hook"; done
}
deactivate() {
    export PATH="$old_path"
    for hook in $(printf '%s\n' "$CONDA_PREFIX"/etc/conda/deactivate.d/*.sh | LC_ALL=C sort -r); do . "$hook"; done
    unset CONDA_PREFIX CONDA_SHLVL CONDA_DEFAULT_ENV
}
changes() {
    comm -z -13 before activated | tr '\0' '\n' | sed "s|^|  |"
}
snapshot before
show 'conda activate demo' activate
snapshot activated
printf '\nThe environment of the shell has changed by:\n'
changes
verified=0
show 'condagpu verify' "$CONDAGPU" verify || verified=$?
show 'conda deactivate' deactivate
snapshot after
if cmp before after; then
    printf '\nAfter deactivation the environment is what it was before, byte for byte.\n'
else
    printf '\nDeactivation left something behind:\n'
    comm -z -3 before after | tr '\0' '\n'
    verified=1
fi
exit "$verified"
END
unset CONDA_PREFIX CONDA_SHLVL CONDA_DEFAULT_ENV CONDAGPU_ACTIVE
status=0
CONDAGPU="$CONDAGPU" LC_ALL=C bash --noprofile --norc "$scratch/session" "$prefix" || status=$?
show "$CONDAGPU" remove -p "$prefix"
exit "$status"
