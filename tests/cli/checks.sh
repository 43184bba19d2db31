# Each check of verify on the smallest environment that it must judge: what users ran into, and the clean twin beside it.
# shellcheck shell=sh disable=SC2154,SC1091,SC2317
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99
PATH=/usr/bin:/bin
export PATH

standin_cudart s124 12040 libcudart.so.12
standin_cudart s121 12010 libcudart.so.12
p="$scratch/env"
new_prefix "$p"
add_conda_cudart "$p" s124 12.4.127
environment "$p.yml" cuda-version=12.4
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml" >/dev/null

# CUDA_HOME as it is found in shell rc files, Dockerfiles and job scripts.
mkdir -p toolkit/bin cuda-12.4/bin
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.131"\n' >toolkit/bin/nvcc
chmod +x toolkit/bin/nvcc
verdict pass cuda-home "a directory with nvcc" CUDA_HOME="$scratch/toolkit"
verdict fail cuda-home "a trailing /bin" CUDA_HOME="$scratch/toolkit/bin"
verdict fail cuda-home "a PATH-like tail" CUDA_HOME="$scratch/toolkit:/usr/bin"
verdict fail cuda-home "a trailing colon" CUDA_HOME="$scratch/toolkit:"
verdict fail cuda-home "a leading colon" CUDA_HOME=":$scratch/toolkit"
verdict fail cuda-home "literal quotes" CUDA_HOME="'$scratch/toolkit'"
says "'" "and the quotes are shown"
verdict fail cuda-home "a directory that is not there" CUDA_HOME="$scratch/none"
verdict fail cuda-home "a relative directory" CUDA_HOME=toolkit
verdict warn cuda-home "a directory without nvcc" CUDA_HOME="$scratch/cuda-12.4"
verdict warn cuda-home "CUDA_PATH that differs" CUDA_HOME="$scratch/toolkit" CUDA_PATH="$scratch/cuda-12.4"
ln -s cuda-12.4 cuda-12.1
verdict fail cuda-home "a link to another release" CUDA_HOME="$scratch/cuda-12.1"
verdict pass cuda-home "unset"

verdict pass nvcc-version "CUDA_HOME with the pinned release" CUDA_HOME="$scratch/toolkit"
printf '#!/bin/sh\necho "Cuda compilation tools, release 10.1, V10.1.243"\n' >toolkit/bin/nvcc
verdict warn nvcc-version "an inherited CUDA_HOME with another" CUDA_HOME="$scratch/toolkit"
verdict skip nvcc-version "the system's nvcc is not the environment's" PATH="$scratch/toolkit/bin:/usr/bin:/bin"
verdict skip nvcc-version "none at all"
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.131"\n' >"$p/bin/nvcc"
chmod +x "$p/bin/nvcc"
verdict pass nvcc-version "the environment's own nvcc of the pinned release"
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.1, V12.1.66"\n' >"$p/bin/nvcc"
verdict warn nvcc-version "the environment's own nvcc of another minor"
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' >"$p/bin/nvcc"
verdict fail nvcc-version "the environment's own nvcc of another major"
rm "$p/bin/nvcc"

# LD_LIBRARY_PATH
mkdir -p foreign stubs compat plain
cp s121 foreign/libcudart.so.12
: >stubs/libcuda.so
: >compat/libcuda.so.1
verdict pass library-path "a directory without CUDA" LD_LIBRARY_PATH="$scratch/plain"
verdict warn library-path "an empty element" LD_LIBRARY_PATH="$scratch/plain:"
verdict warn library-path "a relative element" LD_LIBRARY_PATH="lib:$scratch/plain"
verdict warn library-path "an empty element behind a semicolon" "LD_LIBRARY_PATH=$scratch/plain;"
verdict warn library-path "a missing element" LD_LIBRARY_PATH="$scratch/plain:$scratch/none"
says 'none in LD_LIBRARY_PATH does not exist' "and it is named"
verdict pass library-path "what container images name beforehand" LD_LIBRARY_PATH=/usr/local/nvidia/lib64
verdict warn library-path "a doubled element" LD_LIBRARY_PATH="$scratch/plain:$scratch/compat:$scratch/plain/"
says 'plain stands in LD_LIBRARY_PATH twice' "and it is named"
mkdir -p base/conda-meta base/lib
verdict warn library-path "the base environment's lib" LD_LIBRARY_PATH="$scratch/base/lib"
says 'belongs to another conda environment' "and says so"
verdict pass library-path "a foreign runtime behind the hooks' element" LD_LIBRARY_PATH="$scratch/foreign"
says 'does not win' "and the evidence says that it does not win"
verdict pass library-path "unset"
verdict fail driver-stub "a stubs directory" LD_LIBRARY_PATH="$scratch/stubs"
verdict fail driver-stub "a stubs directory behind a semicolon" "LD_LIBRARY_PATH=$scratch/plain;$scratch/stubs"
verdict warn driver-stub "a compatibility driver" LD_LIBRARY_PATH="$scratch/compat"
verdict pass driver-stub "neither" LD_LIBRARY_PATH="$scratch/plain"

# Pins
verdict pass pin-present "a pin"
verdict pass pin-installed "its record"
environment "$p.yml" numpy
verdict fail pin-present "no pin"
says 'cuda-version=X\.Y' "and the fix shows the line to add"
verdict pass pin-present "no pin, allowed" --allow-unpinned
environment "$p.yml" cuda-version=12.6 cuda-cudart=12.1.105
verdict fail pin-conflict "two releases"
says '"line": 6' "with the first line"
says '"line": 7' "and the second"
environment "$p.yml" cuda-version=12.6
verdict fail pin-installed "another release is installed"
environment "$p.yml" cuda-version=12.4=h9_9
verdict fail pin-installed "another build is installed"
environment "$p.yml" 'cuda-version=12.*,!=12.4'
verdict fail pin-installed "an excluded version is installed"
environment "$p.yml" cuda-cudart=12.4.127
verdict pass cudart-live "the very build"
environment "$p.yml" cuda-cudart=12.4.99
verdict fail cudart-live "another build of the same minor"
environment "$p.yml" cuda-toolkit=12.4.1
verdict pass cudart-live "the build that a toolkit release ships"
environment "$p.yml" cuda-toolkit=12.4.0
verdict fail cudart-live "a toolkit release that ships another build"
environment "$p.yml" 'cuda-version>=12.2'
verdict pass cudart-live "a bound that holds"
environment "$p.yml" 'cuda-version>=12.6'
verdict fail cudart-live "a bound that does not"
environment "$p.yml" 'cuda-version=12.2|12.4'
verdict pass cudart-live "one of two releases"
verdict pass pin-present "two releases pin"
says 'pins CUDA 12\.2 or 12\.4' "and both are named"
environment "$p.yml" 'cuda-version=12.3|12.5'
verdict fail cudart-live "a release between two others"
environment "$p.yml" 'cuda-cudart=12.4.99|12.4.127'
verdict pass cudart-live "one of two builds"
environment "$p.yml" 'cuda-cudart=12.4.99|12.4.131'
verdict fail cudart-live "a build between two others"
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml"
"$CONDAGPU" verify --no-driver -p "$p" --only cudart-live --format json >out 2>&1
says '"status": "fail"' "the same as init recorded it"
environment "$p.yml" 'cuda-toolkit=12.4.1|12.6.0'
verdict pass cudart-live "the build that one of two toolkit releases ships"
environment "$p.yml" 'cuda-version=${CUDA}'
verdict fail pin-present "a variable that nobody expands"
says 'puts nothing in for the variable' "and the evidence says so"
printf 'dependencies:\n  - cuda-version=12.4\n  - pip:\n    - torch==2.4.0+cu121; os_name == "nt"\n' >"$p.yml"
verdict pass pin-present "a pin of another system"
says 'its marker is false' "and the evidence says so"
verdict pass pin-conflict "and the pin does not count"
printf 'dependencies:\n  - cuda-version=12.4\n  - pip:\n    - torch==2.4.0+cu121\n  - pip:\n    - numpy\n' >"$p.yml"
verdict warn pin-present "a pip: list that conda drops"
verdict pass pin-conflict "and the pin in it does not count"
printf 'dependencies:\n  - cuda-version=12.4\nchanels:\n  - x\n' >"$p.yml"
verdict warn pin-present "a misspelt key"
says 'channels' "and the nearest key is named"
environment "$p.yml" cuda-version=12.4
add_record "$p" cuda-nvcc 12.0.76 h0_0
verdict warn pin-installed "components of two minors"
rm "$p"/conda-meta/cuda-nvcc-*
add_record "$p" cudatoolkit 11.8.0 h0_0
verdict fail pin-installed "components of two majors"
rm "$p"/conda-meta/cudatoolkit-*

# What is pinned and not there.
new_prefix "$scratch/empty"
cp "$p.yml" empty.yml
kept_p=$p p="$scratch/empty"
verdict fail pin-installed "neither the package nor any libcudart"
says 'there is no libcudart in it' "and says so"
environment "$p.yml" numpy
verdict pass pin-installed "nothing is pinned" --allow-unpinned
p=$kept_p
environment "$p.yml" cuda-version=12.4 cuda-nvcc=12.4
verdict warn pin-installed "a package is missing, but there is a libcudart"
environment "$p.yml" cuda-version=12.4

# Two runtimes that nobody uses.
verdict pass cudart-single "links to one runtime"
add_pip_cudart "$p" s121 12.1.105
verdict warn cudart-single "conda's runtime and a wheel's of another release"
says '12\.1.*12\.4' "and both releases are named"
rm -r "$p/lib/python3.12/site-packages/nvidia" "$p"/lib/python3.12/site-packages/nvidia_*
add_pip_cudart "$p" s124 12.4.127
verdict pass cudart-single "conda's runtime and a wheel's of one release"
rm -r "$p/lib/python3.12/site-packages/nvidia" "$p"/lib/python3.12/site-packages/nvidia_*

# A file that is not what its record says, or that nothing can tell.
cp "$p/targets/x86_64-linux/lib/libcudart.so.12.4.127" kept
cp s121 "$p/targets/x86_64-linux/lib/libcudart.so.12.4.127"
verdict fail cudart-live "the file was replaced"
says 'says 12\.4\.127|SHA-256' "and the readings that disagree are named"
echo 'int nothing;' >nothing.c
${CC:-cc} -shared -fPIC -Wl,-soname,libcudart.so.12 -o "$p/targets/x86_64-linux/lib/libcudart.so.12.4.127" nothing.c
verdict fail cudart-live "a libcudart without cudaRuntimeGetVersion"
echo 'text' >"$p/targets/x86_64-linux/lib/libcudart.so.12.4.127"
verdict fail cudart-live "a libcudart that is a text file"
cp kept "$p/targets/x86_64-linux/lib/libcudart.so.12.4.127"
verdict pass cudart-live "the file is back"

# A python that cannot be asked.
mv "$p/bin/python3.12" kept-python
printf '#!/bin/sh\nexec python3 "$@"\n' >"$p/bin/python3.12"
chmod +x "$p/bin/python3.12"
"$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only cudart-live --format json >out 2>&1
says 'not asked of a live process' "cudart-live: a wrapper script is named as the reason for the fallback"
verdict warn cudart-live "a wrapper script in python's place is no pass"
rm "$p/bin/python3.12"
verdict fail cudart-live "a python that leads nowhere"
rm "$p/bin/python"
verdict skip cudart-live "no python at all"
ln -s python3.12 "$p/bin/python"
cp kept-python "$p/bin/python3.12"
head -c 9000 kept >"$p/targets/x86_64-linux/lib/libcudart.so.12.4.127"
verdict fail cudart-live "a libcudart that is cut short"
cp kept "$p/targets/x86_64-linux/lib/libcudart.so.12.4.127"
verdict pass cudart-live "all is well again"

# What was changed after activation, and hooks that let nobody in.
mkdir -p later
cp s121 later/libcudart.so.12
new_prefix "$scratch/plain-env" plain
add_conda_cudart "$scratch/plain-env" s124 12.4.127
(
    p="$scratch/plain-env"
    "$CONDAGPU" init --no-driver -q -p "$p" -f "$scratch/env.yml" >/dev/null
    with_hooks "$p" sh -c 'LD_LIBRARY_PATH=$0:$LD_LIBRARY_PATH exec "$CONDAGPU" verify --no-driver -f "$1"' \
        "$scratch/later" "$scratch/env.yml"
) >out 2>&1
is $? 1 "a runtime that was put in front after activation fails"
says 'later/libcudart\.so\.12.*12\.1' "and is named with its release"
echo 'exit 0' >"$p/etc/conda/activate.d/ends.sh"
verdict fail cudart-live "a hook that ends the shell"
echo 'sleep 60 &' >"$p/etc/conda/activate.d/ends.sh"
verdict pass cudart-live "a hook that leaves a process behind does not hold verify up"
rm "$p/etc/conda/activate.d/ends.sh"

# torch
site="$p/lib/python3.12/site-packages"
mkdir -p "$site/torch" "$site/torch-2.4.0.dist-info"
printf 'Name: torch\nVersion: 2.4.0\n' >"$site/torch-2.4.0.dist-info/METADATA"
echo pip >"$site/torch-2.4.0.dist-info/INSTALLER"
printf "__version__ = '2.4.0+cu124'\ncuda: Optional[str] = '12.4'\n" >"$site/torch/version.py"
verdict pass torch-build "the pinned release"
printf "__version__ = '2.4.0+cu121'\ncuda: Optional[str] = '12.1'\n" >"$site/torch/version.py"
verdict fail torch-build "another release"
printf "__version__ = '2.4.0+cpu'\ncuda: Optional[str] = None\n" >"$site/torch/version.py"
verdict fail torch-build "the CPU build"
says 'CONDA_OVERRIDE_CUDA' "and the fix names CONDA_OVERRIDE_CUDA"
rm -r "$site/torch" "$site"/torch-*
verdict skip torch-build "not installed"

# The driver, by snapshots of other machines.
"$CONDAGPU" probe --no-driver --format json >here.json
snapshot() {
    python3 - "$@" <<'END'
import json, sys
machine = json.load(open("here.json"))
version, cuda, pci = sys.argv[1:4]
machine["arch"] = sys.argv[4] if len(sys.argv) > 4 else "x86_64"
machine["pci_gpus"] = int(pci)
machine["gpus"] = []
if version != "-":
    machine["driver"]["version"] = version
    machine["driver"]["cuda"] = cuda
    machine["driver"]["problem"] = None
    machine["gpus"] = [{"index": 0, "name": "NVIDIA A10", "uuid": "GPU-0", "compute_capability": "8.6", "memory_total": 1,
                        "memory_free": 1, "pci": "00000000:01:00.0", "mig": False, "mig_uuids": [], "numa_node": None,
                        "persistence": None, "display": None, "nvlinks": None, "peers": []}]
json.dump(machine, open("there.json", "w"))
END
}
if command -v python3 >/dev/null 2>&1 && snapshot 550.54.15 12.4 1 && "$CONDAGPU" probe --probe there.json >out 2>&1; then
    verdict pass driver-visible "a GPU" --probe there.json
    verdict pass driver-min "the release's own driver" --probe there.json
    snapshot 535.54.03 12.2 1
    verdict pass driver-min "minor-version compatibility" --probe there.json
    says 'minor-version compatibility' "and says so"
    snapshot 470.82.01 11.4 1
    verdict fail driver-min "too old" --probe there.json
    says '525\.60\.13' "and names the driver that is needed"
    snapshot 535.54.03 12.2 1
    environment "$p.driver.yml" cuda-version=12.4 '__cuda>=12.4'
    verdict fail driver-min "older than the file's __cuda" --probe there.json -f "$p.driver.yml"
    says "$p.driver.yml:7 asks for __cuda>=12.4" "and names the line"
    environment "$p.driver.yml" cuda-version=12.4 '__cuda>=12.0'
    verdict pass driver-min "as the file's __cuda" --probe there.json -f "$p.driver.yml"
    snapshot 470.82.01 11.4 1
    environment "$p.yml" 'cuda-version=11.8|12.4'
    verdict fail driver-min "too old for the installed one of two pinned releases" --probe there.json
    environment "$p.yml" 'cuda-version>=11.8'
    verdict fail driver-min "too old for the installed release above a bound" --probe there.json
    environment "$p.yml" cuda-version=12.4
    snapshot 535.54.03 12.2 1 aarch64
    verdict warn driver-min "minor-version compatibility where no least driver is known" --probe there.json
    says 'not known for aarch64' "and says so"
    snapshot 550.54.15 12.4 1 aarch64
    verdict pass driver-min "the release's own driver on aarch64" --probe there.json
    snapshot 470.82.01 11.4 1 aarch64
    verdict fail driver-min "too old on aarch64" --probe there.json
    says 'needs 550\.54\.14' "and names the driver that the release ships with"
    snapshot - - 1
    verdict fail driver-visible "a GPU on the bus, but no driver" --probe there.json
else
    skip "driver checks" "python3 is missing, or the snapshot is not taken: $(cat out)"
fi
verdict skip driver-visible "no GPU"
verdict fail driver-visible "no GPU, but one is required" --require-gpu

# Output files
"$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only pin-present --skip pin-present >out 2>&1
is $? 2 "no check left is a wrong command line"
mkfifo pipe
cat pipe >from-pipe &
"$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only pin-present --format json -o pipe
wait
[ -p pipe ] && grep -q pin-present from-pipe
ok $? "a FIFO is written through, not replaced"
: >real.json
chmod 600 real.json
ln -s real.json link.json
"$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only pin-present --format json -o link.json
[ -h link.json ] && grep -q pin-present real.json
ok $? "a link is followed"
is "$(stat -c %a real.json)" 600 "and the file keeps its mode"

finish
