# What a pair of hooks costs in a running shell, 200 activations and deactivations: beside 200 pairs of sourced empty
# files, and beside 200 processes started, for one alone is what a hook must not do.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"

tool=$top_builddir/tests/shells/render_tool
for suffix in sh fish csh; do
    for verb in activate deactivate; do
        # shellcheck disable=SC2016
        "$tool" "$suffix" "$verb" 'set:CUDA_HOME=$CONDA_PREFIX' 'set:CUDA_PATH=$CONDA_PREFIX' \
            lead:SLURM_CPUS_PER_TASK:OMP_NUM_THREADS=4 lead:SLURM_CPUS_PER_TASK:MKL_NUM_THREADS=4 \
            default:PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True default:CUDA_DEVICE_ORDER=PCI_BUS_ID \
            'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/targets/x86_64-linux/lib' >"$scratch/$verb.$suffix" || exit 1
    done
    : >"$scratch/empty.$suffix"
done
export CONDA_PREFIX=/envs/a LD_LIBRARY_PATH=/usr/lib/x:/opt/y

# loop SUFFIX LINE: a script that does it 200 times
loop() {
    case $1 in
    sh) printf 'i=0\nwhile [ $i -lt 200 ]; do\n%s\ni=$((i + 1))\ndone\n' "$2" ;;
    fish) printf 'for i in (seq 200)\n%s\nend\n' "$2" ;;
    csh) printf 'set i = 0\nwhile ($i < 200)\n%s\n@ i++\nend\n' "$2" ;;
    esac
}

for shell in bash dash zsh mksh fish tcsh; do
    command -v "$shell" >/dev/null 2>&1 || continue
    case $shell in
    fish) suffix=fish run='fish --no-config' ;;
    tcsh) suffix=csh run='tcsh -f' ;;
    zsh) suffix=sh run='zsh -f' ;;
    bash) suffix=sh run='bash --norc' ;;
    *) suffix=sh run=$shell ;;
    esac
    word=.
    [ $suffix = csh ] && word=source
    loop $suffix "$word '$scratch/activate.$suffix'
$word '$scratch/deactivate.$suffix'" >"$scratch/hooks.$shell"
    loop $suffix "$word '$scratch/empty.$suffix'
$word '$scratch/empty.$suffix'" >"$scratch/bare.$shell"
    loop $suffix "$(command -v true | grep / || echo /bin/true)" >"$scratch/fork.$shell"
    # shellcheck disable=SC2086
    measure "200 pairs of hooks in $shell against empty files" - $run "$scratch/bare.$shell" -- $run "$scratch/hooks.$shell"
    # shellcheck disable=SC2086
    measure "200 pairs of hooks in $shell against processes" - $run "$scratch/fork.$shell" -- $run "$scratch/hooks.$shell"
done
exit "$bench_status"
