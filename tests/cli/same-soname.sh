# Several files of one CUDA library: which program gets which, and when that is a finding.
# shellcheck shell=sh disable=SC2154,SC1091,SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99
PATH=/usr/bin:/bin
export PATH

p="$scratch/env"
site="$p/lib/python3.12/site-packages"
jit=nvidia/nvjitlink/lib/libnvJitLink.so.12
environment "$p.yml" cuda-version=12.4

# fresh: an environment with conda's nvJitLink 12.4 as conda-forge lays it out.
fresh() {
    rm -rf "$p"
    new_prefix "$p" "$@"
    add_library "$p/targets/x86_64-linux/lib/libnvJitLink.so.12.4.127" libnvJitLink.so.12 12.4.127
    ln -s libnvJitLink.so.12.4.127 "$p/targets/x86_64-linux/lib/libnvJitLink.so.12"
    ln -s ../targets/x86_64-linux/lib/libnvJitLink.so.12.4.127 "$p/lib/libnvJitLink.so.12"
    ln -s libnvJitLink.so.12 "$p/lib/libnvJitLink.so"
    add_record "$p" libnvjitlink 12.4.127 h0_0 targets/x86_64-linux/lib/libnvJitLink.so.12.4.127 lib/libnvJitLink.so.12
    add_asker "$p/lib/libconda_asks.so" "$p/lib/libnvJitLink.so.12"
}

fresh
verdict pass same-soname "links to one file are one library"
says '1 CUDA libraries, each there once' "and are counted once"
cp "$p/lib/libnvJitLink.so.12" kept
mkdir -p copies && cp kept copies/libnvJitLink.so.12
verdict pass same-soname "a copy elsewhere is no twin" LD_LIBRARY_PATH="$scratch/copies"

# A wheel's own nvJitLink, newer than conda's, and torch's way to it.
add_library "$site/$jit" libnvJitLink.so.12 wheel-12.6
add_wheel "$site" nvidia-nvjitlink-cu12 12.6.85 "$jit"
# shellcheck disable=SC2016
add_asker "$site/torch/lib/libtorch_cuda.so" "$site/$jit" -Wl,-rpath,'$ORIGIN/../../nvidia/nvjitlink/lib' -Wl,--disable-new-dtags
rm "$p/lib/libconda_asks.so"
verdict pass same-soname "conda's and a wheel's library, where the only extension gets its own"
says 'libnvJitLink\.so\.12, 12\.6\.85' "and the evidence tells the wheel's version"
says 'opens libnvJitLink.so.12 by name gets' "and what is found by name"
add_asker "$p/lib/libconda_asks.so" "$p/lib/libnvJitLink.so.12"
verdict warn same-soname "extensions of both installers that get different versions"
says 'the first that is imported decides' "and the message says what that means"

# The extension has no way of its own: python's DT_RPATH leads it to conda's older file.
rm "$p/lib/libconda_asks.so"
add_asker "$site/torch/lib/libtorch_cuda.so" "$site/$jit"
verdict fail same-soname "an older twin that wins"
says 'libtorch_cuda\.so gets .*\(12\.4\.127\) by .*\(12\.6\.85\) was installed for it' "and both versions are named"

# The same where the wheel's is the older one: a newer library of the major serves.
mv "$site"/nvidia_nvjitlink_cu12-12.6.85.dist-info "$site"/nvidia_nvjitlink_cu12-12.1.105.dist-info
verdict pass same-soname "a newer twin that wins"
mv "$site"/nvidia_nvjitlink_cu12-12.1.105.dist-info "$site"/nvidia_nvjitlink_cu12-12.4.127.dist-info
verdict pass same-soname "two builds of one version"
rm -r "$site"/nvidia_nvjitlink_cu12-*
verdict warn same-soname "a twin of which nothing tells the version"

# LD_LIBRARY_PATH with an older toolkit, and extensions that heed it.
fresh plain
add_library foreign/libnvJitLink.so.12.1.105 libnvJitLink.so.12 12.1.105
ln -sf libnvJitLink.so.12.1.105 foreign/libnvJitLink.so.12
# shellcheck disable=SC2016
add_asker "$p/lib/libconda_asks.so" "$p/lib/libnvJitLink.so.12" -Wl,-rpath,'$ORIGIN' -Wl,--enable-new-dtags
verdict fail same-soname "an older toolkit in LD_LIBRARY_PATH" LD_LIBRARY_PATH="$scratch/foreign"
says "take $scratch/foreign out of LD_LIBRARY_PATH" "and the fix names the directory"
mkdir -p nothing
verdict fail same-soname "behind a semicolon" "LD_LIBRARY_PATH=$scratch/nothing;$scratch/foreign"
# shellcheck disable=SC2016
add_asker "$p/lib/libconda_asks.so" "$p/lib/libnvJitLink.so.12" -Wl,-rpath,'$ORIGIN' -Wl,--disable-new-dtags
verdict pass same-soname "and extensions that do not" LD_LIBRARY_PATH="$scratch/foreign"
rm "$p/lib/libconda_asks.so"
verdict warn same-soname "nobody needs it, but by name the older one is found" LD_LIBRARY_PATH="$scratch/foreign"

# The linker's file and the alternative build share a soname with nobody who asks.
fresh
add_library "$p/lib/libnvrtc.alt.so.12" libnvrtc.so.12 alternative
add_library "$p/lib/libnvrtc.so.12" libnvrtc.so.12 plain
mkdir -p "$p/targets/x86_64-linux/lib/stubs"
add_library "$p/targets/x86_64-linux/lib/stubs/libnvJitLink.so" libnvJitLink.so.12 stub
echo 'not a library' >"$p/lib/libcublas.so.12"
verdict pass same-soname "files that no search by soname finds"
rm -r "$p/lib/python3.12/site-packages" "$p"/lib/lib* "$p/targets"
verdict pass same-soname "no CUDA library at all"
finish
