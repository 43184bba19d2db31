# Sourced by the shell tests: runs the driver for a list of shells, two at a time, a test for each.
# shellcheck shell=sh

drive=$top_builddir/tests/shells/drive

# drive_one SHELL OPTION…: its output and status into $scratch/SHELL.{out,rc}
drive_one() {
    subject=$1
    shift
    mkdir "$scratch/$subject.d"
    "$drive" "$@" "$subject" "$scratch/$subject.d" >"$scratch/$subject.out" 2>&1
    echo $? >"$scratch/$subject.rc"
    rm -rf "$scratch/$subject.d"
}

# drive_verdict SHELL NAME: the test
drive_verdict() {
    grep -E '^# .*(cells|seed)' "$scratch/$1.out"
    case $(cat "$scratch/$1.rc") in
    0) ok 0 "$2" ;;
    77) skip "$2" "$1 is not installed" ;;
    *)
        cp "$scratch/$1.out" "$scratch/why"
        ok 1 "$2"
        ;;
    esac
}

# drive_all NAME OPTION… -- SHELL…
drive_all() {
    name=$1
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    while [ $# -gt 0 ]; do
        # shellcheck disable=SC2086
        drive_one "$1" $options &
        first=$!
        if [ $# -gt 1 ]; then
            # shellcheck disable=SC2086
            drive_one "$2" $options
        fi
        wait "$first"
        drive_verdict "$1" "$1: $name"
        shift
        if [ $# -gt 0 ]; then
            drive_verdict "$1" "$1: $name"
            shift
        fi
    done
}
