# Sourced by shell tests: TAP on standard output, a scratch directory that goes away.
# shellcheck shell=sh

scratch=$(mktemp -d "${TMPDIR:-/tmp}/condagpu-test-XXXXXX") || exit 99
trap 'chmod -R u+w "$scratch" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
tap_count=0
tap_failed=0

# ok STATUS NAME: one test; what stands in $scratch/why is shown when it failed.
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=1
        if [ -f "$scratch/why" ]; then sed 's/^/#   /' "$scratch/why"; fi
    fi
    rm -f "$scratch/why"
}

# is GOT WANTED NAME
is() {
    if [ "$1" = "$2" ]; then
        ok 0 "$3"
    else
        printf 'got:    %s\nwanted: %s\n' "$1" "$2" >"$scratch/why"
        ok 1 "$3"
    fi
}

# like TEXT PATTERN NAME: a case pattern
like() {
    # shellcheck disable=SC2254
    case $1 in
    $2) ok 0 "$3" ;;
    *)
        printf 'got:    %s\nwanted: %s\n' "$1" "$2" >"$scratch/why"
        ok 1 "$3"
        ;;
    esac
}

# skip NAME REASON
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# The last line of a test script.
finish() {
    echo "1..$tap_count"
    exit "$tap_failed"
}
