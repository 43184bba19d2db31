# Who is to blame: our hooks beside those of a package that spoils what they manage; what tools that take over variables
# would lose; a path that nothing quotes; shells that are not there.
# shellcheck shell=sh disable=SC2154,SC1091,SC2016
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99

standin_cudart s124 12040 libcudart.so.12
p="$scratch/env"
new_prefix "$p"
add_conda_cudart "$p" s124 12.4.127
environment env.yml cuda-version=12.4
"$CONDAGPU" init --no-driver -q -p "$p" -f env.yml

# verdict CHECK: what it says of $p, as "STATUS", in $scratch/out
verdict() {
    "$CONDAGPU" verify --no-driver -p "$p" -f env.yml --only "$1" --format json >"$scratch/out" 2>"$scratch/err"
    sed -n 's/^ *"status": "\(.*\)",*$/\1/p' "$scratch/out"
}

# foreign NAME ACTIVATE DEACTIVATE: one package's pair of hooks
foreign() {
    printf '%s\n' "$2" >"$p/etc/conda/activate.d/$1"
    printf '%s\n' "$3" >"$p/etc/conda/deactivate.d/$1"
}

# blames STATUS CHECK NAME TITLE: the evidence names the hook and never ours
blames() {
    is "$(verdict "$2")" "$1" "$4: $2 says $1"
    cp "$scratch/out" "$scratch/why"
    grep -q "activate.d/$3\"" "$scratch/out"
    ok $? "$4: $2 names it"
    cp "$scratch/out" "$scratch/why"
    ! grep -q 'activate.d/~zz-condagpu' "$scratch/out"
    ok $? "$4: $2 does not name ours"
}

is "$(verdict hooks-run,hooks-restore | sort -u)" pass "our hooks alone are clean"
for name in aaa.sh '~zzz.sh'; do
    foreign "$name" 'export LD_LIBRARY_PATH=/opt/other' ':'
    blames warn hooks-restore "$name" "$name overwrites LD_LIBRARY_PATH"
    foreign "$name" 'unset LD_LIBRARY_PATH || :' ':'
    blames warn hooks-restore "$name" "$name unsets LD_LIBRARY_PATH"
    foreign "$name" 'export LD_LIBRARY_PATH=/opt/other' 'export LD_LIBRARY_PATH='
    blames warn hooks-restore "$name" "$name empties LD_LIBRARY_PATH"
    foreign "$name" "trap 'echo bye' EXIT" ':'
    blames warn hooks-run "$name" "$name sets a trap that prints"
    rm "$p/etc/conda/activate.d/$name" "$p/etc/conda/deactivate.d/$name"
done
foreign quiet.sh "trap 'echo bye' EXIT" "trap - EXIT"
blames warn hooks-run quiet.sh "a trap that is taken back"
rm "$p"/etc/conda/*activate.d/quiet.sh

# What is not exported, or not set but unset, is lost where variables are taken over.
foreign lost.sh 'unset PYTHONPATH || :
PLAIN=1
export GOOD=1
HALF=2; export HALF
tmp=3; unset tmp
helper() { :; }
gone() { :; }
unset -f gone
alias ll="ls -l"' 'unset GOOD PLAIN HALF
unset -f helper
unalias ll 2>/dev/null || :'
verdict hooks-run >status
is "$(cat status)" warn "what other tools would lose is a warning"
for wanted in 'unsets PYTHONPATH' 'sets PLAIN without exporting' 'leaves the function helper' 'an alias stays'; do
    cp "$scratch/out" "$scratch/why"
    grep -q "$wanted" "$scratch/out"
    ok $? "it says: $wanted"
done
cp "$scratch/out" "$scratch/why"
! grep -Eq '(sets|unsets) (GOOD|HALF|tmp)|function gone' "$scratch/out"
ok $? "and nothing of what is exported or taken away again"
rm "$p"/etc/conda/*activate.d/lost.sh
is "$(verdict hooks-run)" pass "without it all is clean"

# A path that no activation quotes.
q="$scratch/some; where"
cp -a "$p" "$q"
p="$q"
is "$(verdict hooks-run)" fail "a prefix with a semicolon in its path fails"
cp "$scratch/out" "$scratch/why"
grep -q 'its path holds a ;' "$scratch/out"
ok $? "and the character is named"
p="$scratch/env"

# No shell: nothing was proved.
mkdir bin
ln -s "$(command -v env)" bin/env
PATH="$scratch/bin" "$CONDAGPU" verify --no-driver -p "$p" -f env.yml --only hooks-run,hooks-restore --format json \
    >out 2>err
is "$(sed -n 's/^ *"status": "\(.*\)",*$/\1/p' out | sort -u)" skip "without a shell both are skipped"
finish
