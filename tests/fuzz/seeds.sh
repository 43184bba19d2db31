# The fuzz targets on their seeds and on the broken files of the corpus, without a fuzzer.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"

# run PROGRAM SEED
run() {
    _dir=${2%/*}
    CONDAGPU_FUZZ=${_dir##*/} "$top_builddir/tests/fuzz/$1" "$2" >"$scratch/why" 2>&1
    ok $? "${_dir##*/}: ${2##*/}"
}

for seed in "$top_srcdir"/tests/fuzz/seeds/*/*; do
    case $seed in
    */elf/*) run elf "$seed" ;;
    */lock/*) run lock "$seed" ;;
    */record/*) run record "$seed" ;;
    */spec/*) run spec "$seed" ;;
    */toml/*) run toml "$seed" ;;
    *) run text "$seed" ;;
    esac
done
for seed in "$top_srcdir"/tests/corpus/faults/*.*; do
    run spec "$seed"
done
finish
