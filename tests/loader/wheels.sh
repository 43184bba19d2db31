# NVIDIA's own runtimes: their release is decoded from the file alone.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/wheels.sh"

unset LD_PRELOAD CONDA_PREFIX
new_prefix "$scratch/env" plain

# decodes DIRECTORY RELEASE NAME
decodes() {
    LD_LIBRARY_PATH="$1" "$CONDAGPU" why libcudart -p "$scratch/env" --format json >"$scratch/why"
    is "$(sed -n 's/^ *"release": "\(.*\)",*$/\1/p' "$scratch/why")" "$2" "$3"
}

for release in 11.8 12.1 12.4 12.8 13.0; do
    if wheel_libcudart "$release" >"$scratch/wheel"; then
        rm -f "$scratch"/env/lib/libcudart.so*
        cp "$(cat "$scratch/wheel")" "$scratch/env/lib/"
        decodes "$scratch/env/lib" "$release" "the wheel of $release"
    else
        skip "the wheel of $release" "$wheel_reason"
    fi
done
rm -f "$scratch"/env/lib/libcudart.so*
found=$(find "${CUDA_DIR:-/none}"/lib*/ "${CUDA_DIR:-/none}"/targets/*/lib/ -name 'libcudart.so.1[1-9]*' 2>/dev/null | head -n 1)
nvcc_release=$("${NVCC:-false}" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
if [ -n "$found" ] && [ -n "$nvcc_release" ]; then
    cp "$found" "$scratch/env/lib/"
    decodes "$scratch/env/lib" "$nvcc_release" "the toolkit's own runtime"
    if printf 'int main(void) { int n = 0; cudaGetDeviceCount(&n); return 0; }\n' >"$scratch/static.cu" &&
        "$NVCC" -o "$scratch/env/bin/static" "$scratch/static.cu" >"$scratch/log" 2>&1; then
        strip "$scratch/env/bin/static"
        is "$("$CONDAGPU" why libcudart -p "$scratch/env" bin/static | sed -n 's/.*static runtime: *CUDA //p')" "$nvcc_release" \
            "a runtime inside a stripped program"
    else
        skip "a runtime inside a stripped program" "nvcc cannot build one here"
    fi
else
    skip "the toolkit's own runtime" "there is no CUDA toolkit"
    skip "a runtime inside a stripped program" "there is no CUDA toolkit"
fi
finish
