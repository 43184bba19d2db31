# condagpu why: the words and the document.
# shellcheck shell=sh disable=SC2154,SC1091,SC2016
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

[ -n "${CC:-}" ] || skip_all "no compiler is named by CC"
unset CONDA_PREFIX LD_LIBRARY_PATH LD_PRELOAD
cd "$scratch" || exit 99
p="$scratch/env"
new_prefix "$p"
standin_cudart cudart 12040 libcudart.so.12
add_conda_cudart "$p" "$scratch/cudart" 12.4.127
mkdir foreign
standin_cudart foreign/libcudart.so.12 12010 libcudart.so.12
site=lib/python3.12/site-packages
consumer "$p/$site/own.so" "$p/lib/libcudart.so.12" '-Wl,-rpath,$ORIGIN/../..' -Wl,--enable-new-dtags
consumer "$p/$site/plain.so" "$p/lib/libcudart.so.12"
printf 'int f(void);\nint f(void) { return 0; }\n' >f.c
$CC -shared -fPIC -o "$p/$site/through.so" f.c -Wl,--no-as-needed -L"$p/$site" -l:plain.so \
    "-Wl,-rpath,/none:$p/$site" -Wl,--disable-new-dtags

# why STATUS NAME ARGUMENT...
why() {
    _wanted=$1 _title=$2
    shift 2
    "$CONDAGPU" why "$@" >out 2>err
    _got=$?
    { cat out err; echo "status $_got"; } >"$scratch/why"
    [ "$_got" = "$_wanted" ]
    ok $? "$_title"
}
says() {
    cat out err >"$scratch/why"
    grep -Eq -- "$1" out err
    ok $? "$2"
}
fits() {
    if command -v python3 >/dev/null 2>&1; then
        python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/why.json" "$1" 2>"$scratch/why"
        ok $? "$2 fits its schema"
    else
        skip "$2 fits its schema" "python3 is not here"
    fi
}

why 0 "all consumers" libcudart -p "$p"
says "^$p/bin/\.\./lib/libcudart\.so\.12, by DT_RPATH of $p/bin/python3\.12  CUDA 12\.4\.127" "the winner, its rule and its build"
says 'for bin/python, which opens libcudart\.so\.12 by name' "python itself"
says "for $site/plain\\.so, which needs libcudart\\.so\\.12" "a consumer"
LD_LIBRARY_PATH="$scratch/foreign"
export LD_LIBRARY_PATH
why 0 "with a foreign runtime in front" libcudart -p "$p"
says "^$scratch/foreign/libcudart\\.so\\.12, by LD_LIBRARY_PATH  CUDA 12\\.1" "it wins for the one with DT_RUNPATH"
says "without LD_LIBRARY_PATH it would be $p/$site/\\.\\./\\.\\./libcudart\\.so\\.12" "and what would win without it"
says "instead of $scratch/foreign/libcudart\\.so\\.12 \\(LD_LIBRARY_PATH\\)" "and loses for the others"
why 0 "one consumer" libcudart -p "$p" "$site/own.so"
says 'DT_RUNPATH of lib/python3\.12/site-packages/own\.so' "the lists that are searched"
says 'own\.so|comes too late' "what comes too late"
says "gets $scratch/foreign/libcudart\\.so\\.12, by LD_LIBRARY_PATH  CUDA 12\\.1" "what it gets"
why 0 "a chain" libcudart -p "$p" "$p/$site/through.so"
says "needs libcudart\\.so\\.12 through $site/plain\\.so|needs libcudart\\.so\\.12 through $p/$site/plain\\.so" "through whom it asks"
says "/none/: no such directory" "a directory that is missing"
why 0 "the document" libcudart -p "$p" --format json -o all.json
fits all.json "the document"
grep -q '"release": "12.1"' all.json
ok $? "it holds the releases"
why 0 "the document of one consumer" libcudart -p "$p" "$site/own.so" --format json -o one.json
fits one.json "the document of one consumer"
unset LD_LIBRARY_PATH
why 0 "a consumer that does not ask" libcudart -p "$p" bin/python3.12
says 'nothing in it asks for libcudart' "is said so"
why 0 "another library" libc -p "$p" "$site/through.so"
says 'needs libc\.so' "is answered for one consumer"
printf 'GROUP ( a )\n' >"$p/lib/text.so"
printf '\177ELF\002\001\007xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >"$p/lib/$(printf 'a\033[31mb').so"
why 0 "a broken file in the environment" libcudart -p "$p"
says 'warning: .*a\\x1b\[31mb\.so: ' "is a warning in printable bytes"
why 3 "a text file as consumer" libcudart -p "$p" lib/text.so
why 3 "a consumer that is not there" libcudart -p "$p" nothing.so
says 'no such file' "is said so"
why 3 "a prefix that is not there" libcudart -p "$scratch/none"
why 2 "no library" -p "$p"
why 2 "a path for a library" ./libcudart.so -p "$p"
why 2 "all consumers of another library" libcublas -p "$p"
why 2 "no prefix" libcudart
why 2 "a format that is not known" libcudart -p "$p" --format yaml
finish
