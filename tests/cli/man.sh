# The examples of the manual pages are run. In a page, the comment `test: NAME [STATUS]` stands before a literal block:
# lines that begin with "$ " are commands, the others must come out in this order ("..." stands for anything), and the
# last command exits with STATUS. The comment `file: NAME` stands before the text of a file that the examples use.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"

unset CONDA_PREFIX CONDA_SHLVL CONDA_DEFAULT_ENV CONDAGPU_ACTIVE CUDA_HOME CUDA_PATH LD_LIBRARY_PATH LD_PRELOAD NO_COLOR
SHELL=/bin/sh
export SHELL
commands=$("$CONDAGPU" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')

# extract PAGE DIR: DIR/NAME.test (a line with the status, then the block) and DIR/files/NAME
extract() {
    mkdir -p "$2/files"
    awk -v dir="$2" '
        function plain(line) {
            gsub(/\\&/, "", line)
            gsub(/\\-/, "-", line)
            gsub(/\\e/, "\\", line)
            return line
        }
        /^\.\\" test: / { to = dir "/" $3 ".test"; print ($4 == "" ? 0 : $4) > to; next }
        /^\.\\" file: / { to = dir "/files/" $3; next }
        /^\.Bd -literal/ && to { inside = 1; next }
        /^\.Ed/ && inside { inside = 0; close(to); to = ""; next }
        inside { print plain($0) > to }
    ' "$1"
}

# matches WANTED OUTPUT: each wanted line comes in the output, in order; prints the first that does not
matches() {
    awk '
        function regex(line) {
            gsub(/[][\\.^$*+?(){}|]/, "[&]", line)
            gsub(/\[\\\]/, "\\\\", line)
            gsub(/\[\^\]/, "\\^", line)
            gsub(/\[[.]\]\[[.]\]\[[.]\]/, ".*", line)
            return "^" line "$"
        }
        NR == FNR { wanted[++n] = $0; next }
        at < n && $0 ~ regex(wanted[at + 1]) { at++ }
        END {
            if (at < n) print "not in the output: " wanted[at + 1]
            exit at < n
        }' "$1" "$2"
}

# The matcher itself.
printf 'a.c\nx ... (z)\n' >"$scratch/wanted"
printf 'first\na.c\nbetween\nx and y (z)\n' >"$scratch/output"
matches "$scratch/wanted" "$scratch/output" >"$scratch/why"
ok $? "lines are found in order"
printf 'x and y (z)\na.c\n' >"$scratch/output"
! matches "$scratch/wanted" "$scratch/output" >/dev/null
ok $? "lines in another order are not"
printf 'abc\nx (z)\n' >"$scratch/output"
! matches "$scratch/wanted" "$scratch/output" >/dev/null
ok $? "a full stop stands for itself"

# What every example finds: an environment with CUDA 12.4 and an extension, its file, and another CUDA beside it.
fixture="$scratch/fixture"
mkdir -p "$fixture/bin" "$fixture/foreign" "$fixture/envs"
ln -s "$CONDAGPU" "$fixture/bin/condagpu"
standin_cudart "$scratch/cudart" 12040 libcudart.so.12
standin_cudart "$fixture/foreign/libcudart.so.12" 12010 libcudart.so.12
new_prefix "$fixture/envs/gpu"
add_conda_cudart "$fixture/envs/gpu" "$scratch/cudart" 12.4.127
# shellcheck disable=SC2016
consumer "$fixture/envs/gpu/lib/python3.12/site-packages/ext.so" "$fixture/envs/gpu/lib/libcudart.so.12" \
    '-Wl,-rpath,$ORIGIN/../..' -Wl,--enable-new-dtags
environment "$fixture/environment.yml" cuda-version=12.4

# needs PAGE: what a user of that page has done before
needs() {
    case $1 in
    condagpu.1 | condagpu-init.1) echo 'export CONDA_PREFIX="$PWD/envs/gpu"' ;;
    condagpu-explain.1 | condagpu-probe.1 | condagpu-lint.1 | condagpu-data.5) echo ':' ;;
    *)
        cat <<'END'
export CONDA_PREFIX="$PWD/envs/gpu" CONDA_SHLVL=1 CONDA_DEFAULT_ENV=gpu
condagpu init >/dev/null
for hook in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do . "$hook"; done
END
        ;;
    esac
}

# check_document DOCUMENT: each key of the JSON document stands in the page of the command that wrote it
check_document() {
    _page=$(sed -n 's/.*"schema": "\(condagpu\)\.\([a-z]*\)\/1".*/\1-\2.1/p' "$1" | head -n 1)
    grep -oE '"[a-z][a-z0-9_]*" *:' "$1" | tr -d '": ' | sort -u >"$scratch/keys"
    sed -n 's/^\.\(Va\|It Va\) \(.*\)$/\2/p' "$top_srcdir/man/$_page" | tr -s ' ,.' '\n' | sort -u >"$scratch/documented"
    is "$(comm -23 "$scratch/keys" "$scratch/documented" | tr '\n' ' ')" "" "$_page has each key of $(basename "$1")"
}

# run_example PAGE TEST-FILE FILES
run_example() {
    _name=$(basename "$2" .test)
    _label="$1: $_name"
    _wanted=$(sed -n 1p "$2")
    { needs "$1" && sed 1d "$2" | sed -n 's/^\$ //p'; } >"$scratch/commands"
    for _command in $(grep -o 'condagpu [a-z][a-z]*' "$scratch/commands" | sed 's/condagpu //' | sort -u); do
        case " $(echo "$commands" | tr '\n' ' ') " in
        *" $_command "*) ;;
        *)
            skip "$_label" "this build has no condagpu $_command"
            return
            ;;
        esac
    done
    rm -rf "$scratch/run"
    cp -a "$fixture" "$scratch/run"
    for _file in "$3"/*; do
        if [ -f "$_file" ]; then cp "$_file" "$scratch/run/"; fi
    done
    (cd "$scratch/run" && PATH="$PWD/bin:$PATH" sh -e "$scratch/commands") >"$scratch/output" 2>"$scratch/errors"
    _got=$?
    sed 1d "$2" | grep -v '^\$ ' >"$scratch/wanted"
    { matches "$scratch/wanted" "$scratch/output" && [ "$_got" = "$_wanted" ]; } >"$scratch/why"
    _good=$?
    { echo "status $_got, wanted $_wanted"; cat "$scratch/commands" "$scratch/output" "$scratch/errors"; } >>"$scratch/why"
    ok "$_good" "$_label"
    for _document in "$scratch/run"/*.json; do
        if [ -s "$_document" ]; then check_document "$_document"; fi
    done
}

count=0
for page in "$top_srcdir"/man/*.[15]; do
    name=$(basename "$page")
    extract "$page" "$scratch/$name.examples"
    for example in "$scratch/$name.examples"/*.test; do
        [ -f "$example" ] || continue
        run_example "$name" "$example" "$scratch/$name.examples/files"
        count=$((count + 1))
    done
    grep -q '^\.\\" test: ' "$page"
    ok $? "$name has an example"
    if command -v mandoc >/dev/null 2>&1; then
        # From their directory, so that references to each other are found; those to others need what is installed.
        (cd "$top_srcdir/man" && mandoc -Tlint "$name" 2>&1) | grep -v 'mandoc.db\|not found: Xr ld.so' >"$scratch/why"
        [ ! -s "$scratch/why" ]
        ok $? "mandoc has nothing to say of $name"
    else
        skip "mandoc has nothing to say of $name" "mandoc is not installed"
    fi
done
[ "$count" -ge 10 ]
ok $? "the pages have examples"

# Pages and program know the same commands and checks.
for command in $commands; do
    [ -f "$top_srcdir/man/condagpu-$command.1" ] && grep -q "^\\.Xr condagpu-$command 1" "$top_srcdir/man/condagpu.1"
    ok $? "$command has a page, and condagpu(1) names it"
done
case " $(echo "$commands" | tr '\n' ' ') " in
*" explain "*)
    "$CONDAGPU" explain | sed 's/ .*//' | sort >"$scratch/checks"
    sed -n '/^\.Ss \(Checks\|Rules\)/,/^\.El/s/^\.It Cm \([a-z0-9-]*\)$/\1/p' "$top_srcdir/man/condagpu-verify.1" \
        "$top_srcdir/man/condagpu-lint.1" | sort -u >"$scratch/paged"
    is "$(cat "$scratch/paged")" "$(cat "$scratch/checks")" "the pages list the checks and rules that there are"
    ;;
*) skip "the pages list the checks and rules that there are" "this build has no condagpu explain" ;;
esac
# The keys of condagpu.yml, one row each in config.c, stand in its page.
sed -n 's/^    {"\([a-z-]*\)", \(NULL\|"\([a-z-]*\)"\), AT(.*/\1\n\3/p' "$top_srcdir/src/plan/config.c" |
    sed '/^$/d' | sort -u >"$scratch/keys"
sed -n 's/^\.It Cm \([a-z-]*\) :.*/\1/p' "$top_srcdir/man/condagpu.yml.5" | sort -u >"$scratch/documented"
[ -s "$scratch/keys" ]
ok $? "config.c has keys"
is "$(comm -23 "$scratch/keys" "$scratch/documented" | tr '\n' ' ')" "" "condagpu.yml(5) has each key"
is "$(comm -13 "$scratch/keys" "$scratch/documented" | tr '\n' ' ')" "variables " "condagpu.yml(5) has no other key but variables"
finish
