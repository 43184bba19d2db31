# Lock files and manifests where a command takes an environment file: the same pin from each, its place in the report,
# and a failure where another release is installed.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
SHELL=/bin/sh
export SHELL
cd "$scratch" || exit 99
case $(uname -m) in
x86_64) here=linux-64 ;;
aarch64) here=linux-aarch64 ;;
*) skip_all "no lock file names this machine's platform" ;;
esac

# write_files DIR RELEASE BUILD: the four formats, each with that pin.
write_files() {
    mkdir "$1"
    address=https://conda.anaconda.org/conda-forge/noarch/cuda-version-$2-h0_0.conda
    printf 'version: 1\nmetadata:\n  platforms: [%s]\npackage:\n- name: cuda-version\n  version: "%s"\n' "$here" "$2" >"$1/conda-lock.yml"
    printf '  manager: conda\n  platform: %s\n  url: %s\n  category: main\n' "$here" "$address" >>"$1/conda-lock.yml"
    printf 'version: 6\nenvironments:\n  default:\n    packages:\n      %s:\n      - conda: %s\n' "$here" "$address" >"$1/pixi.lock"
    printf 'packages:\n- conda: %s\n' "$address" >>"$1/pixi.lock"
    printf '[workspace]\nchannels = ["conda-forge"]\nplatforms = ["%s"]\n\n[dependencies]\ncuda-version = "%s.*"\n' "$here" "$2" >"$1/pixi.toml"
    printf '[project]\nname = "x"\ndependencies = [\n  "nvidia-cuda-runtime-cu12==%s",\n]\n' "$3" >"$1/pyproject.toml"
}

standin_cudart s124 12040 libcudart.so.12
p="$scratch/env"
new_prefix "$p" plain
add_conda_cudart "$p" "$scratch/s124" 12.4.127
add_pip_cudart "$p" "$scratch/s124" 12.4.127
write_files good 12.4 12.4.127
write_files other 12.6 12.6.77

# run STATUS NAME ARGUMENT...: the exit status and, in err, nothing unless something is wrong
run() {
    _wanted=$1 _name=$2
    shift 2
    "$CONDAGPU" "$@" >out 2>err
    _status=$?
    { echo "status $_status, wanted $_wanted"; cat out err; } >why
    [ "$_status" = "$_wanted" ]
    ok $? "$_name"
}

# has PATTERN NAME: the output has it
has() {
    cat out err >why
    cat out err | grep -Eq -- "$1"
    ok $? "$2"
}

# accepts FILE LINE
accepts() {
    run 0 "$1: plan" plan --no-driver -p "$p" -f "good/$1"
    run 0 "$1: init" init --no-driver -p "$p" -f "good/$1"
    run 0 "$1: verify passes" verify --no-driver -p "$p" -f "good/$1" --only pin-present,pin-installed,pin-conflict,cudart-static,cudart-live
    has "pinned +12\\.4.*good/$1:$2" "$1: verify says the pin and its line"
    run 1 "$1: verify fails for another release" verify --no-driver -p "$p" -f "other/$1" --only pin-installed
    has "other/$1:$2" "$1: and names the line"
    # Without its name it is the same file.
    "$CONDAGPU" verify --no-driver -p "$p" -f - --only pin-installed <"good/$1" >out 2>err
    _status=$?
    cat out err >why
    ok "$_status" "$1: is told by its content"
}

accepts conda-lock.yml 5
accepts pixi.lock 6
if grep -q '^#define HAVE_TOML' "$top_builddir/config.h"; then
    accepts pixi.toml 6
    accepts pyproject.toml 4
    printf '[workspace]\nplatforms = ["%s"]\n' "$here" >unpinned.toml
    run 1 "a manifest that pins nothing" verify --no-driver -p "$p" -f unpinned.toml --only pin-present
    has 'fix: add cuda-version = "X\.Y\.\*"' "the mend is in the words of the manifest"
    printf '[workspace]\nplatforms = [\n[dependencies]\n' >bad.toml
    run 3 "a broken TOML file is an input that is not valid" verify --no-driver -p "$p" -f bad.toml
    has '^condagpu: environment file: bad\.toml:[0-9]+:[0-9]+: ' "its place is named"
    CONDAGPU_PKGLIBDIR="$scratch/nowhere" "$CONDAGPU" plan --no-driver -p "$p" -f good/pixi.toml >out 2>err
    is "$?" 3 "without the module a TOML file cannot be read"
    has "$scratch/nowhere/condagpu-toml.so" "and the missing file is named"
    CONDAGPU_PKGLIBDIR="$scratch/nowhere" "$CONDAGPU" plan --no-driver -p "$p" -f good/pixi.lock >out 2>err
    is "$?" 0 "a lock file needs no module"
else
    run 3 "a TOML file where condagpu was built without" plan --no-driver -p "$p" -f good/pixi.toml
    has 'built without a reader for TOML' "the reason is said"
fi

sed "s/$here/win-64/" good/pixi.lock >away.lock
run 3 "a lock without this platform is refused" verify --no-driver -p "$p" -f away.lock
has "away\\.lock:5:7: no package is for $here, only for win-64" "with the place and the platforms"
finish
