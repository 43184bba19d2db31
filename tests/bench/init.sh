# init on an environment of 500 packages, beside a bare read of all its records.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"
. "$top_srcdir/tests/prefix.sh"

prefix="$scratch/env"
new_prefix "$prefix"
standin_cudart "$scratch/cudart" 12040 libcudart.so.12
add_conda_cudart "$prefix" "$scratch/cudart" 12.4.127
environment "$scratch/environment.yml" cuda-version=12.4

# Records of 50 KB, as 500 real packages have on average.
awk 'BEGIN { printf "{\n  \"name\": \"package\",\n  \"files\": ["
    for (i = 0; i < 1000; i++) printf "%s\n    \"lib/python3.12/site-packages/package/module%04d.py\"", i ? "," : "", i
    print "\n  ]\n}" }' >"$scratch/record"
number=0
while [ $number -lt 500 ]; do
    cp "$scratch/record" "$prefix/conda-meta/package$number-1.0.$number-h0_0.json"
    number=$((number + 1))
done
set -- "$CONDAGPU" init --no-driver --quiet -p "$prefix" -f "$scratch/environment.yml"
"$@" || exit 1
measure "init, 500 packages, against reading their records" 3 cat "$prefix"/conda-meta/*.json -- "$@"
exit "$bench_status"
