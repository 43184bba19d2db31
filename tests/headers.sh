# Each header compiles alone: it includes what it uses.
# shellcheck shell=sh disable=SC1091,SC2154,SC2086
. "$top_srcdir/tests/tap.sh"

[ -n "${CC:-}" ] || skip_all "no compiler is named by CC"
# A program stands alone as a test does, with what configure found for the libraries.
flags=$(sed -n 's/^S\["\(YAML\|CURL\|JANSSON\|YAJL\|CRYPTO\|CHECK\)_CFLAGS"\]="\(.*\)"$/\2/p' "$top_builddir/config.status")

cd "$top_srcdir" || exit 99
for header in src/*.h src/*/*.h; do
    printf '#include "%s"\n#include "%s"\n' "${header#src/}" "${header#src/}" >"$scratch/alone.c"
    $CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Isrc -I"$top_builddir" $flags \
        "$scratch/alone.c" 2>"$scratch/why"
    ok $? "$header compiles alone, and twice"
done
finish
