# Who loads which libcudart, in an environment of 5,000 objects among 55,000 files: beside opening each file, and beside
# the programs that people use for it. lddtree gets each hundredth object and ldd each five-hundredth: a ratio of 1 then
# says that condagpu is 100 and 500 times faster.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"
. "$top_srcdir/tests/prefix.sh"

prefix="$scratch/env"
new_prefix "$prefix"
"$top_builddir/tests/bench/tree" make "$prefix" 5000 50000 || exit 1
find "$prefix" -name '*.so*' -type f | sort >"$scratch/objects"
awk 'NR % 100 == 1' "$scratch/objects" >"$scratch/hundredth"
awk 'NR % 500 == 1' "$scratch/objects" >"$scratch/five-hundredth"
environment "$scratch/environment.yml" cuda-version=12.4
set -- "$CONDAGPU" verify --quiet --no-driver -p "$prefix" -f "$scratch/environment.yml" --only cudart-static
"$@" >/dev/null || exit 1
tree="$top_builddir/tests/bench/tree"
measure "verify, 5,000 objects in 55,000 files, against opening each" 0.40 "$tree" peek "$prefix" -- "$@"
BENCH_RUNS=${BENCH_RUNS:-5}
if command -v libtree >/dev/null 2>&1; then
    measure "verify against libtree" 0.333 sh -c 'xargs libtree <"$0" || :' "$scratch/objects" -- "$@"
fi
if command -v scanelf >/dev/null 2>&1; then
    measure "verify against scanelf -n (lists, resolves nothing)" - sh -c 'xargs scanelf -n <"$0"' "$scratch/objects" -- "$@"
fi
measure "verify against readelf -d (lists, resolves nothing)" - sh -c 'xargs readelf -d <"$0"' "$scratch/objects" -- "$@"
if command -v lddtree >/dev/null 2>&1; then
    measure "verify against lddtree on each 100th" 1 sh -c 'xargs -n 1 lddtree <"$0" || :' "$scratch/hundredth" -- "$@"
fi
measure "verify against ldd on each 500th" 1 sh -c 'xargs -n 1 ldd <"$0" || :' "$scratch/five-hundredth" -- "$@"

# Memory at 20,000 objects: the last column, at most 16384.
rm -rf "$prefix"
new_prefix "$prefix"
"$tree" make "$prefix" 20000 0 || exit 1
BENCH_RUNS=3
measure "verify, 20,000 objects, against opening each" - "$tree" peek "$prefix" -- "$@"
exit "$bench_status"
