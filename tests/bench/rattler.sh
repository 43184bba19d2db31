# Hooks beside a real activation: py-rattler's, for conda is in no index that pip reaches. 50 pairs are 100 hooks and may take as
# long as two activations, so that one hook stays below 2 % of one. Needs python3 with py-rattler ($CONDAGPU_TEST_PYTHON), or a
# network for pip.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"

python=${CONDAGPU_TEST_PYTHON:-python3}
if ! "$python" -c 'import rattler.shell' 2>/dev/null; then
    "$python" -m venv "$scratch/venv" >/dev/null 2>&1 && "$scratch/venv/bin/pip" -q install py-rattler >/dev/null 2>&1
    python=$scratch/venv/bin/python
fi
if ! "$python" -c 'import rattler.shell' 2>/dev/null; then
    echo "hooks against rattler: skipped, py-rattler cannot be had" >&2
    exit 0
fi

tool=$top_builddir/tests/shells/render_tool
prefix=$scratch/env
mkdir -p "$prefix/conda-meta" "$prefix/bin" "$prefix/etc/conda/activate.d" "$prefix/etc/conda/deactivate.d"
: >"$prefix/conda-meta/history"
for suffix in sh fish; do
    for verb in activate deactivate; do
        # shellcheck disable=SC2016
        "$tool" "$suffix" "$verb" 'set:CUDA_HOME=$CONDA_PREFIX' 'set:CUDA_PATH=$CONDA_PREFIX' \
            lead:SLURM_CPUS_PER_TASK:OMP_NUM_THREADS=4 lead:SLURM_CPUS_PER_TASK:MKL_NUM_THREADS=4 \
            default:PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True default:CUDA_DEVICE_ORDER=PCI_BUS_ID \
            'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/targets/x86_64-linux/lib' \
            >"$prefix/etc/conda/$verb.d/~zz-condagpu.$suffix" || exit 1
    done
done
export CONDA_PREFIX="$prefix" LD_LIBRARY_PATH=/usr/lib/x:/opt/y

cat >"$scratch/once.py" <<'PYTHON'
import subprocess, sys
from pathlib import Path
from rattler.shell import ActivationVariables, Shell, activate

shell = {"bash": Shell.bash, "zsh": Shell.zsh, "fish": Shell.fish}.get(sys.argv[2], Shell.bash)
script = activate(Path(sys.argv[1]), ActivationVariables(None), shell).script
subprocess.run([sys.argv[2]], input=script, text=True, check=True)
PYTHON

for shell in bash dash zsh fish; do
    command -v "$shell" >/dev/null 2>&1 || continue
    case $shell in
    fish) suffix=fish run='fish --no-config' head='for i in (seq 50)' tail=end ;;
    zsh) suffix=sh run='zsh -f' ;;
    bash) suffix=sh run='bash --norc' ;;
    *) suffix=sh run=$shell ;;
    esac
    # shellcheck disable=SC2016
    [ $shell = fish ] || head='i=0; while [ $i -lt 50 ]; do i=$((i + 1))' tail='done'
    printf '%s\n' "$head" ". '$prefix/etc/conda/activate.d/~zz-condagpu.$suffix'" \
        ". '$prefix/etc/conda/deactivate.d/~zz-condagpu.$suffix'" "$tail" >"$scratch/pairs.$shell"
    # shellcheck disable=SC2086
    measure "100 hooks in $shell against one activation" 2 "$python" "$scratch/once.py" "$prefix" "$shell" -- \
        $run "$scratch/pairs.$shell"
done
exit "$bench_status"
