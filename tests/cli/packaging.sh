# The recipe and the action agree with the tree.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/tap.sh"

recipe="$top_srcdir/packaging/conda-recipe/recipe.yaml"
action="$top_srcdir/packaging/github/action.yml"
hooks="$top_srcdir/.pre-commit-hooks.yaml"
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
    has_yaml=yes
    for file in "$recipe" "$action" "$hooks"; do
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" 2>"$scratch/why"
        ok $? "$(basename "$file") is YAML"
    done
else
    has_yaml=
    skip "recipe.yaml, action.yml and .pre-commit-hooks.yaml are YAML" "python3 has no yaml module"
fi

# yaml FILE EXPRESSION: of d, the document
yaml() { python3 -c 'import re, sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# The hook for pre-commit.
if [ -n "$has_yaml" ]; then
    is "$(yaml "$hooks" '[(h["id"], h["entry"], h["language"]) for h in d]')" \
        "[('condagpu-lint', 'condagpu lint', 'system')]" "the hook runs condagpu lint"
    is "$(yaml "$hooks" '[n for n in ("environment.yml", "a/environment-gpu.yaml", "my-environment.yml", "environment.yml.bak",
        "docs/environment.md") if re.search(d[0]["files"], n)]')" "['environment.yml', 'a/environment-gpu.yaml']" \
        "the hook takes environment files"
fi
if "$CONDAGPU" --help | grep -q '^  lint '; then
    printf 'dependencies:\n  - cuda-version=12.4\n' >"$scratch/environment.yml"
    (cd "$scratch" && PATH="$(dirname "$CONDAGPU"):$PATH" && $(sed -n 's/^  entry: //p' "$hooks") environment.yml) >"$scratch/why" 2>&1
    ok $? "the hook passes on a good file"
else
    skip "the hook passes on a good file" "this condagpu has no lint"
fi

# The action's script, with a condagpu that says how it was called.
command -v bash >/dev/null 2>&1 || { skip "the action" "bash is not installed"; finish; }
sed -n '/^      run: |/,$s/^        //p' "$action" >"$scratch/script"
if [ -n "$has_yaml" ]; then
    is "$(yaml "$action" 'd["runs"]["using"], len(d["runs"]["steps"]), d["runs"]["steps"][0]["shell"]')" "('composite', 1, 'bash')" \
        "the action is one step in bash"
    yaml "$action" 'd["runs"]["steps"][0]["run"]' | diff - "$scratch/script" >"$scratch/why"
    [ "$(grep -c '^[<>] .' "$scratch/why")" -eq 0 ]
    ok $? "the script below is the one that the document holds"
    is "$(yaml "$action" 'sorted(set(re.findall(r"inputs\.(\w+)", str(d))) ^ set(d["inputs"]))')" "[]" \
        "every input is used, and no other"
fi
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

# With the program itself, in an environment that is well and in one that is not.
. "$top_srcdir/tests/prefix.sh"
unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH GITHUB_WORKSPACE
# shellcheck disable=SC2016
printf '#!/bin/sh\nexec "$CONDAGPU" "$@"\n' >"$scratch/bin/condagpu"
p="$scratch/env"
new_prefix "$p"
standin_cudart "$scratch/s124" 12040 libcudart.so.12
add_conda_cudart "$p" "$scratch/s124" 12.4.127
environment "$p.yml" cuda-version=12.4
"$CONDAGPU" init --no-driver -q -p "$p" -f "$p.yml"
cd "$scratch" || exit 99
action "$p" "$p.yml" false verify.sarif >"$scratch/why" 2>&1
ok $? "the action passes in a good environment"
grep -q '"version": "2.1.0"' verify.sarif
ok $? "and writes SARIF"
environment "$p.yml" cuda-version=12.6
action "$p" "$p.yml" false '' >out 2>&1
is $? 1 "the action fails where another release is installed"
cp out why
grep -q '^::error.*cudart-live' out
ok $? "and writes annotations"
finish
