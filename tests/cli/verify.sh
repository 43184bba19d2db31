# The main job: init, activate, verify. With stand-ins for libcudart always; with NVIDIA's own where they can be had.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/wheels.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99

# status COMMAND...: the exit status; the output is in $scratch/out and $scratch/err.
status() {
    "$@" >"$scratch/out" 2>"$scratch/err"
    echo $?
}

# expect WANTED NAME COMMAND...
expect() {
    _wanted=$1 _title=$2
    shift 2
    _got=$(status "$@")
    { cat "$scratch/out" "$scratch/err"; echo "status $_got, wanted $_wanted"; } >"$scratch/why"
    [ "$_got" = "$_wanted" ]
    ok $? "$_title"
}

# says PATTERN NAME: a line of the last output matches (grep -E)
says() {
    cat "$scratch/out" "$scratch/err" >"$scratch/why"
    grep -Eq -- "$1" "$scratch/out"
    ok $? "$2"
}

verify() { "$CONDAGPU" verify --no-driver "$@"; }
init() { "$CONDAGPU" init --no-driver "$@"; }

# The whole round for one runtime. ROUND KIND FILE BUILD PIN FOREIGN-DIR FOREIGN-FILE
round() {
    r_kind=$1 r_file=$2 r_build=$3 r_pin=$4 r_foreign=$5 r_label="$1 $3"
    p="$scratch/$r_kind-$r_build"
    rm -rf "$p"
    new_prefix "$p" plain
    "add_${r_kind}_cudart" "$p" "$r_file" "$r_build" ${6:+"$6"}
    environment "$p.yml" "$r_pin"
    expect 1 "$r_label: verify fails before init" verify -p "$p" -f "$p.yml"
    says 'init has not been run' "$r_label: and says that init has not been run"
    expect 1 "$r_label: fails with a foreign runtime in front and no hooks" \
        env LD_LIBRARY_PATH="$r_foreign" "$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml"
    says "$r_foreign/libcudart" "$r_label: and names the foreign file"
    expect 0 "$r_label: init" init -p "$p" -f "$p.yml"
    expect 0 "$r_label: verify passes after init" verify -p "$p" -f "$p.yml"
    expect 0 "$r_label: verify passes with the hooks active" \
        with_hooks "$p" "$CONDAGPU" verify --no-driver --strict -p "$p" -f "$p.yml"
    LD_LIBRARY_PATH="$r_foreign"
    export LD_LIBRARY_PATH
    expect 0 "$r_label: the hooks put the environment before the foreign runtime" \
        with_hooks "$p" "$CONDAGPU" verify --no-driver --strict -p "$p" -f "$p.yml"
    unset LD_LIBRARY_PATH
}

# wrong KIND FILE BUILD PIN: another release than the pinned one is in the environment.
wrong() {
    r_kind=$1 r_file=$2 r_build=$3 r_pin=$4 r_label="$1 $3 under $4"
    p="$scratch/wrong-$r_kind-$r_build"
    rm -rf "$p"
    new_prefix "$p"
    "add_${r_kind}_cudart" "$p" "$r_file" "$r_build"
    environment "$p.yml" "$r_pin"
    expect 0 "$r_label: init" init -p "$p" -f "$p.yml"
    expect 1 "$r_label: verify fails" with_hooks "$p" "$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml"
    says "${r_pin#pip:}" "$r_label: and names the pin"
    says 'libcudart\.so' "$r_label: and the file"
    says "${r_build%.*}" "$r_label: and its release"
}

mkdir foreign
standin_cudart foreign/libcudart.so.12 12010 libcudart.so.12
standin_cudart s124 12040 libcudart.so.12
standin_cudart s130 13000 libcudart.so.13
standin_cudart s118 11080 libcudart.so.11.0
round conda "$scratch/s124" 12.4.127 cuda-version=12.4 "$scratch/foreign"
round flat "$scratch/s118" 11.8.89 cudatoolkit=11.8 "$scratch/foreign" 11.8.0
round pip "$scratch/s124" 12.4.127 pip:nvidia-cuda-runtime-cu12==12.4.127 "$scratch/foreign"
round pip "$scratch/s130" 13.0.96 'pip:nvidia-cuda-runtime==13.0.96' "$scratch/foreign"
wrong conda "$scratch/s130" 13.0.96 cuda-version=12.4

# An extension with DT_RUNPATH takes LD_LIBRARY_PATH first, whatever python's own path is.
p="$scratch/runpath"
new_prefix "$p"
add_conda_cudart "$p" s124 12.4.127
consumer "$p/lib/python3.12/site-packages/ext.so" "$p/lib/libcudart.so.12" "-Wl,-rpath,\$ORIGIN/../.." -Wl,--enable-new-dtags
environment "$p.yml" cuda-version=12.4
export LD_LIBRARY_PATH="$scratch/foreign"
expect 1 "an extension with DT_RUNPATH falls to LD_LIBRARY_PATH" verify --only cudart-static -p "$p" -f "$p.yml"
says 'ext\.so loads .*foreign/libcudart\.so\.12.*LD_LIBRARY_PATH' "and the finding names consumer, file and rule"
expect 0 "init heals it" init -p "$p" -f "$p.yml"
expect 0 "an extension with DT_RUNPATH gets the environment's runtime" \
    with_hooks "$p" "$CONDAGPU" verify --no-driver --only cudart-static,cudart-live -p "$p" -f "$p.yml"
unset LD_LIBRARY_PATH

# NVIDIA's own files.
real() {
    if wheel_libcudart "$1" >"$scratch/wheel"; then
        wheel=$(cat "$scratch/wheel")
        return 0
    fi
    skip "the real runtime of $1" "$wheel_reason"
    return 1
}
# The release is read from the file's own code and from the call; the call of 11.8 needs a driver and says so.
for release in 11.8 12.1 12.4 12.8 13.0; do
    real $release || continue
    build=$(wheel_requirement $release)
    build=${build#*==}
    p="$scratch/read-$release"
    new_prefix "$p" plain
    add_pip_cudart "$p" "$wheel" "$build"
    environment "$p.yml" "pip:$(wheel_requirement $release)"
    init -q -p "$p" -f "$p.yml"
    expect 0 "$release: the pinned build is found" verify --only cudart-live -v -p "$p" -f "$p.yml"
    says "its code $release" "$release: by its code"
    case $release in
    11.8) says 'answered with error 35' "$release: the call asks for a driver, and the evidence says so" ;;
    *) says "cudaRuntimeGetVersion $release" "$release: by the call" ;;
    esac
done
if real 12.4; then
    w124=$wheel
    mkdir -p real121 real118
    if real 12.1; then
        cp "$wheel" real121/libcudart.so.12
        round conda "$w124" 12.4.127 cuda-version=12.4 "$scratch/real121"
    fi
    if real 11.8; then
        cp "$wheel" real118/libcudart.so.11.0
        round pip "$w124" 12.4.127 pip:nvidia-cuda-runtime-cu12==12.4.127 "$scratch/real118"
    fi
    if real 13.0; then
        wrong conda "$wheel" 13.0.96 cuda-version=12.4
        round pip "$wheel" 13.0.96 'pip:nvidia-cuda-runtime==13.0.96' "$scratch/real121"
    fi
fi

finish
