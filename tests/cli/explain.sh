# shellcheck shell=sh disable=SC1091,SC2154
# Every check that verify knows is explained.
. "$top_srcdir/tests/tap.sh"

"$CONDAGPU" --help | grep -q '^  explain ' || skip_all "this build has no explain"

"$CONDAGPU" explain >"$scratch/list" 2>"$scratch/why"
ok $? "the list is printed"
is "$(LC_ALL=C grep -vc '^[a-z][a-z0-9-]*  *[^ ].*$' "$scratch/list")" 0 "each line is an id and a title"
is "$(cut -d' ' -f1 "$scratch/list" | sort | uniq -d)" "" "no id stands twice"

while read -r id title; do
    "$CONDAGPU" explain "$id" >"$scratch/text" 2>"$scratch/why"
    status=$?
    [ "$status" -ne 0 ] || rm -f "$scratch/why"
    is "$status $(head -n 1 "$scratch/text")" "0 $id: $title" "$id is explained"
    [ "$(wc -l <"$scratch/text")" -ge 3 ]
    ok $? "$id has an explanation below its title"
done <"$scratch/list"

first=$(sed -n '1s/ .*//p' "$scratch/list")
"$CONDAGPU" explain "${first}x" >"$scratch/out" 2>"$scratch/err"
is $? 2 "an unknown id is wrong usage"
is "$(wc -c <"$scratch/out")" 0 "and prints nothing on standard output"
like "$(cat "$scratch/err")" "*there is no check \"${first}x\"*did you mean $first?*" "and names the nearest id"
"$CONDAGPU" explain "$first" "$first" >/dev/null 2>&1
is $? 2 "one id at a time"
finish
