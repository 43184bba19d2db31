# Sourced by tests: makes conda prefixes as conda and pip lay them out. Needs tests/tap.sh and $CC.
# shellcheck shell=sh

# new_prefix DIR: an environment with a python that, as conda's, has DT_RPATH $ORIGIN/../lib.
# new_prefix DIR plain: a python without a path of its own.
new_prefix() {
    mkdir -p "$1/conda-meta" "$1/bin" "$1/lib/python3.12/site-packages"
    echo '==> 2026-01-01 00:00:00 <==' >"$1/conda-meta/history"
    if [ ! -f "$scratch/python.c" ]; then
        echo 'int main(void) { return 0; }' >"$scratch/python.c"
        # shellcheck disable=SC2016
        ${CC:-cc} -o "$scratch/python-rpath" "$scratch/python.c" -Wl,-rpath,'$ORIGIN/../lib' -Wl,--disable-new-dtags
        ${CC:-cc} -o "$scratch/python-plain" "$scratch/python.c"
    fi
    cp "$scratch/python-${2:-rpath}" "$1/bin/python3.12"
    ln -s python3.12 "$1/bin/python"
    add_record "$1" python 3.12.4 h0_0 bin/python3.12
}

# add_record PREFIX NAME VERSION BUILD FILE...: a record of conda-meta that owns the files, with their digests.
add_record() {
    _prefix=$1 _name=$2 _version=$3 _build=$4
    shift 4
    {
        printf '{\n  "name": "%s",\n  "version": "%s",\n  "build": "%s",\n  "build_number": 0,\n' "$_name" "$_version" "$_build"
        printf '  "channel": "conda-forge",\n  "files": ['
        _comma=
        for _file; do
            printf '%s\n    "%s"' "$_comma" "$_file"
            _comma=,
        done
        printf '\n  ],\n  "paths_data": {\n    "paths_version": 1,\n    "paths": ['
        _comma=
        for _file; do
            if [ -h "$_prefix/$_file" ]; then _type=softlink; else _type=hardlink; fi
            _sum=$(sha256sum <"$_prefix/$_file" | cut -d' ' -f1)
            printf '%s\n      {"_path": "%s", "path_type": "%s", "sha256_in_prefix": "%s"}' "$_comma" "$_file" "$_type" "$_sum"
            _comma=,
        done
        printf '\n    ]\n  }\n}\n'
    } >"$_prefix/conda-meta/$_name-$_version-$_build.json"
}

# add_conda_cudart PREFIX FILE BUILD: libcudart as conda-forge's cuda-cudart lays it out (12 and later).
add_conda_cudart() {
    _lib=targets/x86_64-linux/lib _major=${3%%.*}
    mkdir -p "$1/$_lib"
    cp "$2" "$1/$_lib/libcudart.so.$3"
    ln -sf "libcudart.so.$3" "$1/$_lib/libcudart.so.$_major"
    ln -sf "../$_lib/libcudart.so.$3" "$1/lib/libcudart.so.$3"
    ln -sf "../$_lib/libcudart.so.$3" "$1/lib/libcudart.so.$_major"
    add_record "$1" cuda-cudart_linux-64 "$3" h0_0 "$_lib/libcudart.so.$3" "$_lib/libcudart.so.$_major"
    add_record "$1" cuda-cudart "$3" h0_0 "lib/libcudart.so.$3" "lib/libcudart.so.$_major"
    _minor=${3#*.}
    add_record "$1" cuda-version "$_major.${_minor%%.*}" h0_0
}

# add_flat_cudart PREFIX FILE BUILD RELEASE: as the cudatoolkit package lays it out (up to 11.8).
add_flat_cudart() {
    cp "$2" "$1/lib/libcudart.so.$3"
    ln -sf "libcudart.so.$3" "$1/lib/libcudart.so.11.0"
    add_record "$1" cudatoolkit "$4" h0_0 "lib/libcudart.so.$3" lib/libcudart.so.11.0
}

# add_pip_cudart PREFIX FILE BUILD: as the wheels lay it out: nvidia/cuda_runtime before 13, nvidia/cu13 from there on.
add_pip_cudart() {
    _site=$1/lib/python3.12/site-packages _major=${3%%.*}
    case $_major in
    11) _dir=nvidia/cuda_runtime _soname=libcudart.so.11.0 _dist=nvidia_cuda_runtime_cu11 ;;
    12) _dir=nvidia/cuda_runtime _soname=libcudart.so.12 _dist=nvidia_cuda_runtime_cu12 ;;
    *) _dir=nvidia/cu$_major _soname=libcudart.so.$_major _dist=nvidia_cuda_runtime ;;
    esac
    mkdir -p "$_site/$_dir/lib" "$_site/$_dist-$3.dist-info"
    cp "$2" "$_site/$_dir/lib/$_soname"
    _name=$(echo "$_dist" | tr _ -)
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$_name" "$3" >"$_site/$_dist-$3.dist-info/METADATA"
    echo pip >"$_site/$_dist-$3.dist-info/INSTALLER"
    _sum=$(python3 -c 'import base64, hashlib, sys
print(base64.urlsafe_b64encode(hashlib.sha256(open(sys.argv[1], "rb").read()).digest()).rstrip(b"=").decode())' \
        "$_site/$_dir/lib/$_soname")
    printf '%s/lib/%s,sha256=%s,%s\n' "$_dir" "$_soname" "$_sum" "$(wc -c <"$2")" >"$_site/$_dist-$3.dist-info/RECORD"
}

# environment FILE SPEC...: an environment file with these dependencies; one that starts with "pip:" goes into the pip list.
environment() {
    _file=$1 _pip=
    shift
    {
        printf 'name: gpu\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.12\n'
        for _spec; do
            case $_spec in
            pip:*) _pip="$_pip      - ${_spec#pip:}
" ;;
            *) printf '  - %s\n' "$_spec" ;;
            esac
        done
        if [ -n "$_pip" ]; then printf '  - pip\n  - pip:\n%s' "$_pip"; fi
    } >"$_file"
}

# standin_cudart FILE VERSION SONAME: a small library that answers cudaRuntimeGetVersion with VERSION (12040 is 12.4).
standin_cudart() {
    # shellcheck disable=SC2154
    ${CC:-cc} -O1 -shared -fPIC -DVERSION="$2" -Wl,-soname,"$3" -o "$1" "$top_srcdir/tests/standin/cudart.c"
}

# consumer FILE LIBRARY [LINKER-FLAG...]: an extension that needs a library.
consumer() {
    _out=$1 _needs=$2
    shift 2
    echo 'extern int cudaRuntimeGetVersion(int *); int use(int *v); int use(int *v) { return cudaRuntimeGetVersion(v); }' >"$scratch/consumer.c"
    ${CC:-cc} -shared -fPIC -o "$_out" "$scratch/consumer.c" "$_needs" "$@"
}

# with_hooks PREFIX COMMAND...: runs the command in a shell that activated the environment as conda does.
with_hooks() {
    _prefix=$1
    shift
    (
        export CONDA_PREFIX="$_prefix" CONDA_SHLVL=1 CONDA_DEFAULT_ENV=gpu PATH="$_prefix/bin:$PATH"
        for _hook in "$_prefix"/etc/conda/activate.d/*.sh; do
            # shellcheck disable=SC1090
            . "$_hook"
        done
        "$@"
    )
}

# add_library FILE SONAME TEXT [FLAG...]: a library whose bytes depend on TEXT.
add_library() {
    _out=$1 _soname=$2 _text=$3
    shift 3
    mkdir -p "$(dirname "$_out")"
    printf 'const char twin_text[] = "%s"; int twin(void); int twin(void) { return twin_text[0]; }\n' "$_text" >"$scratch/twin.c"
    ${CC:-cc} -shared -fPIC -Wl,-soname,"$_soname" -o "$_out" "$scratch/twin.c" "$@"
}

# add_asker FILE LIBRARY [FLAG...]: an extension that needs a library.
add_asker() {
    _out=$1 _needs=$2
    shift 2
    mkdir -p "$(dirname "$_out")"
    echo 'extern int twin(void); int ask(void); int ask(void) { return twin(); }' >"$scratch/asker.c"
    ${CC:-cc} -shared -fPIC -o "$_out" "$scratch/asker.c" "$_needs" "$@"
}

# add_wheel SITE-PACKAGES NAME VERSION FILE [REQUIREMENT...]: a dist-info that owns the file, which is relative to it.
add_wheel() {
    _info=$1/$(echo "$2" | tr - _)-$3.dist-info
    mkdir -p "$_info"
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$2" "$3" >"$_info/METADATA"
    echo pip >"$_info/INSTALLER"
    printf '%s,,\n' "$4" >"$_info/RECORD"
    shift 4
    for _requirement; do
        printf 'Requires-Dist: %s\n' "$_requirement" >>"$_info/METADATA"
    done
}
