# Sourced by tests of verify's checks, in $scratch: asks one check about the environment $p with the file $p.yml.
# Needs tests/tap.sh.
# shellcheck shell=sh disable=SC2154

# verdict STATUS CHECK NAME [VAR=VALUE...] [OPTION...]: what one check says of $p
verdict() {
    _wanted=$1 _check=$2 _title=$3
    shift 3
    : >settings
    while [ $# -gt 0 ]; do
        case $1 in
        -*) break ;;
        *=*) printf '%s\n' "$1" >>settings ;;
        esac
        shift
    done
    (
        while IFS= read -r _line; do
            export "${_line?}"
        done <settings
        "$CONDAGPU" verify --no-driver -p "$p" -f "$p.yml" --only "$_check" --format json "$@"
    ) >out 2>why
    cat out >>why
    grep -q "\"status\": \"$_wanted\"" out
    _status=$?
    cp why "$scratch/why.tmp"
    mv "$scratch/why.tmp" "$scratch/why"
    ok $_status "$_check: $_title"
}

# says PATTERN NAME: the message or evidence of the last verdict
says() {
    cp out "$scratch/why"
    grep -Eq -- "$1" out
    ok $? "$2"
}
