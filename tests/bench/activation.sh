# What our hooks add to a shell that starts, in each shell that is here.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/bench/measure"
. "$top_srcdir/tests/prefix.sh"

prefix="$scratch/env"
new_prefix "$prefix"
standin_cudart "$scratch/cudart" 12040 libcudart.so.12
add_conda_cudart "$prefix" "$scratch/cudart" 12.4.127
environment "$scratch/environment.yml" cuda-version=12.4
"$CONDAGPU" init --quiet --no-driver -p "$prefix" -f "$scratch/environment.yml" || exit 1
export CONDA_PREFIX="$prefix"

for shell in bash dash zsh mksh fish; do
    command -v "$shell" >/dev/null 2>&1 || continue
    case $shell in
    fish) hook="source '$prefix/etc/conda/activate.d/~zz-condagpu.fish'" ;;
    *) hook=". '$prefix/etc/conda/activate.d/~zz-condagpu.sh'" ;;
    esac
    measure "activation in $shell against $shell alone" - "$shell" -c : -- "$shell" -c "$hook"
done
exit "$bench_status"
