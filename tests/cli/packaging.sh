# The recipe and the action agree with the tree.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/tap.sh"

recipe="$top_srcdir/packaging/conda-recipe/recipe.yaml"
action="$top_srcdir/packaging/github/action.yml"
version=$(sed -n 's/^AC_INIT(\[condagpu\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
is "$(sed -n 's/^  version: "\(.*\)"$/\1/p' "$recipe")" "$version" "the recipe has the version of configure.ac"
grep -q "version $version\$" "$top_srcdir/ChangeLog"
ok $? "ChangeLog has an entry for the version"

# CONDAGPU_NEED's last argument and bootstrap's last column are conda-forge's names.
sed -n 's/^CONDAGPU_NEED(.*\[\([a-z0-9-]*\)\])$/\1/p' "$top_srcdir/configure.ac" | sort >"$scratch/needed"
[ -s "$scratch/needed" ]
ok $? "configure.ac needs libraries"
sed -n '/^  host:/,/^$/s/^    - //p' "$recipe" | sort >"$scratch/host"
is "$(cat "$scratch/host")" "$(cat "$scratch/needed")" "the recipe has the libraries of configure.ac"
sed -n 's/^CONDAGPU_NEED(\[[A-Z]*\], \[\([a-z0-9.-]*\).*\], \[\(.*\)\], \[\(.*\)\], \[\(.*\)\])$/\1 \2 \3 \4/p' \
    "$top_srcdir/configure.ac" | sort >"$scratch/needed"
awk '$2 ~ /^pc:/ { sub(/^pc:/, "", $2); print $2, $3, $4, $5 }' "$top_srcdir/bootstrap" | sort >"$scratch/rows"
is "$(cat "$scratch/rows")" "$(cat "$scratch/needed")" "bootstrap installs the packages that configure names"

if command -v python3 >/dev/null 2>&1 && python3 -c 'import yaml' 2>/dev/null; then
    for file in "$recipe" "$action"; do
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" 2>"$scratch/why"
        ok $? "$(basename "$file") is YAML"
    done
else
    skip "recipe.yaml and action.yml are YAML" "python3 has no yaml module"
fi

# The action's script, with a condagpu that says how it was called.
command -v bash >/dev/null 2>&1 || { skip "the action" "bash is not installed"; finish; }
sed -n '/^      run: |/,$s/^        //p' "$action" >"$scratch/script"
mkdir "$scratch/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor word; do printf "[%%s]" "$word"; done\necho\nexit 7\n' >"$scratch/bin/condagpu"
chmod +x "$scratch/bin/condagpu"

# action PREFIX FILE STRICT SARIF
action() {
    PREFIX_INPUT=$1 FILE_INPUT=$2 STRICT_INPUT=$3 SARIF_INPUT=$4 PATH="$scratch/bin:$PATH" \
        bash --noprofile --norc -e -o pipefail "$scratch/script"
}
is "$(action '' '' false '')" "[verify][--format][github]" "the action without inputs"
is "$(action '/a b' 'env.yml' true 'out; rm.sarif')" \
    "[verify][--format][sarif][--output][out; rm.sarif][--format][github][--prefix][/a b][--file][env.yml][--strict]" \
    "the action with all inputs, none of which the shell reads"
action '' '' false '' >/dev/null
is $? 7 "the action fails as verify does"
finish
