# The command line as such: help, version, mistakes, option order, colour, output that cannot be written.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
unset CONDA_PREFIX NO_COLOR

# run WANTED-STATUS NAME ARGUMENT...: out and err keep what was printed
run() {
    _wanted=$1 _title=$2
    shift 2
    "$CONDAGPU" "$@" >out 2>err </dev/null
    _got=$?
    { cat out err; echo "status $_got, wanted $_wanted"; } >why
    [ "$_got" -eq "$_wanted" ]
    ok $? "$_title"
}

# one_error NAME: nothing on standard output, one line of error and at most one of mend, both ours
one_error() {
    cp err why
    [ ! -s out ] && [ "$(wc -l <err)" -ge 1 ] && [ "$(wc -l <err)" -le 2 ] && ! grep -qv '^condagpu: ' err
    ok $? "$1"
}

# says FILE PATTERN NAME
says() {
    cp "$1" why
    grep -Eq -- "$2" "$1"
    ok $? "$3"
}

commands=$("$CONDAGPU" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
version=$(sed -n 's/^AC_INIT(\[condagpu\], \[\([0-9.]*\)\].*/\1/p' "$top_srcdir/configure.ac")

run 0 "--help is no mistake" --help
[ -n "$commands" ]
ok $? "--help lists commands"
says out '^usage: condagpu' "--help begins with the usage"
run 0 "-h is --help" -h
run 0 "help is --help" help
run 0 "--version is no mistake" --version
is "$(head -n 1 out)" "condagpu $version" "--version names the version of configure.ac"
says out '[Yy][Aa][Mm][Ll].*jansson.*curl' "--version names the libraries"

run 2 "no command is wrong usage"
one_error "no command: one clear error"
says err 'command is missing' "no command: says so"
run 2 "an unknown command is wrong usage" frobnicate
one_error "an unknown command: one clear error"
run 2 "an unknown option in front of the command is wrong usage" --frobnicate
one_error "an unknown option in front: one clear error"
run 2 "an empty command is wrong usage" ''
printf 'x\033[31m\ny' >name
run 2 "a command full of control bytes is wrong usage" "$(cat name)"
is "$(LC_ALL=C tr -d '\n -~' <err | wc -c)" 0 "and none of them reaches the terminal"

for command in $commands; do
    run 2 "${command}e is not a command" "${command}e"
    says err "did you mean condagpu $command\?" "${command}e: names $command"
    run 0 "$command --help" "$command" --help
    says out "^usage: condagpu $command" "$command --help begins with the usage"
    is "$(LC_ALL=C awk 'length > 120' out)" "" "$command --help has no line that wraps"
    run 0 "$command -h" "$command" -h
    run 2 "$command does not know --colour" "$command" --colour=never
    says err 'did you mean --color\?' "$command --colour: names --color"
    one_error "$command --colour: one clear error"
    run 2 "$command does not know -Z" "$command" -Z
    run 2 "$command --color sometimes" "$command" --color sometimes
    says err 'auto, always or never' "$command --color sometimes: names the values"
    run 2 "$command --color without its value" "$command" --color
    one_error "$command --color without its value: one clear error"
    run 2 "$command --quiet=1 has no value" "$command" --quiet=1
    for when in auto always never; do
        run 0 "$command --color=$when" "$command" --color="$when" --help
    done
    run 0 "$command: options stand behind operands as well" "$command" operand --help

    page="$top_srcdir/man/condagpu-$command.1"
    "$CONDAGPU" "$command" --help >out
    sed -n 's/^ *\(-[a-z],\)\{0,1\} *--\([a-z][a-z-]*\).*/\2/p' out | sort -u >known
    [ -s known ]
    ok $? "$command --help lists options"
    grep '^\.It .*Fl -[a-z]' "$page" 2>/dev/null | grep -o 'Fl -[a-z][a-z-]*' | sed 's/Fl -//' | sort -u >documented
    is "$(comm -23 known documented | tr '\n' ' ')" "" "condagpu-$command(1) has each option of $command --help"
    is "$(comm -13 known documented | tr '\n' ' ')" "" "condagpu-$command(1) has no option that $command does not know"
done

# Commands that take no operand.
for command in init verify plan remove; do
    case " $(echo "$commands" | tr '\n' ' ') " in *" $command "*) ;; *) continue ;; esac
    run 2 "$command takes no operand" "$command" operand
    says err 'operand.* is one too many' "$command: names the operand"
    run 2 "$command: what follows -- is an operand" "$command" -- --help
    says err '"--help" is one too many' "$command: even if it looks like an option"
    run 2 "$command: --prefix and --name exclude each other" "$command" -p x -n y
    one_error "$command: --prefix with --name is one clear error"
    run 2 "$command: no environment at all" "$command"
    one_error "$command: no environment is one clear error"
done

# Output that does not reach anybody.
if [ -c /dev/full ] && (echo x >/dev/full) 2>/dev/null; then
    skip "a full output" "/dev/full is not full here"
elif [ -c /dev/full ]; then
    for arguments in --help --version $(for command in $commands; do echo "$command--help"; done); do
        # shellcheck disable=SC2046
        "$CONDAGPU" $(echo "$arguments" | sed 's/\(.\)--help/\1 --help/') >/dev/full 2>err
        is $? 4 "$arguments: output to a full disk is a failure"
        says err 'standard output' "$arguments: and says so"
    done
else
    skip "a full output" "there is no /dev/full"
fi
"$CONDAGPU" --help >&- 2>err
is $? 4 "output to a closed standard output is a failure"
(
    trap '' PIPE
    "$CONDAGPU" --help 2>err
    echo $? >status
) | :
case $(cat status) in 0 | 4) ok 0 "a reader that goes away is no crash" ;; *) ok 1 "a reader that goes away is no crash" ;; esac
finish
