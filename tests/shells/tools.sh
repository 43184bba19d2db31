# The hooks in the hands of real tools: an activation script made by rattler (what pixi runs), and an environment that
# conda-pack has moved. They need python3 with py-rattler and conda-pack: CONDAGPU_TEST_PYTHON names one, else
# CONDAGPU_TEST_NETWORK=1 lets pip install them in a scratch directory.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"

tool=$top_builddir/tests/shells/render_tool
python=${CONDAGPU_TEST_PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || skip_all 'there is no python3'
if [ "${CONDAGPU_TEST_NETWORK:-}" = 1 ] && ! "$python" -c 'import rattler, conda_pack' 2>/dev/null; then
    "$python" -m venv "$scratch/venv" >/dev/null 2>&1 &&
        "$scratch/venv/bin/pip" -q install py-rattler conda-pack setuptools >/dev/null 2>&1 &&
        python=$scratch/venv/bin/python
fi

# environment NAME ID OP…: a prefix with our hooks in it
environment() {
    prefix=$scratch/$1
    id=$2
    shift 2
    mkdir -p "$prefix/conda-meta" "$prefix/bin" "$prefix/etc/conda/activate.d" "$prefix/etc/conda/deactivate.d"
    : >"$prefix/conda-meta/history"
    for suffix in sh fish; do
        for verb in activate deactivate; do
            "$tool" -i "$id" "$suffix" "$verb" "$@" >"$prefix/etc/conda/$verb.d/~zz-condagpu.$suffix" || exit 99
        done
    done
}
# shellcheck disable=SC2016
{
    environment 'a b' 000000aa 'set:CUDA_HOME=$CONDA_PREFIX' default:OMP_NUM_THREADS=4 \
        'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/lib'
    environment c 000000cc 'set:CUDA_HOME=$CONDA_PREFIX' default:OMP_NUM_THREADS=2 \
        'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/lib'
}

# ours FILE: the variables that the hooks deal with
ours() {
    tr '\0' '\n' <"$1" | grep -aE '^(_CONDAGPU_|_condagpu|CONDAGPU_ACTIVE|CUDA_HOME|OMP_NUM|LD_LIBRARY)' | LC_ALL=C sort
}

# with_shell SHELL SCRIPT: with a known environment
with_shell() {
    case $1 in
    bash) set -- bash --norc --noprofile "$2" ;;
    zsh) set -- zsh -f "$2" ;;
    fish) set -- fish --no-config "$2" ;;
    esac
    env -u OMP_NUM_THREADS -u CUDA_HOME LD_LIBRARY_PATH=/user: HOME="$scratch" "$@" >"$scratch/out" 2>&1
}

have_rattler=0
"$python" -c 'import rattler.shell' 2>/dev/null || have_rattler=1
for shell in bash zsh fish; do
    if [ $have_rattler -ne 0 ] || ! command -v $shell >/dev/null 2>&1; then
        skip "rattler and $shell" 'py-rattler or the shell is not installed'
        continue
    fi
    "$python" - "$scratch" $shell <<'PYTHON'
import sys
from pathlib import Path
from rattler.shell import ActivationVariables, Shell, activate

scratch, shell = Path(sys.argv[1]), sys.argv[2]
first, second = scratch / "a b", scratch / "c"
for name, prefix, current in (("one", first, None), ("two", second, first)):
    result = activate(prefix, ActivationVariables(current), getattr(Shell, shell))
    (scratch / name).write_text(result.script)
PYTHON
    suffix="sh"
    [ $shell = fish ] && suffix=fish
    {
        echo "env -0 >'$scratch/0'"
        echo ". '$scratch/one'"
        echo "env -0 >'$scratch/1'"
        echo ". '$scratch/two'"
        echo "env -0 >'$scratch/2'"
        echo ". '$scratch/c/etc/conda/deactivate.d/~zz-condagpu.$suffix'"
        echo "env -0 >'$scratch/3'"
    } >"$scratch/script"
    with_shell $shell "$scratch/script"
    is "$(cat "$scratch/out")" '' "rattler and $shell: silent"
    is "$(ours "$scratch/1" | grep -v '^_')" "CONDAGPU_ACTIVE=$scratch/a b
CUDA_HOME=$scratch/a b
LD_LIBRARY_PATH=$scratch/a b/lib:/user:
OMP_NUM_THREADS=4" "rattler and $shell: the first environment"
    is "$(ours "$scratch/2" | grep -v '^_')" "CONDAGPU_ACTIVE=$scratch/c
CUDA_HOME=$scratch/c
LD_LIBRARY_PATH=$scratch/c/lib:/user:
OMP_NUM_THREADS=2" "rattler and $shell: the second one, over the first"
    is "$(ours "$scratch/3")" "$(ours "$scratch/0")" "rattler and $shell: nothing is left"
done

if ! "$python" -c 'import conda_pack' 2>/dev/null; then
    skip 'conda-pack' 'conda-pack is not installed'
    finish
fi
"$python" -c 'from conda_pack.cli import main; main()' -q -p "$scratch/a b" -o "$scratch/packed.tar" >"$scratch/why" 2>&1
ok $? 'conda-pack packs the environment'
mkdir "$scratch/moved to"
tar -xf "$scratch/packed.tar" -C "$scratch/moved to"
for shell in bash zsh; do
    if ! command -v $shell >/dev/null 2>&1; then
        skip "conda-pack and $shell" 'the shell is not installed'
        continue
    fi
    {
        echo "env -0 >'$scratch/0'"
        echo ". '$scratch/moved to/bin/activate'"
        echo "env -0 >'$scratch/1'"
        echo ". '$scratch/moved to/bin/deactivate'"
        echo "env -0 >'$scratch/3'"
    } >"$scratch/script"
    with_shell $shell "$scratch/script"
    # conda-pack's own script declares _path a second time, which zsh answers with its value.
    is "$(grep -v '^_path=' "$scratch/out")" '' "conda-pack and $shell: silent"
    is "$(ours "$scratch/1" | grep -v '^_')" "CONDAGPU_ACTIVE=$scratch/moved to
CUDA_HOME=$scratch/moved to
LD_LIBRARY_PATH=$scratch/moved to/lib:/user:
OMP_NUM_THREADS=4" "conda-pack and $shell: the new place"
    is "$(ours "$scratch/3")" "$(ours "$scratch/0")" "conda-pack and $shell: nothing is left"
done
finish
