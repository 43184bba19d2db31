# lint on 10,000 dependencies, beside PyYAML reading the same file; and on a file of usual size.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"

# dependencies CONDA PIP: an environment file with that many of each
dependencies() {
    awk -v conda="$1" -v pip="$2" 'BEGIN {
        print "name: big\nchannels:\n  - conda-forge\ndependencies:\n  - cuda-version=12.4"
        for (i = 1; i < conda; i++)
            printf "  - package-%d=%d.%d.%d%s\n", i, i % 20, i % 9, i % 10, i % 3 ? "" : "=h1234567_0"
        print "  - pip:"
        for (i = 0; i < pip; i++)
            printf "      - wheel-%d>=%d.%d,<%d\n", i, i % 7, i % 5, i % 7 + 2
    }'
}

dependencies 7000 3000 >"$scratch/large.yml"
dependencies 150 50 >"$scratch/usual.yml"
set -- "$CONDAGPU" lint --quiet "$scratch/large.yml"
if python3 -c 'import yaml; yaml.CSafeLoader' 2>/dev/null; then
    measure "lint, 10,000 dependencies, against PyYAML on libyaml" 1 \
        python3 -c 'import sys, yaml; yaml.load(open(sys.argv[1]), Loader=yaml.CSafeLoader)' "$scratch/large.yml" -- "$@"
    measure "lint, 10,000 dependencies, against PyYAML alone" 1 \
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$scratch/large.yml" -- "$@"
else
    measure "lint, 10,000 dependencies (no PyYAML here), against cat" - cat "$scratch/large.yml" -- "$@"
fi
measure "lint, 200 dependencies, against condagpu --version" - "$CONDAGPU" --version -- \
    "$CONDAGPU" lint --quiet "$scratch/usual.yml"
exit "$bench_status"
