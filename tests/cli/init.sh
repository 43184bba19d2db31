# init and remove: what they write, what they refuse, and that nothing is ever half-written.
# shellcheck shell=sh disable=SC2154,SC1091,SC2317
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
SHELL=/bin/sh
export SHELL
cd "$scratch" || exit 99

init() { "$CONDAGPU" init --no-driver "$@" >"$scratch/out" 2>"$scratch/err"; }

# expect WANTED NAME COMMAND...
expect() {
    _wanted=$1 _title=$2
    shift 2
    "$@"
    _got=$?
    { cat "$scratch/out" "$scratch/err"; echo "status $_got, wanted $_wanted"; } >"$scratch/why"
    [ "$_got" = "$_wanted" ]
    ok $? "$_title"
}

says() {
    cat "$scratch/out" "$scratch/err" >"$scratch/why"
    grep -Eq -- "$1" "$scratch/out" "$scratch/err"
    ok $? "$2"
}

# every file below a prefix with its digest and mode, and every link
listing() {
    (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2 && find . -type l -printf '%p -> %l\n' | sort)
}

standin_cudart s124 12040 libcudart.so.12
p="$scratch/env"
new_prefix "$p"
add_conda_cudart "$p" s124 12.4.127
environment env.yml cuda-version=12.4
listing "$p" >before

expect 0 "--dry-run works" init -p "$p" -f env.yml --dry-run
listing "$p" >after
is "$(cat after)" "$(cat before)" "--dry-run writes nothing"
expect 1 "--diff says by its status that something would change" init -p "$p" -f env.yml --diff
listing "$p" >after
is "$(cat after)" "$(cat before)" "--diff writes nothing"
expect 0 "init works" init -p "$p" -f env.yml
listing "$p" >first
for f in activate.d/~zz-condagpu.sh deactivate.d/~zz-condagpu.sh activate.d/~zz-condagpu.fish deactivate.d/~zz-condagpu.fish; do
    is "$(stat -c '%F %a' "$p/etc/conda/$f" 2>&1)" "regular file 644" "$f is a regular file of mode 644"
done
expect 0 "init again works" init -p "$p" -f env.yml
says 'up to date' "and says that the hooks are up to date"
listing "$p" >second
is "$(cat second)" "$(cat first)" "init twice gives equal bytes, state and history too"
expect 0 "--diff has nothing to show then" init -p "$p" -f env.yml --diff

echo '# mine' >>"$p/etc/conda/activate.d/~zz-condagpu.sh"
listing "$p" >edited
expect 4 "a hand-edited hook is not overwritten" init -p "$p" -f env.yml
says 'edited by hand' "and the message says so"
listing "$p" >after
is "$(cat after)" "$(cat edited)" "nothing at all was written"
expect 0 "--force overwrites it" init -p "$p" -f env.yml --force
listing "$p" | grep -v history.log >after
grep -v history.log first >wanted
is "$(cat after)" "$(cat wanted)" "the hooks are as at first"
is "$(wc -l <"$p/etc/condagpu/history.log")" 2 "the history has a line for each change"

environment other.yml cuda-version=12.4 numpy
id=$(grep -o '"id": "[0-9a-f]*"' "$p/etc/condagpu/state.json")
expect 0 "init from a changed file" init -p "$p" -f other.yml
is "$(grep -o '"id": "[0-9a-f]*"' "$p/etc/condagpu/state.json")" "$id" "the state's ID survives a second init"

echo 'not json' >"$p/etc/condagpu/state.json"
expect 3 "a broken state file is an error" init -p "$p" -f env.yml
says 'state\.json:1' "that names file and line"
rm "$p/etc/condagpu/state.json"
expect 0 "a lost state file is written again" init -p "$p" -f other.yml
is "$(grep -o '"id": "[0-9a-f]*"' "$p/etc/condagpu/state.json")" "$id" "with the ID that the hooks carry"
echo '{}' >"$p/etc/condagpu/state.json"

mkdir "$p/etc/conda/activate.d/other.d"
: >"$p/etc/conda/activate.d/foreign.sh"
: >"$p/lib/condagpu-not-ours"
"$CONDAGPU" remove -p "$p" >out 2>err
is $? 0 "remove works"
says 'until they leave it' "and says that active shells keep the variables"
find "$p" -name '*condagpu*' | grep -v not-ours >left
is "$(cat left)" "" "nothing of ours is left"
[ -f "$p/etc/conda/activate.d/foreign.sh" ] && [ -d "$p/etc/conda/activate.d/other.d" ]
ok $? "what is not ours stays"
"$CONDAGPU" remove -p "$p" >out 2>err
is $? 0 "remove again works"

# What cannot be a target.
expect 3 "a prefix that is not there" init -p "$scratch/none" -f env.yml
mkdir plain
expect 3 "a directory that is no environment" init -p "$scratch/plain" -f env.yml
for c in ':' ';' "'" '"' '`' '$' '\' '!'; do
    q="$scratch/bad${c}name"
    cp -a "$p" "$q"
    expect 3 "a prefix with $c in its name is refused" init -p "$q" -f env.yml
done
q="$scratch/with space and é"
cp -a "$p" "$q"
expect 0 "a prefix with a space and a letter beyond ASCII" init -p "$q" -f env.yml
ln -s "$p" "$scratch/link"
expect 0 "a prefix that is a symlink" init -p "$scratch/link" -f env.yml
"$CONDAGPU" remove -p "$p" >/dev/null
expect 3 "no environment file" init -p "$p"
odd=$(printf 'odd\377.yml')
cp env.yml "$odd"
expect 3 "an environment file whose name is not UTF-8" init -p "$p" -f "$odd"

# Nothing is half-written.
if [ "$(id -u)" -ne 0 ]; then
    chmod -R a-w "$p"
    expect 4 "a read-only prefix" init -p "$p" -f env.yml
    chmod -R u+w "$p"
else
    skip "a read-only prefix" "root can write everywhere"
fi
full="$scratch/full"
mkdir "$full"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1m tmpfs "$full" 2>/dev/null; then
    new_prefix "$full/env"
    environment full.yml cuda-version=12.4
    dd if=/dev/zero of="$full/filler" bs=4k >/dev/null 2>&1
    expect 4 "a full disk" init -p "$full/env" -f full.yml
    find "$full/env" -name '*condagpu*' -size 0 >left
    find "$full/env" -name '.*condagpu*' >>left
    is "$(cat left)" "" "leaves no empty and no temporary file"
    rm "$full/filler"
    expect 0 "and init works once there is room" init -p "$full/env" -f full.yml
    umount "$full"
else
    skip "a full disk" "no right to mount a small file system"
fi

# Killed at any moment, each file is whole or not there, and the next init knows every hook as one that init wrote, even
# when the inputs have changed in between.
"$CONDAGPU" remove -p "$p" >/dev/null
environment other.yml cuda-version=12.4
printf 'threads:\n  count: 3\n' >one.cfg
printf 'threads:\n  count: 5\n' >two.cfg
torn=0 strange=0
i=0
while [ $i -lt 60 ]; do
    i=$((i + 1))
    if [ $((i % 2)) -eq 0 ]; then config=one.cfg; else config=two.cfg; fi
    "$CONDAGPU" init --no-driver -p "$p" -f env.yml --config "$config" >/dev/null 2>err &
    pid=$!
    if [ $((i % 5)) -ne 0 ]; then
        sleep "0.00$((i % 10))"
        kill -9 "$pid" 2>/dev/null
    fi
    wait "$pid" 2>/dev/null
    if grep -q 'edited by hand' err; then strange=$((strange + 1)); fi
    for f in "$p"/etc/conda/*activate.d/~zz-condagpu.*; do
        [ -f "$f" ] || continue
        # A whole hook ends with its last line: compare with a fresh one of the same state ID.
        tail -n 1 "$f" >last
        [ -s last ] && [ "$(tail -c 1 "$f" | od -An -tx1 | tr -d ' ')" = 0a ] || torn=$((torn + 1))
    done
    if [ $((i % 11)) -eq 0 ]; then "$CONDAGPU" remove -p "$p" >/dev/null 2>&1 || strange=$((strange + 1)); fi
done
is "$torn" 0 "a killed init leaves no torn hook"
is "$strange" 0 "and none that the next init takes for edited, or that remove stumbles over"
expect 0 "init works afterwards" init -p "$p" -f env.yml
is "$(find "$p" -name '.*condagpu*' -o -name '.state.json*')" "" "and takes away what the killed ones were writing"
is "$(grep -ho '_CONDAGPU_[0-9a-f]\{8\}_' "$p"/etc/conda/*activate.d/~zz-condagpu.sh | sort -u | wc -l | tr -d ' ')" 1 \
    "the hooks have one ID"

# Two first inits and removes at the same moment: whatever wins, the hooks agree with each other and with the state.
mixed=0
i=0
while [ $i -lt 20 ]; do
    i=$((i + 1))
    "$CONDAGPU" remove -p "$p" >/dev/null 2>&1
    "$CONDAGPU" init --no-driver -p "$p" -f env.yml >/dev/null 2>&1 &
    one=$!
    if [ $((i % 2)) -eq 0 ]; then "$CONDAGPU" remove -p "$p" >/dev/null 2>&1; fi
    "$CONDAGPU" init --no-driver -p "$p" -f env.yml >/dev/null 2>&1
    wait "$one"
    "$CONDAGPU" init --no-driver -p "$p" -f env.yml >/dev/null 2>&1
    ids=$({ grep -ho '_CONDAGPU_[0-9a-f]\{8\}_' "$p"/etc/conda/*activate.d/~zz-condagpu.sh
        sed -n 's/^ *"id": "\(.*\)",*$/_CONDAGPU_\1_/p' "$p/etc/condagpu/state.json"; } | sort -u | wc -l)
    if [ "$ids" -ne 1 ]; then mixed=$((mixed + 1)); fi
done
is "$mixed" 0 "two inits at once come to one ID"

# A flat layout has a directory of links.
q="$scratch/flat"
standin_cudart s118 11080 libcudart.so.11.0
new_prefix "$q"
add_flat_cudart "$q" s118 11.8.89 11.8.0
environment flat.yml cudatoolkit=11.8
mkdir -p "$q/lib/condagpu"
echo mine >"$q/lib/condagpu/libcudart.so.11.0"
expect 4 "a file of the user's where a link must go" init -p "$q" -f flat.yml
says 'a file that is not condagpu' "is named"
is "$(cat "$q/lib/condagpu/libcudart.so.11.0") $(ls -A "$q/etc" 2>/dev/null)" "mine " "nothing is touched"
rm "$q/lib/condagpu/libcudart.so.11.0"
expect 0 "without it init works" init -p "$q" -f flat.yml
rm "$q/lib/condagpu/libcudart.so.11.0"
expect 1 "--diff counts a link that is missing" init -p "$q" -f flat.yml --diff
says 'would link .*libcudart.so.11.0' "and names it"
expect 0 "--dry-run too" init -p "$q" -f flat.yml --dry-run
says 'would link .*libcudart.so.11.0' "names it"
cp flat.yml same.yml
expect 0 "init makes it again" init -p "$q" -f flat.yml
expect 1 "--diff counts another input with the same result" init -p "$q" -f same.yml --diff
says 'change|record|from same.yml' "and says so"
rm "$q/lib/condagpu/libcudart.so.11.0"
echo mine >"$q/lib/condagpu/libcudart.so.11.0"
"$CONDAGPU" remove -p "$q" >out 2>err
is "$(cat "$q/lib/condagpu/libcudart.so.11.0")" mine "remove leaves what a user put in a link's place"

expect 2 "hooks for a shell that there is not" init -p "$p" -f env.yml --shell cssh
says 'did you mean csh' "the nearest is named"

# Two at once: one wins, the other says why, or both come to the same.
"$CONDAGPU" remove -p "$p" >/dev/null
mkdir -p "$p/etc/condagpu"
: >"$p/etc/condagpu/lock"
if command -v flock >/dev/null 2>&1; then
    flock "$p/etc/condagpu/lock" "$CONDAGPU" init --no-driver -p "$p" -f env.yml >out 2>err
    is $? 4 "a prefix that another process is changing"
    says 'another condagpu' "gets a clear message"
else
    skip "a prefix that another process is changing" "flock(1) is not installed"
fi

finish
