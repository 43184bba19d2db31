# probe on this machine, beside programs that tell a part of it.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"

for reference in nproc lscpu hwloc-info; do
    if command -v "$reference" >/dev/null 2>&1; then
        measure "probe against $reference" - "$reference" -- "$CONDAGPU" probe --no-driver
    fi
done
exit "$bench_status"
