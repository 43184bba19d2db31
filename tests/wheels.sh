# Sourced by tests: NVIDIA's own libcudart, from its wheels. A cache is kept in $CONDAGPU_TEST_CACHE, else below
# $XDG_CACHE_HOME or ~/.cache, so that each wheel is fetched once.
# shellcheck shell=sh disable=SC2034

wheel_cache=${CONDAGPU_TEST_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/condagpu-tests}
wheel_reason=

# wheel_requirement RELEASE
wheel_requirement() {
    case $1 in
    11.8) echo nvidia-cuda-runtime-cu11==11.8.89 ;;
    12.1) echo nvidia-cuda-runtime-cu12==12.1.105 ;;
    12.4) echo nvidia-cuda-runtime-cu12==12.4.127 ;;
    12.8) echo nvidia-cuda-runtime-cu12==12.8.90 ;;
    13.0) echo nvidia-cuda-runtime==13.0.96 ;;
    *) return 1 ;;
    esac
}

# wheel_libcudart RELEASE: prints the path of the library; status 1 with $wheel_reason when it cannot be had. Run it in
# this shell (wheel_libcudart 12.4 >file), for a subshell would lose the reason.
wheel_libcudart() {
    _requirement=$(wheel_requirement "$1") || {
        wheel_reason="no wheel is known for $1"
        return 1
    }
    _found=$(find "$wheel_cache/$1" -name 'libcudart.so.*' 2>/dev/null | head -n 1)
    if [ -n "$_found" ]; then
        echo "$_found"
        return 0
    fi
    if [ -f "$wheel_cache/unreachable" ] && [ -n "$(find "$wheel_cache/unreachable" -mmin -10 2>/dev/null)" ]; then
        wheel_reason="the wheels could not be fetched a moment ago"
        return 1
    fi
    if ! python3 -m pip --version >/dev/null 2>&1; then
        wheel_reason="python3 with pip is not installed"
        return 1
    fi
    mkdir -p "$wheel_cache" || return 1
    _dir=$(mktemp -d "$wheel_cache/new-XXXXXX") || return 1
    if python3 -m pip download -q --no-deps --only-binary=:all: --platform manylinux2014_x86_64 --retries 1 --timeout 20 \
        --disable-pip-version-check -d "$_dir" "$_requirement" >"$_dir/log" 2>&1 &&
        python3 -c 'import sys, zipfile
for name in sys.argv[2:]:
    with zipfile.ZipFile(name) as wheel:
        for member in wheel.namelist():
            if "/lib/libcudart.so." in member:
                wheel.extract(member, sys.argv[1])' "$_dir/files" "$_dir"/*.whl && mv "$_dir/files" "$wheel_cache/$1"; then
        rm -rf "$_dir"
        find "$wheel_cache/$1" -name 'libcudart.so.*' | head -n 1
        return 0
    fi
    wheel_reason="$_requirement could not be fetched"
    : >"$wheel_cache/unreachable"
    rm -rf "$_dir"
    return 1
}
