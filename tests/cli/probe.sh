# The command condagpu probe: its page, its options, and which toolkits this process points to.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"

unset CUDA_HOME CUDA_PATH CONDA_PREFIX CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH LD_PRELOAD
unset SLURM_CPUS_PER_TASK NCPUS PBS_JOBID LSB_MAX_NUM_PROCESSORS KUBERNETES_SERVICE_HOST container

probe() {
    "$CONDAGPU" probe --no-driver "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# fails STATUS PATTERN NAME [OPTION]...
fails() {
    _wanted=$1 _pattern=$2 _name=$3
    shift 3
    probe "$@"
    is "$status" "$_wanted" "$_name: status"
    like "$(head -n 1 "$scratch/err")" "$_pattern" "$_name: message"
    is "$(cat "$scratch/out")" "" "$_name: nothing on standard output"
}

# holds TEXT NAME, and lacks
holds() {
    cp "$scratch/out" "$scratch/why"
    grep -qF -- "$1" "$scratch/out"
    ok $? "$2"
}
lacks() {
    cp "$scratch/out" "$scratch/why"
    ! grep -qF -- "$1" "$scratch/out"
    ok $? "$2"
}

fails 2 'condagpu: option: --format takes text or json here, not "xml"' "an unknown format" --format xml
fails 2 'condagpu: option: --timeout takes seconds *' "a timeout of words" --timeout soon
fails 2 'condagpu: option: --timeout takes seconds *' "a timeout of nothing" --timeout 0
fails 2 'condagpu: option: --timeout takes seconds *' "no number" --timeout nan
fails 2 'condagpu: usage: probe takes files with --diff alone' "an operand" file
fails 2 '*"c" is one too many' "a third operand" --diff a b c
fails 2 'condagpu: usage: --diff compares two snapshots*' "nothing to compare" --diff
fails 3 "condagpu: root directory: $scratch/gone: *" "a missing root" --root "$scratch/gone"
fails 3 "condagpu: machine snapshot: $scratch/gone: *" "a missing snapshot" --probe "$scratch/gone"
printf '{"schema":\n "condagpu.probe/1",,}' >"$scratch/bad.json"
fails 3 "condagpu: machine snapshot: $scratch/bad.json:2:*" "a broken snapshot names its line" --probe "$scratch/bad.json"
fails 4 "condagpu: cannot write: $scratch/gone/x: *" "an output that cannot be written" -o "$scratch/gone/x"

# A machine whose every name is an attack on the terminal.
root=$scratch/root
escape=$(printf '\033')
mkdir -p "$root/proc/sys/kernel" "$root/sys/class/net/${escape}[2J" "$root/sys/devices/system/cpu" \
    "$root/sys/class/infiniband/${escape}c/ports/1" "$root/usr/local/cuda-${escape}[1m/bin" \
    "$root/proc/driver/nvidia/gpus/${escape}]0;"
printf 'h\033[31m\n' >"$root/proc/sys/kernel/hostname"
printf '6\302\233\n' >"$root/proc/sys/kernel/osrelease"
printf 'up\033\n' >"$root/sys/class/net/${escape}[2J/operstate"
printf '4: \033\n' >"$root/sys/class/infiniband/${escape}c/ports/1/state"
printf '0\n' >"$root/sys/devices/system/cpu/online"
printf 'Model: \033[5m\n' >"$root/proc/driver/nvidia/gpus/${escape}]0;/information"
printf 'CUDA Version 10.1.243\n' >"$root/usr/local/cuda-${escape}[1m/version.txt"
probe --root "$root"
is "$status" 0 "a hostile machine: status"
is "$(LC_ALL=C tr -d '[:print:]\n' <"$scratch/out" | wc -c | tr -d ' ')" 0 "a hostile machine: no byte that a terminal obeys"
holds 'CUDA 10.1.243 /usr/local/cuda-\x1b[1m' "its toolkit is named"
holds 'h\x1b[31m' "its host is named"

probe --root "$root" --format json -o "$scratch/snapshot"
is "$status $(cat "$scratch/out")" "0 " "a snapshot goes to a file"
probe --root "$root"
cp "$scratch/out" "$scratch/first"
probe --probe "$scratch/snapshot"
cmp "$scratch/first" "$scratch/out" >"$scratch/why" 2>&1
ok $? "a snapshot gives the page of the machine that it was made on"
"$CONDAGPU" probe --probe - --format json <"$scratch/snapshot" >"$scratch/again"
cmp "$scratch/snapshot" "$scratch/again" >"$scratch/why" 2>&1
ok $? "a snapshot is read from standard input and comes back as it was"

# Two machines.
sed -e 's/"state": "up[^"]*"/"state": "down"/' -e 's/"release": "10.1.243"/"release": "12.4"/' \
    -e 's/"available": [0-9a-z]*/"available": 1/' "$scratch/snapshot" >"$scratch/other"
probe --diff "$scratch/snapshot" "$scratch/snapshot"
is "$status $(cat "$scratch/out")" "0 " "a machine is like itself"
probe --diff "$scratch/snapshot" "$scratch/other"
is "$status $(cat "$scratch/err")" "1 " "two machines differ"
holds '].release  10.1.243' "the toolkit's release, by the toolkit's name"
lacks 'memory.available' "free memory is no difference"
is "$(LC_ALL=C tr -d '[:print:]\n' <"$scratch/out" | wc -c | tr -d ' ')" 0 "and no byte that a terminal obeys"
one="$scratch/one"
sed 's/"host": "[^"]*"/"host": "other"/' "$scratch/snapshot" >"$one"
probe --diff "$one" "$scratch/snapshot" --format json
cp "$scratch/out" "$scratch/diff.json"
holds '"member": "host"' "JSON names the member"
if command -v python3 >/dev/null 2>&1; then
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/probe-diff.json" "$scratch/diff.json" \
        >"$scratch/why" 2>&1
    ok $? "JSON fits its schema"
else
    skip "JSON fits its schema" "python3 is not here"
fi
probe --diff "$scratch/snapshot"
holds "this machine" "one file is compared with this machine"

# Toolkits that this process points to; each nvcc leaves a mark when it is run.
toolkit() {
    mkdir -p "$scratch/$1/bin"
    printf '#!/bin/sh\n: >"%s"\necho "Cuda compilation tools, release %s, V%s"\n' "$scratch/$1/ran" "$2" "$3" \
        >"$scratch/$1/bin/nvcc"
    chmod +x "$scratch/$1/bin/nvcc"
}
toolkit silent 12.2 12.2.140
CUDA_HOME=$scratch/silent
export CUDA_HOME
probe
holds "CUDA 12.2    $scratch/silent" "nvcc itself is asked where no file tells the release"
rm "$scratch/silent/ran"
echo '{"cuda": {"version": "12.2.2"}}' >"$scratch/silent/version.json"
probe
holds "CUDA 12.2.2  $scratch/silent" "version.json tells the release"
[ ! -e "$scratch/silent/ran" ]
ok $? "and nvcc is not run"
ln -s silent "$scratch/link"
CUDA_HOME=$scratch/link
probe
holds "$scratch/link -> $(cd "$scratch" && pwd -P)/silent" "a symlink is followed and named"
CUDA_HOME=$scratch/nowhere
probe
holds "CUDA_HOME is \"$scratch/nowhere\", which is no directory" "a CUDA_HOME that is not there is told"
unset CUDA_HOME
toolkit onpath 11.8 11.8.89
PATH=$scratch/onpath/bin:$PATH probe
holds "CUDA 11.8    $(cd "$scratch" && pwd -P)/onpath" "nvcc on PATH shows its toolkit"
toolkit env 12.5 12.5.82
probe --prefix "$scratch/env"
holds "CUDA 12.5    $scratch/env" "an environment with nvcc is a toolkit"
mkdir -p "$scratch/env/lib" "$scratch/env/conda-meta"
: >"$scratch/env/lib/libcudart.so.12.4.127"
probe --prefix "$scratch/env"
holds "CUDA 12.5    $scratch/env" "beside another runtime nvcc's own word counts"
rm "$scratch/env/ran"
: >"$scratch/env/conda-meta/cuda-nvcc-12.5.82-0.json"
probe --prefix "$scratch/env"
[ ! -e "$scratch/env/ran" ]
ok $? "nvcc with a record is not run"
mkdir -p "$scratch/runtime/lib"
: >"$scratch/runtime/lib/libcudart.so.12.4.127"
probe --prefix "$scratch/runtime"
lacks "$scratch/runtime" "an environment with a runtime alone is none"

# Hints of job schedulers, where they say less than the kernel.
probe
usable=$(sed -n 's/^CPU *\([0-9]*\) usable.*/\1/p' "$scratch/out")
lacks "Slurm" "outside of a job no scheduler is named"
if [ "$usable" -gt 1 ]; then
    SLURM_CPUS_PER_TASK=1 probe
    holds "Slurm gives this job 1 CPU (SLURM_CPUS_PER_TASK), but the process may use $usable" "Slurm's share is told"
else
    skip "Slurm's share is told" "this machine has one CPU"
fi
SLURM_CPUS_PER_TASK=$usable probe
lacks "Slurm" "a share that fits is not"

finish
