# The suite finds what it is there to find: the hook of the tutorials, an export without a twin, fails in every cell,
# while hooks that do nothing pass the same cells.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
# shellcheck source=tests/shells/subjects.sh
. "$top_srcdir/tests/shells/subjects.sh"

mkdir "$scratch/tutorial" "$scratch/nothing"
# shellcheck disable=SC2016
{
    echo 'export CUDA_HOME="$CONDA_PREFIX"' >"$scratch/tutorial/activate.sh"
    echo 'set -gx CUDA_HOME "$CONDA_PREFIX"' >"$scratch/tutorial/activate.fish"
    echo 'setenv CUDA_HOME "${CONDA_PREFIX}"' >"$scratch/tutorial/activate.csh"
}
for suffix in sh fish csh; do
    : >"$scratch/tutorial/deactivate.$suffix"
    : >"$scratch/nothing/activate.$suffix"
    : >"$scratch/nothing/deactivate.$suffix"
done

for subject in bash zsh dash fish tcsh; do
    drive_one "$subject" -t "$scratch/nothing" -k A- matrix
    drive_verdict "$subject" "$subject: no hook, no trace"
    drive_one "$subject" -t "$scratch/tutorial" -k A- matrix
    grep '^# .*cells' "$scratch/$subject.out"
    case $(cat "$scratch/$subject.rc") in
    77) skip "$subject: the tutorial's hook" "$subject is not installed" ;;
    *)
        # "# bash: 10 cells, 30 dumps, 10 failed"
        is "$(sed -n 's/^# .*: \([0-9]*\) cells, .* dumps, \([0-9]*\) failed$/\1 of \2/p' "$scratch/$subject.out")" \
            '10 of 10' "$subject: the tutorial's hook fails in every cell"
        is "$(cat "$scratch/$subject.rc")" 1 "$subject: and the driver says so"
        ;;
    esac
done
finish
