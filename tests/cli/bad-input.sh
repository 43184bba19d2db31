# What init does with files that it cannot read: one line with the place, at most one that says how to mend it, status 3,
# and nothing written.
# shellcheck shell=sh disable=SC2154,SC1091
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
SHELL=/bin/sh
export SHELL
cd "$scratch" || exit 99
p="$scratch/env"
new_prefix "$p"

listing() {
    (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2 && find . ! -type f -printf '%y %p %l\n' | sort)
}
listing "$p" >before

# refused FILE PLACE WORD: PLACE is "LINE:COLUMN", or empty where the file has no lines
refused() {
    timeout 10 "$CONDAGPU" init --no-driver -p "$p" -f "$1" >out 2>err
    _status=$?
    listing "$p" >after
    { echo "status $_status"; cat out err; } >why
    _lines=$(wc -l <err)
    [ "$_status" = 3 ] && [ ! -s out ] && [ "$_lines" -ge 1 ] && [ "$_lines" -le 2 ] \
        && head -n 1 err | grep -qF -- "$1:${2:+$2:}" && grep -q -- "$3" err && cmp -s before after
    ok $? "$1 is refused${2:+ at $2}"
}

for fault in 'tab.yml 4:1 tab' 'unclosed-quote.yml 3:5 quoted' 'duplicate-key.yml 3:1 twice' \
    'top-level-list.yml 1:1 mapping' 'empty.yml 1:1 empty' 'nul.yml 3:20 NUL' 'latin-1.yml 1:6 byte.5'; do
    # shellcheck disable=SC2086
    set -- $fault
    cp "$top_srcdir/tests/corpus/faults/$1" "$1"
    refused "$@"
done

printf '\177ELF\002\001\001\000\000\000\n\377' >binary.yml
refused binary.yml 1:8 NUL
{ printf 'dependencies:\n  - '; head -c 20000 /dev/zero | tr '\0' '['; } >deep.yml
refused deep.yml 2:68 levels
{
    echo 'a0: &a0 [x, x]'
    i=0
    while [ $i -lt 40 ]; do
        echo "a$((i + 1)): &a$((i + 1)) [*a$i, *a$i]"
        i=$((i + 1))
    done
    echo 'dependencies: *a40'
} >bomb.yml
refused bomb.yml 12:12 10,000

mkfifo fifo.yml
refused fifo.yml '' ''
mkdir directory.yml
refused directory.yml '' ''
refused missing.yml '' 'No such file'
echo 'dependencies: []' >unreadable.yml
chmod 0 unreadable.yml
if [ -r unreadable.yml ]; then
    skip "an unreadable file is refused" "this user may read every file"
else
    refused unreadable.yml '' denied
fi
finish
