# The hooks as text: every shell's own syntax check, shellcheck, ASCII, equal bytes for equal inputs; and the errors of
# templates and operations.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"

tool=$top_builddir/tests/shells/render_tool
# shellcheck disable=SC2016
set -- 'set:CUDA_HOME=$CONDA_PREFIX' lead:SLURM_CPUS_PER_TASK:OMP_NUM_THREADS=4 \
    lead:SLURM_CPUS_PER_TASK:MKL_NUM_THREADS=4 default:PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True \
    'prepend:LD_LIBRARY_PATH=$CONDA_PREFIX/targets/x86_64-linux/lib' prepend:LD_LIBRARY_PATH=/usr/local/cuda/lib64 \
    append:LD_LIBRARY_PATH=/usr/lib/wsl/lib unset:CUDA_CACHE_DISABLE

for suffix in sh fish csh; do
    for verb in activate deactivate; do
        "$tool" "$suffix" "$verb" "$@" >"$scratch/$verb.$suffix" 2>"$scratch/why"
        ok $? "$verb.$suffix is made"
        "$tool" "$suffix" "$verb" "$@" | cmp -s - "$scratch/$verb.$suffix"
        ok $? "$verb.$suffix: equal inputs give equal bytes"
        LC_ALL=C grep -n '[^ -~]' "$scratch/$verb.$suffix" >"$scratch/why"
        [ $? -eq 1 ]
        ok $? "$verb.$suffix is ASCII"
    done
done

# syntax NAME FILE COMMAND…
syntax() {
    label=$1
    file=$2
    shift 2
    if ! command -v "$1" >/dev/null 2>&1; then
        skip "$label" "$1 is not installed"
        return
    fi
    "$@" "$file" >"$scratch/why" 2>&1
    status=$?
    [ $status -eq 0 ] && [ ! -s "$scratch/why" ]
    ok $? "$label"
}
for verb in activate deactivate; do
    for shell in bash zsh dash mksh ksh93; do
        syntax "$shell -n $verb.sh" "$scratch/$verb.sh" "$shell" -n
    done
    syntax "busybox sh -n $verb.sh" "$scratch/$verb.sh" busybox sh -n
    syntax "shellcheck -s sh $verb.sh" "$scratch/$verb.sh" shellcheck -s sh
    syntax "fish -n $verb.fish" "$scratch/$verb.fish" fish -n
    syntax "tcsh -n $verb.csh" "$scratch/$verb.csh" tcsh -f -n
    # BSD csh's own -n takes $?NAME for a file name pattern; the matrix runs the hooks in it.
    # conda-pack's fish runs the .sh as a child.
    syntax "sh $verb.sh as a program is silent" "$scratch/$verb.sh" sh
done

for suffix in sh fish csh; do
    grep -nE '(^|[;&|] *)(exit|return|exec|set -[a-z]*[eufx]|shopt|setopt|trap|cd|local|function|source|eval) ' \
        "$scratch/activate.$suffix" "$scratch/deactivate.$suffix" | grep -v 'set -[eglq]*[gx] \|set -[lq] ' >"$scratch/why"
    [ ! -s "$scratch/why" ]
    ok $? "no $suffix hook uses what would reach beyond it"
done
awk 'match($0, /[A-Za-z_][A-Za-z0-9_]*/) {
    line = $0
    while (match(line, /_(CONDAGPU|condagpu)_[A-Za-z0-9_]*/)) {
        if (RLENGTH > 30) print substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
    }
}' "$scratch/activate.csh" >"$scratch/why"
[ ! -s "$scratch/why" ]
ok $? 'the names of the state have at most 30 characters'
grep -F 'the test asks for set:CUDA_HOME' "$scratch/activate.sh" >/dev/null
ok $? 'the why stands as a comment'

# fails TEMPLATE-TEXT MESSAGE NAME
mkdir "$scratch/bad"
fails() {
    # shellcheck disable=SC2059
    printf "$1" >"$scratch/bad/activate.sh"
    error=$("$tool" -d "$scratch/bad" sh activate set:A=1 2>&1 >/dev/null)
    status=$?
    is "$status:$error" "3:render_tool: template: $scratch/bad/activate.sh:$2" "$3"
}
fails 'a\n@NOPE@\n' '2: there is no placeholder @NOPE@' 'an unknown placeholder'
fails 'a@b.c\n' '1: an @ without its second one (a single @ is written @@)' 'a lone @'
fails 'x\n\n@NAME@\n' '3: @NAME@ has no value here' "a variable's placeholder outside the loop"
fails '@for set@\n@LEAD@\n@end@\n' '2: @LEAD@ has no value here' 'a placeholder that this kind does not have'
fails '@for set@\n' '1: @for@ without @end@' 'a loop without end'
fails '@end@\n' '1: @end@ without @for@' 'an end without loop'
fails '@for set@\n@for set@\n@end@\n' '2: @for@ inside @for@' 'a loop in a loop'
fails '@for sets@\n@end@\n' '1: there is no kind of variable "sets"' 'an unknown kind'
fails '@include ../x@\n' '1: "../x" is no plain file name to include' 'an include outside'
fails '@include activate.sh@\n' '1: activate.sh is included too deeply' 'an include of itself'
rm "$scratch/bad/activate.sh"
like "$("$tool" -d "$scratch/bad" sh activate 2>&1)" \
    "render_tool: template: $scratch/bad/activate.sh: No such file or directory" 'a template that is missing'
printf '@# dropped\na@@b @VERSION@\n@for set@\n  [@NAME@]\n@end@\nlast' >"$scratch/bad/activate.sh"
is "$("$tool" -d "$scratch/bad" sh activate unset:U set:A=1)" "a@b 0.0
  [CONDAGPU_ACTIVE]
  [A]
last" 'comments, the doubled @, a loop, a last line without newline'

# refused OP… MESSAGE
refused() {
    like "$("$tool" sh activate "$@" 2>&1)" 'render_tool: plan: *' "refused: $*"
}
# shellcheck disable=SC2016
for value in 'a"b' "a'b" 'a`b' 'a$b' 'a\b' 'a!b' '$CONDA_PREFIXES' 'a
b'; do
    refused "set:A=$value"
done
refused prepend:P=relative
refused prepend:P=
refused prepend:P=/a:/b
refused set:A=1 set:A=2
refused set:P=1 prepend:P=/a
refused 'set:1A=x'
refused 'lead:X Y:A=1'
finish
