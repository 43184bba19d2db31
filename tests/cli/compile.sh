# verify --compile: with a stand-in of nvcc what can go wrong, with a real one what should be.
# shellcheck shell=sh disable=SC2154,SC1091,SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH NVCC_CCBIN NVCC_PREPEND_FLAGS
cd "$scratch" || exit 99
PATH=/usr/bin:/bin
mkdir tmp
TMPDIR="$scratch/tmp"
export PATH TMPDIR
nvcc=$CUDA_DIR/bin/nvcc

# nothing_left NAME
nothing_left() {
    ls -A tmp >why
    [ ! -s why ]
    ok $? "$1"
}

# standin_nvcc COMMANDS: an nvcc 12.4 in the environment; building runs the commands, with $cudart and $out.
standin_nvcc() {
    {
        # shellcheck disable=SC2016
        printf '#!/bin/sh\nif [ "$1" = --version ]; then echo "Cuda compilation tools, release 12.4, V12.4.131"; exit; fi\ncudart=$2 out=$4\n'
        printf '%s\n' "$1"
    } >"$p/bin/nvcc"
    chmod +x "$p/bin/nvcc"
}

p="$scratch/env"
new_prefix "$p"
standin_cudart s124 12040 libcudart.so.12
standin_cudart s130 13000 libcudart.so.13
add_conda_cudart "$p" s124 12.4.127
environment "$p.yml" cuda-version=12.4
standin_nvcc 'exit 1'
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml" >/dev/null

verdict skip nvcc-compile "without --compile"
says 'give --compile' "and says so"
rm "$p/bin/nvcc"
verdict skip nvcc-compile "no nvcc" --compile

# shellcheck disable=SC2016
standin_nvcc 'case $out in shared) exec '"${CC:-cc}"' -o $out -Wl,--no-as-needed '"$scratch"'/python.c '"$p"'/lib/libcudart.so.12 ;; *) exec '"${CC:-cc}"' -o $out '"$scratch"'/python.c ;; esac'
verdict warn nvcc-compile "a static program in which no runtime is found" --compile
says 'needs libcudart\.so\.12 and gets .*12\.4' "and the shared one gets the environment's"
says 'not run: there is no GPU' "and nothing was run"
nothing_left "nothing is left of it"
# shellcheck disable=SC2016
standin_nvcc 'exec '"${CC:-cc}"' -o $out -Wl,--no-as-needed '"$scratch"'/python.c '"$scratch"'/s130'
verdict fail nvcc-compile "the runtime of another release is linked" --compile
says 'needs libcudart\.so\.13, and the pinned release is libcudart\.so\.12' "and both are named"
# shellcheck disable=SC2016
standin_nvcc 'exec '"${CC:-cc}"' -o $out '"$scratch"'/python.c'
verdict fail nvcc-compile "no runtime is linked" --compile

printf '#!/bin/sh\nprintf "#define __GNUC__ 99\\n#define __GNUC_MINOR__ 1\\n"\n' >gcc-99
chmod +x gcc-99
standin_nvcc 'echo "/x/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!" >&2; exit 1'
verdict fail nvcc-compile "a host compiler that is too new" NVCC_CCBIN="$scratch/gcc-99" --compile
says "gcc-99 is gcc 99, and nvcc 12\.4 takes gcc up to 13" "and it is named with what nvcc takes"
says 'unsupported GNU version' "and nvcc's own words are kept"
verdict fail nvcc-compile "the same by NVCC_PREPEND_FLAGS" NVCC_PREPEND_FLAGS=" -ccbin=$scratch/gcc-99" --compile
says 'gcc-99 is gcc 99' "and it is named"
printf '#!/bin/sh\nprintf "#define __clang_major__ 18\\n#define __GNUC__ 4\\n"\n' >gcc-99
verdict fail nvcc-compile "a clang that is too new" NVCC_CCBIN="$scratch/gcc-99" --compile
says 'is clang 18, and nvcc 12\.4 takes clang up to 17' "and it is named"
printf '#!/bin/sh\nprintf "#define __GNUC__ 12\\n"\n' >gcc-99
standin_nvcc 'echo "nvcc fatal   : Cannot find compiler in PATH" >&2; exit 1'
verdict fail nvcc-compile "another failure" NVCC_CCBIN="$scratch/gcc-99" --compile
says 'fails: nvcc fatal   : Cannot find' "is told in nvcc's words"

# shellcheck disable=SC2016
standin_nvcc 'echo $$ >'"$scratch"'/pid; : >"$TMPDIR/part"; mkdir "$TMPDIR/deep"; : >"$TMPDIR/deep/part"; exec sleep 60'
verdict fail nvcc-compile "an nvcc that hangs" --compile --timeout 0.05
says 'did not end within' "and says so"
kill -0 "$(cat pid)" 2>/dev/null
is $? 1 "and it is ended"
nothing_left "nothing is left of that either"
standin_nvcc 'exit 1'
TMPDIR="$scratch/none"
verdict skip nvcc-compile "no place for temporary files" --compile
TMPDIR="$scratch/tmp"

# The real compiler.
if [ ! -x "$nvcc" ]; then
    skip "a real nvcc" "there is no CUDA toolkit"
    finish
fi
release=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
major=${release%%.*}
runtime=$(find -L "$CUDA_DIR/lib64" "$CUDA_DIR/targets" -maxdepth 3 -name "libcudart.so.$major*" 2>/dev/null | head -n 1)
echo 'int main() {}' >try.cu
if [ -z "$runtime" ] || ! "$nvcc" -cudart static -o try try.cu >why 2>&1 || ! "$nvcc" -cudart shared -o try try.cu >why 2>&1; then
    skip "a real nvcc" "$nvcc cannot build: $(head -n 1 why)"
    finish
fi
p="$scratch/real"
new_prefix "$p"
add_conda_cudart "$p" "$runtime" "$release.99"
environment "$p.yml" cuda-version="$release"
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml" >/dev/null
verdict pass nvcc-compile "nvcc $release for its own release" CUDA_HOME="$CUDA_DIR" --compile
says "the runtime inside the static program: $release \\(decoded" "and the static runtime is decoded"
says "needs libcudart\\.so\\.$major" "and the shared one is found"
nothing_left "nothing is left"
environment "$p.yml" cuda-version=9.9
verdict fail nvcc-compile "nvcc $release for another release" CUDA_HOME="$CUDA_DIR" --compile
finish
