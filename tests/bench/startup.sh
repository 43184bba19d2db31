# How long the program itself takes to start.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"

measure "condagpu --version against true" - true -- "$CONDAGPU" --version
exit "$bench_status"
