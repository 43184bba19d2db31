# Sourcing a hook starts no process, and opens no file but the hook.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"

command -v strace >/dev/null 2>&1 || skip_all 'strace is not installed'
strace -o "$scratch/try" true 2>/dev/null || skip_all 'strace cannot trace here'
tool=$top_builddir/tests/shells/render_tool
for suffix in sh fish; do
    for verb in activate deactivate; do
        # shellcheck disable=SC2016
        "$tool" "$suffix" "$verb" 'set:CUDA_HOME=$CONDA_PREFIX' lead:SLURM_CPUS_PER_TASK:OMP_NUM_THREADS=4 \
            'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/lib' append:LD_LIBRARY_PATH=/wsl unset:NOPE >"$scratch/$verb.$suffix"
    done
done

# traced SHELL SUFFIX COMMAND…: between the two markers only the hooks are opened.
traced() {
    shell=$1
    suffix=$2
    shift 2
    if ! command -v "$shell" >/dev/null 2>&1; then
        skip "$shell" "$shell is not installed"
        return
    fi
    {
        case $suffix in
        fish) echo 'set -gx CONDA_PREFIX /envs/a; set -gx LD_LIBRARY_PATH /x::/y' ;;
        *) echo 'export CONDA_PREFIX=/envs/a LD_LIBRARY_PATH=/x::/y' ;;
        esac
        echo ". '$scratch/activate.$suffix'"
        echo ". '$scratch/activate.$suffix'"
        echo ". '$scratch/deactivate.$suffix'"
    } >"$scratch/script"
    strace -f -o "$scratch/trace" -s 256 -e trace=open,openat,openat2,execve,execveat,fork,vfork,clone,clone3 \
        "$@" "$scratch/script" >"$scratch/out" 2>&1
    is "$(cat "$scratch/out")" '' "$shell says nothing"
    # What stands before the script is opened is the shell's own start; a thread (fish has some) is no process.
    sed -n "\\,open.*$scratch/script,,\$p" "$scratch/trace" | sed 1d >"$scratch/after"
    grep -E '(fork|clone3?|execve|execveat|open|openat|openat2)\(' "$scratch/after" |
        grep -v CLONE_THREAD | grep -v "\"$scratch/\(de\)\{0,1\}activate.$suffix\"" >"$scratch/why"
    [ ! -s "$scratch/why" ]
    ok $? "$shell starts no process and opens no other file"
    is "$(grep -c "open.*activate.$suffix" "$scratch/after")" 3 "$shell opens each hook once"
}
traced bash sh bash --norc --noprofile
traced dash sh dash
traced fish fish fish --no-config
finish
