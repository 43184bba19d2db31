# verify --import: what a real python loads while it imports modules.
# shellcheck shell=sh disable=SC2154,SC1091,SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD LD_DEBUG CUDA_HOME CUDA_PATH PYTHONPATH
cd "$scratch" || exit 99
python=$(python3 -c 'import ctypes, os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null)
[ -n "$python" ] || skip_all "there is no python3 with ctypes"
PATH=/usr/bin:/bin
mkdir tmp
TMPDIR="$scratch/tmp"
export PATH TMPDIR

p="$scratch/env"
new_prefix "$p"
standin_cudart s124 12040 libcudart.so.12
standin_cudart s121 12010 libcudart.so.12
standin_cudart s130 13000 libcudart.so.13
add_conda_cudart "$p" s124 12.4.127
environment "$p.yml" cuda-version=12.4
mkdir modules foreign
cp s121 foreign/libcudart.so.12
cp s130 foreign/libcudart.so.13
PYTHONPATH="$scratch/modules"
export PYTHONPATH

# module NAME LINE...
module() {
    _module=modules/$1.py
    shift
    printf '%s\n' "$@" >"$_module"
}
module by_path 'import ctypes' "ctypes.CDLL('$p/lib/libcudart.so.12')"
module by_name 'import ctypes' 'ctypes.CDLL("libcudart.so.12")'
module other 'import ctypes' "ctypes.CDLL('$scratch/foreign/libcudart.so.13')"
module nothing 'x = 1'
module broken 'import ctypes' 'ctypes.CDLL("libcudart.so.99")'
module hangs 'import os, time' "open('$scratch/pid', 'w').write(str(os.getpid()))" 'time.sleep(60)'
module dies 'import os, signal' 'os.kill(os.getpid(), signal.SIGSEGV)'
module talks 'import os, subprocess, sys' 'print("12345")' 'print("warning", file=sys.stderr)' 'os.write(1, b"1\n")' \
    'subprocess.run(["true"])' 'import by_path'

verdict skip cudart-import "without --import"
says 'give --import MODULE' "and says so"
verdict skip cudart-import "a python that is none" --import by_path
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml" >/dev/null
rm "$p/bin/python3.12"
ln -s "$python" "$p/bin/python3.12"

verdict pass cudart-import "a module that opens the environment's runtime by its path" --import by_path
says 'libcudart\.so\.12 was loaded by its path, for .*12\.4' "and the evidence tells who asked"
verdict pass cudart-import "one that opens it by name, through the hooks" --import by_name
says 'was loaded by LD_LIBRARY_PATH' "and the evidence tells the rule"
verdict pass cudart-import "one that prints and starts processes" --import talks
verdict fail cudart-import "one that opens another release" --import other
says 'importing other loads .*foreign/libcudart\.so\.13, which is 13\.0.*the pin is cuda-version=12\.4' "and it is named"
verdict fail cudart-import "two that bring two releases into one process" --import by_path,other
says 'holds two CUDA runtimes' "and says so"
environment "$p.yml" 'cuda-version>=12'
verdict fail cudart-import "also where both are allowed" --import by_path,other
environment "$p.yml" cuda-version=12.4
verdict skip cudart-import "one that loads none" --import nothing
verdict fail cudart-import "one that cannot be imported" --import broken
says 'cannot import broken: OSError: libcudart\.so\.99' "and python's words are told"
verdict fail cudart-import "one that does not exist" --import by_path,missing
says 'No module named' "and python's words are told"
verdict fail cudart-import "one that hangs" --import hangs --timeout 0.1
says 'did not end within' "and says so"
kill -0 "$(cat pid)" 2>/dev/null
is $? 1 "and it is ended"
verdict fail cudart-import "one that crashes" --import dies
says 'ended by signal 11' "and says so"

# Without the hooks the loader goes where LD_LIBRARY_PATH leads.
"$CONDAGPU" remove -q -p "$p" >/dev/null
verdict fail cudart-import "a foreign runtime in LD_LIBRARY_PATH" LD_LIBRARY_PATH="$scratch/foreign" --import by_name
says "take $scratch/foreign out of LD_LIBRARY_PATH" "and the fix names the directory"
ls -A tmp >why
[ ! -s why ]
ok $? "nothing is left"
find modules -name '__pycache__' >why
[ ! -s why ]
ok $? "and nothing was written beside the modules"

for name in 'os;x' '-c' '1a' 'a..b' '' 'a.'; do
    "$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only cudart-import --import "nothing,$name" >out 2>&1
    is $? 2 "\"$name\" is no module"
done
finish
