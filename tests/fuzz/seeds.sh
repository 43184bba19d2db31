# The fuzz targets on their seeds and on the broken files of the corpus, without a fuzzer.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"

for target in elf lock record toml; do
    for seed in "$top_srcdir"/tests/fuzz/seeds/$target/*; do
        "$top_builddir/tests/fuzz/$target" "$seed" >"$scratch/why" 2>&1
        ok $? "$target: ${seed##*/}"
    done
done
for seed in "$top_srcdir"/tests/fuzz/seeds/spec/* "$top_srcdir"/tests/corpus/faults/*.*; do
    "$top_builddir/tests/fuzz/spec" "$seed" >"$scratch/why" 2>&1
    ok $? "spec: ${seed##*/}"
done
finish
