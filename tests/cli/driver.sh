# What NVIDIA's libraries say, or fail to say, as condagpu probe reports it; stand-ins take their place.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"

command -v python3 >/dev/null 2>&1 || skip_all "python3 is not here"
unset CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES CONDA_PREFIX LD_LIBRARY_PATH LD_PRELOAD

# The stand-ins are compiled without sanitizers: NVIDIA's libraries are as well.
# shellcheck disable=SC2086
standin() {
    mkdir -p "$scratch/$1" || return 1
    $CC -shared -fPIC -fvisibility=hidden -O1 ${4-} -o "$scratch/$1/$2" "$top_srcdir/tests/standin/$3" \
        2>"$scratch/cc.log"
}
standin nvml libnvidia-ml.so.1 nvml.c || skip_all "the compiler builds no shared library"
standin old libnvidia-ml.so.1 nvml.c -DOLD
standin cuda libcuda.so.1 cuda.c

CONDAGPU_STANDIN=$scratch/gpus
export CONDAGPU_STANDIN

# asked DIRECTORY [OPTION]...: the snapshot with the stand-ins in that directory; standard input describes the GPUs
asked() {
    _dir=$scratch/$1
    shift
    cat >"$CONDAGPU_STANDIN"
    LD_LIBRARY_PATH=$_dir "$CONDAGPU" probe --format json "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    cat "$scratch/out" "$scratch/err" >"$scratch/last"
}

# got EXPRESSION: a Python expression of the document d
got() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
print(eval(sys.argv[2]))' "$scratch/out" "$1" 2>&1
}

one_gpu='driver 550.90.07
library 12.550.90.07
cuda 12040
gpu NVIDIA A100-SXM4-80GB
uuid GPU-11111111-2222-3333-4444-555555555555
pci 00000000:07:00.0
cc 8 0
memory 85899345920 85000000000'

asked nvml <<EOF
$one_gpu
EOF
is "$status" 0 "one GPU: status 0"
is "$(got 'len(d["gpus"])')" 1 "one GPU is one GPU"
is "$(got 'd["gpus"][0]["name"]')" "NVIDIA A100-SXM4-80GB" "its name"
is "$(got 'd["gpus"][0]["uuid"]')" "GPU-11111111-2222-3333-4444-555555555555" "its UUID"
is "$(got 'd["gpus"][0]["pci"]')" "00000000:07:00.0" "its address"
is "$(got 'd["gpus"][0]["compute_capability"]')" 8.0 "its compute capability"
is "$(got 'd["gpus"][0]["memory_total"], d["gpus"][0]["memory_free"]')" "(85899345920, 85000000000)" "its memory"
is "$(got 'd["gpus"][0]["mig"]')" False "MIG is off"
is "$(got 'd["driver"]["version"], d["driver"]["cuda"]')" "('550.90.07', '12.4')" "the driver and its CUDA"
is "$(got 'd["driver"]["problem"]')" None "no problem"
is "$(cat "$scratch/err")" "" "what the library prints stays away from ours"
python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/probe.json" "$scratch/out" >"$scratch/why" 2>&1
ok $? "the document fits its schema"

LD_LIBRARY_PATH=$scratch/nvml "$CONDAGPU" probe >"$scratch/page"
like "$(head -n 1 "$scratch/page")" "GPU 0 *NVIDIA A100-SXM4-80GB  sm_80  80 GiB (79 GiB free)  00000000:07:00.0  GPU-1*" \
    "the page begins with the GPU"
is "$(tr -d '[:print:]\n' <"$scratch/page" | wc -c)" 0 "a page in a pipe is plain"
LD_LIBRARY_PATH=$scratch/nvml "$CONDAGPU" probe --color always >"$scratch/page"
is "$(grep -c "$(printf '\033')" "$scratch/page" | sed 's/^[1-9][0-9]*$/some/')" some "--color always colours it"

asked nvml <<EOF
driver 550.90.07
cuda 12040
EOF
is "$(got 'len(d["gpus"]), d["driver"]["version"]')" "(0, '550.90.07')" "a driver without a GPU"

for gpu in 0 1 2 3 4 5 6 7; do
    printf 'gpu H100 %s\nuuid GPU-%s\npci 0000000%s:00:00.0\ncc 9 0\n' "$gpu" "$gpu" "$gpu"
done >"$scratch/eight"
asked nvml <"$scratch/eight"
is "$(got '[g["index"] for g in d["gpus"]], d["gpus"][7]["name"]')" "([0, 1, 2, 3, 4, 5, 6, 7], 'H100 7')" "eight GPUs"
is "$(got 'd["gpus"][0]["memory_total"]')" None "memory that is not told (unified memory) is not known"

asked nvml <<EOF
$one_gpu
mig MIG-aaaa
mig MIG-bbbb
EOF
is "$(got 'd["gpus"][0]["mig"], d["gpus"][0]["mig_uuids"]')" "(True, ['MIG-aaaa', 'MIG-bbbb'])" \
    "MIG instances, with an empty slot before them"

is "$(got 'd["gpus"][0]["nvlinks"], d["gpus"][0]["display"], d["gpus"][0]["peers"]')" "(None, False, [])" \
    "a GPU without NVLink, screen and peers"

# Two boards of two GPUs.
for gpu in 0 1 2 3; do
    printf 'gpu A100 %s\nuuid GPU-%s\ncc 8 0\nnvlinks 12\nboard %s\n' "$gpu" "$gpu" "$((gpu / 2 + 1))"
done >"$scratch/boards"
echo 'display 1' >>"$scratch/boards"
asked nvml <"$scratch/boards"
is "$(got '[(p["index"], p["path"], p["p2p"]) for p in d["gpus"][1]["peers"]]')" \
    "[(0, 'PIX', True), (2, 'SYS', False), (3, 'SYS', False)]" "how a GPU reaches the others"
is "$(got '[g["nvlinks"] for g in d["gpus"]], d["gpus"][3]["display"], d["gpus"][0]["persistence"]')" \
    "([12, 12, 12, 12], True, True)" "active links, a screen, persistence mode"
LD_LIBRARY_PATH=$scratch/nvml "$CONDAGPU" probe >"$scratch/page"
like "$(grep ^topology "$scratch/page")" "topology *6 pairs: 2 PIX, 4 SYS; P2P in 2" "the page sums the pairs up"
"$CONDAGPU" probe --probe "$scratch/out" --format json | cmp - "$scratch/out" >"$scratch/why" 2>&1
ok $? "a snapshot with pairs comes back as it was"
python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/probe.json" "$scratch/out" >"$scratch/why" 2>&1
ok $? "and fits its schema"

asked old <<EOF
$one_gpu
EOF
is "$(got 'd["gpus"][0]["name"], d["gpus"][0]["pci"], d["gpus"][0]["compute_capability"], d["driver"]["cuda"]')" \
    "('NVIDIA A100-SXM4-80GB', None, None, '12.4')" "an old library: what it has, and nothing misread"

asked nvml <<EOF
$one_gpu
lost 1
gpu NVIDIA L4
uuid GPU-2
cc 8 9
EOF
is "$(got '[(g["index"], g["name"]) for g in d["gpus"]]')" "[(1, 'NVIDIA L4')]" "a lost GPU does not hide the other"
like "$(got 'd["driver"]["problem"]')" "a GPU fell off the bus (nvmlDeviceGetHandleByIndex: error 15): *" "and is told"

asked nvml <<EOF
gpu evil\\x09tab\\x1b[2J\\x0aend\\xff
uuid x
EOF
is "$(got 'd["gpus"][0]["name"]')" 'evil\ttab\x1b[2J\nend\xff' "a hostile name is made printable"
is "$(got 'len(d["gpus"])')" 1 "and ends no record"

while IFS='|' read -r code pattern; do
    asked nvml <<EOF
library 12.550.90.07
nvml-init $code
EOF
    like "$(got 'd["driver"]["problem"]')" "$pattern" "NVML error $code"
    is "$(got 'd["warnings"].count(d["driver"]["problem"]), d["gpus"]')" "(1, [])" "NVML error $code: one warning"
    is "$status" 0 "NVML error $code: probe itself succeeds"
done <<'EOF'
4|the driver refuses this user*: ask for access*
9|the NVIDIA kernel module is not loaded (nvmlInit: error 9): load it*
12|the driver's library lacks a part*: reinstall*
17|the operating system blocks the GPUs*: ask the job scheduler*
18|the driver's library is version 550.90.07 and the kernel module *: restart the machine*
999|nvmlInit failed with error 999: compare with nvidia-smi
EOF

asked nvml <<EOF
crash 1
EOF
is "$(got 'd["driver"]["problem"]')" "libnvidia-ml.so.1 crashed (signal 11): reinstall the driver" "a crash is told"

begin=$(date +%s)
asked nvml --timeout 1 <<EOF
$one_gpu
hang $scratch/pid
EOF
end=$(date +%s)
like "$(got 'd["driver"]["problem"]')" "driver did not answer in 1 s: *" "a hang ends at the deadline"
is "$(got 'd["driver"]["timed_out"], len(d["gpus"])')" "(True, 0)" "a hang is marked"
[ $((end - begin)) -le 5 ]
ok $? "the deadline is kept"
kill -0 "$(cat "$scratch/pid")" 2>/dev/null
is $? 1 "no child is left"
asked nvml --no-driver <<EOF
$one_gpu
hang $scratch/pid
EOF
is "$(got 'd["driver"]["timed_out"]')" False "--no-driver asks nobody"
mkdir -p "$scratch/root/proc"
asked nvml --root "$scratch/root" <<EOF
$one_gpu
EOF
is "$(got 'len(d["gpus"])')" 0 "below a root directory nobody is asked"

# Where the machine has an NVML of its own, it cannot be missing.
rm -f "$scratch/out"
asked none <<EOF
EOF
if [ "$(got 'd["driver"]["version"] or d["driver"]["problem"]')" != None ]; then
    skip "NVML missing" "this machine has a driver"
else
    CUDA_VISIBLE_DEVICES=
    export CUDA_VISIBLE_DEVICES
    asked cuda <<EOF
cuda 12060
gpu Orin
pci 0000:00:00.0
cc 8 7
memory 32212254720 0
EOF
    unset CUDA_VISIBLE_DEVICES
    is "$(got '[(g["name"], g["compute_capability"], g["memory_total"], g["memory_free"]) for g in d["gpus"]]')" \
        "[('Orin', '8.7', 32212254720, None)]" "libcuda answers where NVML is missing, whatever is visible"
    is "$(got 'd["gpus"][0]["uuid"]')" "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0" "its UUID as the tools write it"
    is "$(got 'd["driver"]["version"], d["driver"]["cuda"], d["driver"]["problem"]')" "(None, '12.6', None)" "its CUDA"
    while IFS='|' read -r code pattern; do
        asked cuda <<EOF
cuda 12060
cuda-init $code
EOF
        like "$(got 'd["driver"]["problem"]')" "$pattern" "libcuda error $code"
    done <<'EOF'
34|libcuda.so.1 is the toolkit's stub*: take the stubs directory out of LD_LIBRARY_PATH
100|the driver shows no GPU (cuInit: error 100): *
802|the GPUs are not ready yet*
803|libcuda.so.1 and the kernel module are of different versions*
804|libcuda.so.1 is a forward-compatibility driver*
EOF
fi
finish
