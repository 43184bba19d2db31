# The live child: what the real loader says for programs that can be asked, and why others cannot.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

[ -n "${CC:-}" ] || skip_all "no compiler is named by CC"
unset LD_LIBRARY_PATH LD_PRELOAD CONDA_PREFIX
ask="$top_builddir/tests/loader/ask"
cd "$scratch" || exit 99

# got WORD: that line of the last answer
got() { sed -n "s/^$1 //p" "$scratch/answer"; }
live() { "$ask" live "$@" >"$scratch/answer" 2>&1; }
trace() { "$ask" trace "$@" >"$scratch/answer" 2>&1; }

p="$scratch/env"
new_prefix "$p"
standin_cudart "$p/lib/libcudart.so.12" 12040 libcudart.so.12
mkdir foreign
standin_cudart foreign/libcudart.so.12 12010 libcudart.so.12
printf 'int nothing(void);\nint nothing(void) { return 0; }\n' >nothing.c
$CC -shared -fPIC -o foreign/libnothing.so.1 nothing.c

live "$p/bin/python" libcudart.so.12
is "$(got path)" "$p/bin/../lib/libcudart.so.12" "the environment's own file is found through DT_RPATH"
is "$(got version)" 12040 "and says its release"
LD_LIBRARY_PATH="$scratch/foreign"
export LD_LIBRARY_PATH
live "$p/bin/python" libcudart.so.12
is "$(got path)" "$p/bin/../lib/libcudart.so.12" "DT_RPATH comes before LD_LIBRARY_PATH"
live "$p/bin/python" libnothing.so.1
is "$(got opened) $(got message)" "1 it does not export cudaRuntimeGetVersion" "a library without the function is told"
live "$p/bin/python" libcudart.so.99
is "$(got ran) $(got opened)" "1 0" "a library that is missing is an answer"
like "$(got message)" '*libcudart.so.99*' "with the loader's own words"
consumer "$p/lib/ext.so" "$p/lib/libcudart.so.12" -Wl,-rpath,/none -Wl,--enable-new-dtags
consumer "$p/lib/plain.so" "$p/lib/libcudart.so.12"
trace "$p/bin/python" "$p/lib/ext.so" libcudart.so
is "$(got path)" "$scratch/foreign/libcudart.so.12" "a trace: DT_RUNPATH hides the program's DT_RPATH"
trace "$p/bin/python" "$p/lib/plain.so" libcudart.so
is "$(got path)" "$p/bin/../lib/libcudart.so.12" "a trace: without it, DT_RPATH counts"
unset LD_LIBRARY_PATH
trace "$p/bin/python" "$p/lib/ext.so" libcudart.so
is "$(got opened) $(got message)" "0 libcudart.so.12 is not found" "a trace: what is missing is no failure of the trace"
trace "$p/bin/python" "$scratch/foreign/libnothing.so.1" libcudart.so
is "$(got message)" "nothing asks for libcudart.so" "a trace: a file that does not ask"

# The driver's error is no release.
printf 'int cudaRuntimeGetVersion(int *v);\nint cudaRuntimeGetVersion(int *v) { *v = 7; return 35; }\n' >fails.c
$CC -shared -fPIC -Wl,-soname,libcudart.so.11.0 -o "$p/lib/libcudart.so.11.0" fails.c
live "$p/bin/python" libcudart.so.11.0
is "$(got version) $(got status)" "0 35" "a call that fails tells no release"

# Programs that cannot be asked.
printf '#!/bin/sh\nexec true\n' >wrapper
chmod +x wrapper
live "$scratch/wrapper" libcudart.so.12
like "$(got ran) $(got skipped)" '0 *script*' "a wrapper script"
live "$scratch/none" libcudart.so.12
like "$(got ran) $(got skipped)" '0 *No such file*' "no file"
if $CC -static -o static "$scratch/python.c" 2>/dev/null; then
    live "$scratch/static" libcudart.so.12
    like "$(got ran) $(got skipped)" '0 *statically*' "a static program"
else
    skip "a static program" "there is no static libc"
fi
cp "$p/bin/python3.12" setuid
if chmod u+s setuid && [ -u setuid ]; then
    live "$scratch/setuid" libcudart.so.12
    like "$(got ran) $(got skipped)" '0 *setuid*' "a setuid program"
else
    skip "a setuid program" "chmod u+s does not work here"
fi
$CC -o musl "$scratch/python.c" -Wl,--dynamic-linker,/lib/ld-musl-x86_64.so.1
live "$scratch/musl" libcudart.so.12
like "$(got ran) $(got skipped)" '0 *musl*' "a program for musl"
$CC -o lost "$scratch/python.c" -Wl,--dynamic-linker,/none/ld-linux-x86-64.so.2
live "$scratch/lost" libcudart.so.12
like "$(got ran) $(got skipped)" '0 *is not there*' "a program without its loader"
trace "$p/bin/python" "$scratch/a b.so" libcudart.so
like "$(got ran) $(got skipped)" '0 *blank*' "a consumer that LD_PRELOAD cannot name"
ASK_PRELOAD="$scratch/foreign/libcudart.so.12" live "$p/bin/python" libcudart.so.12
is "$(got path) $(got version)" "$scratch/foreign/libcudart.so.12 12010" "a preload of the user's is kept, and wins"

# The module itself must not change the answer, wherever it lies and whatever a packager has added to it.
mkdir "lib dir" wrong
standin_cudart wrong/libcudart.so.12 12010 libcudart.so.12
$CC -D_GNU_SOURCE -shared -fPIC -o "lib dir/condagpu-live.so" "$top_srcdir/src/loader/live_probe.c" \
    -Wl,-rpath,"$scratch/wrong" -Wl,--enable-new-dtags -ldl
CONDAGPU_PKGLIBDIR="$scratch/lib dir"
export CONDAGPU_PKGLIBDIR
live "$p/bin/python" libcudart.so.12
is "$(got path) $(got version)" "$p/bin/../lib/libcudart.so.12 12040" "a module with a path of its own, in a directory with a space"
CONDAGPU_PKGLIBDIR="$scratch/nowhere"
live "$p/bin/python" libcudart.so.12
like "$(got ran) $(got skipped)" '0 *condagpu-live.so*' "a module that is not installed"
finish
