# lint: each rule on the smallest file that breaks it, and its clean twin; formats; several files; what cannot be read.
# shellcheck shell=sh disable=SC1091,SC2154,SC2016
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
unset NO_COLOR GITHUB_WORKSPACE

# write NAME LINE...: an environment file; a line that begins with + is below pip:
write() {
    _to=$1
    shift
    {
        printf 'channels: %s\ndependencies:\n' "${channels:-[conda-forge]}"
        for _line; do
            case $_line in
            +*) ;;
            *) printf '  - %s\n' "$_line" ;;
            esac
        done
        _pip="  - pip:"
        for _line; do
            case $_line in
            +*)
                if [ -n "$_pip" ]; then printf '%s\n' "$_pip"; fi
                _pip=
                printf '      - %s\n' "${_line#+}"
                ;;
            esac
        done
    } >"$_to"
}

# found WANTED NAME LINE...: the ids and levels that lint reports, "error never-published" and so on, in order
found() {
    _wanted=$1 _name=$2
    shift 2
    write file.yml "$@"
    "$CONDAGPU" lint file.yml >out 2>&1
    _status=$?
    _got=$(sed -n 's/^file\.yml:[0-9]*:[0-9]*: \([a-z]*\): .*\[\([a-z-]*\)\]$/\1 \2/p' out | tr '\n' ';')
    case $_wanted in
    *error*) _expected=1 ;;
    *) _expected=0 ;;
    esac
    { cat file.yml out; echo "got: $_got (status $_status); wanted: $_wanted ($_expected)"; } >"$scratch/why"
    [ "$_got" = "$_wanted" ] && [ "$_status" = "$_expected" ]
    ok $? "$_name"
}

never='error never-published;'
maybe='warning never-published;'

# What was never published, in whatever channel.
found "$never" "cudatoolkit of CUDA 12" cudatoolkit=12.1
found "$never" "cudatoolkit from 12 on" 'cudatoolkit>=12'
found "" "cudatoolkit with room below 12" 'cudatoolkit>=11'
found "$never" "an exact version that needs a third part" 'cudatoolkit==11.1'
found "$never" "the same for 10.2" 'cudatoolkit==10.2'
found "" "an exact version that 11.8.0 equals" 'cudatoolkit==11.8'
found "" "a fuzzy one" cudatoolkit=11.1
found "$never" "CUDA 12.7" cuda-version=12.7
found "$never" "CUDA 12.7 as a range" 'cuda-toolkit>=12.7,<12.8'
found "" "a range across 12.7" 'cuda-version>=12.6,<12.9'
found "" "an alternative to 12.7" 'cuda-version=12.6|=12.7'
found "$never" "cuda-version with three parts" cuda-version=12.4.1
found "" "cuda-version as a bound with three parts" 'cuda-version>=12.4.1'
found "" "a cuda-version newer than the tables" cuda-version=99.1
found "$never" "pytorch-cuda of a release it does not have" pytorch-cuda=12.6
found "" "pytorch-cuda that exists" pytorch-cuda=12.4
found "$never" "a package for macOS" 'conda-forge/osx-64::cudatoolkit=11.8'
found "$never" "ppc64le" 'conda-forge/linux-ppc64le::cuda-version=12.6'
found "$never" "cupy beyond its end" python=3.11 '+cupy-cuda11x>=14'
found "" "cupy before its end" python=3.11 '+cupy-cuda11x==13.6.0'
found "$never" "a placeholder of CUDA 13" python=3.12 +nvidia-cuda-runtime-cu13
found "" "the wheel of CUDA 13" python=3.12 +nvidia-cuda-runtime==13.0.96

# What depends on the channels: sure only where no setting can add one.
found "$maybe" "split packages of CUDA 11 on conda-forge" cuda-cudart=11.8
found "$never" "the same with its channel named" conda-forge::cuda-cudart=11.8
channels='[conda-forge, nodefaults]' found "$never" "the same without defaults" cuda-cudart=11.8
channels='[nvidia, conda-forge]' found "" "the same beside the channel that has it" cuda-cudart=11.8
channels='[nvidia, conda-forge]' found "$maybe" "older than any channel has it" cuda-cudart=11.1
found "$maybe" "a patch level that was not built" cuda-toolkit=12.1.0
found "" "a patch level that was" cuda-toolkit=12.1.1
channels='[defaults]' found "$maybe" "cudatoolkit 11.7 of defaults" cudatoolkit=11.7
channels='[pytorch, nvidia, defaults]' found "$maybe" "cudatoolkit 11.7 of three channels" cudatoolkit=11.7
channels='[pytorch, nvidia, conda-forge]' found "" "cudatoolkit 11.7 with conda-forge" cudatoolkit=11.7
channels='[pytorch, someone]' found "" "a channel that nobody knows" cudatoolkit=11.7
channels='[https://conda.anaconda.org/conda-forge]' found "$maybe" "a channel by its address" cuda-toolkit=12.1.0
channels='[nvidia/label/cuda-12.1.0]' found "" "a label" cuda-toolkit=12.1.0
found "$never" "pytorch 2.6 of channel pytorch" pytorch::pytorch=2.6
found "$maybe" "a build for a CUDA that was skipped" 'pytorch=2.1=*cuda121*'
found "" "a build that exists" 'pytorch=2.1=*cuda120*'
found "" "a build of any CUDA 12" 'pytorch=2.1=*cuda12*'
found "" "a build newer than the tables" 'pytorch=*=*cuda140*'
found "$maybe" "jaxlib for 12.4" 'jaxlib=*=*cuda124*'

# torch.
index='+--extra-index-url https://download.pytorch.org/whl/cu118'
found "error local-version;" "a local version without an index" python=3.10 +torch==2.1.0+cu121
found "" "with its index" python=3.10 '+--extra-index-url https://download.pytorch.org/whl/cu121' +torch==2.1.0+cu121
found "error torch-variant;" "a variant that was not built" python=3.10 "$index" +torch==2.8.0+cu118
found "" "an index of one's own" python=3.10 '+--index-url https://wheels.example.org/' +torch==2.8.0+cu118
found "" "a torch newer than the tables" python=3.10 "$index" +torch==9.1.0+cu118
channels='[pytorch, nvidia, conda-forge]' found "error torch-variant;" "pytorch that has no such pytorch-cuda" \
    pytorch=2.0 pytorch-cuda=12.1
channels='[pytorch, nvidia, conda-forge]' found "" "pytorch that has" pytorch=2.1 pytorch-cuda=12.1
channels='[pytorch, nvidia, conda-forge]' found "warning pytorch-cuda-unused;" "pytorch 2.6 with pytorch-cuda" \
    'pytorch>=2.6' pytorch-cuda=12.4
found "warning pytorch-cuda-unused;" "conda-forge's pytorch with pytorch-cuda" conda-forge::pytorch=2.3 pytorch-cuda=12.1
found "warning cpu-build;" "cpuonly beside a pin" pytorch=2.3 cpuonly cuda-version=12.4
found "" "cpuonly alone" pytorch=2.3 cpuonly
found "warning cpu-build;" "a build for CPUs beside a pin" 'pytorch=2.3=cpu_*' cuda-version=12.4
found "" "another package's build for CPUs" 'pyarrow=15=*cpu' cuda-version=12.4
found "warning torch-twice;" "torch of both" pytorch=2.3 +torch==2.3.0
found "" "pip's torch that conda's satisfies" pytorch=2.3 +torch
found "warning lost-extra;" "an extra that jax lost" python=3.12 '+jax[cuda11_pip]'
found "" "an extra that this jax has" python=3.10 '+jax[cuda11_pip]==0.4.20'
found "" "today's extra" python=3.12 '+jax[cuda12]'
found "warning no-compiler;" "something to compile without nvcc" cuda-version=12.4 cuda-cudart +flash-attn
found "" "with nvcc" cuda-version=12.4 cuda-nvcc +flash-attn
found "warning no-compiler;" "an address to compile" cudatoolkit=11.8 \
    '+git+https://github.com/facebookresearch/detectron2.git@v0.6'
found "" "a wheel's address" cudatoolkit=11.8 '+https://example.org/detectron2-0.6-cp310-cp310-linux_x86_64.whl'
found "" "PyG's index" cudatoolkit=11.8 '+-f https://data.pyg.org/whl/torch-2.0.0+cu118.html' +torch-scatter

# Pins, specs, keys.
found "error pin-conflict;" "two pins" cuda-version=12.4 cudatoolkit=11.8
found "error invalid-spec;" "a spec that conda refuses" 'numpy[version=1'
found "warning unexpanded;" "a template that nothing fills" 'cuda-version=${CUDA}'
found "error invalid-spec;" "a marker that pip refuses" python=3.12 '+torch==2.4.0; pyton_version < "3"'
found "note marker-false;" "a wheel for another system" python=3.12 '+torch==2.4.0+cu124; sys_platform == "win32"'
found "error invalid-spec;" "a line that pip refuses" python=3.12 '+torch=2.1'
found "error several-specs;" "several packages in one item" 'pytorch torchvision'
found "" "a version behind a blank" 'numpy 1.26' 'numpy >=1.26' 'pytorch * cuda*'
found "warning several-pip-lists;" "two pip lists" python=3.12 'pip: [a]' 'pip: [b]'
found "warning comment-only;" "CUDA in a comment" 'python=3.12  # for CUDA 12.1'
found "" "CUDA in a comment beside a pin" 'cuda-version=12.1  # for CUDA 12.1'
found "" "a comment without a release" 'python=3.12  # no cuda here'

# Keys, variables and credentials.
token=ghp_$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36)
cat >keys.yml <<END
dependencies: [python=3.12, cuda-version=12.4]
variables:
  A: \$CONDA_PREFIX/lib
  B: ~/data
  C: "costs 5\$"
  HF_TOKEN: abcdefghijkl
  HF_TOKEN_PATH: /run/secrets/hf
  TOKENIZERS_PARALLELISM: "false"
  D_TOKEN: \${D_TOKEN}
channel: [x]
END
"$CONDAGPU" lint keys.yml >out 2>&1
is "$(sed -n 's/^keys\.yml:\([0-9]*\):.*\[\([a-z-]*\)\]$/\1 \2/p' out | tr '\n' ';')" \
    "3 literal-variable;4 literal-variable;6 secret;9 literal-variable;10 unknown-key;" "variables and keys"
like "$(cat out)" "*did you mean channels?*" "the nearest key is named"
! grep -q abcdefghijkl out
ok $? "the value of a secret variable is not shown"

printf '{dependencies: [cudatoolkit=12.1], variables: {MY_TOKEN: abcdefghijkl, OTHER: "$x"}}\n' >line.yml
"$CONDAGPU" lint line.yml >out
is "$(grep -c 'abcdefghijkl' out) $(grep -c 'MY_TOKEN: \*\*\*,' out)" "0 3" "nor in a line that is shown for another reason"

cat >secret.yml <<END
channels: [https://conda.example.org/t/abcd-1234567/team]
dependencies:
  - cuda-version=12.4
  - pip:
      - --index-url https://me:hunter22@pypi.example.org/simple
      - git+https://$token@github.com/a/b.git
      - --extra-index-url https://me:\${PASSWORD}@pypi.example.org/simple
END
for format in text json junit sarif github; do
    "$CONDAGPU" lint --format "$format" secret.yml >out 2>&1
    cp out "$scratch/why"
    ! grep -q "hunter22\|$token\|1234567" out
    ok $? "$format shows no secret"
done
"$CONDAGPU" lint secret.yml >out
is "$(grep -c '\[secret\]' out)" 3 "three secrets, and no reference is one"

# The line and the caret.
write file.yml 'cudatoolkit=12.1'
"$CONDAGPU" lint file.yml >out
cat >wanted <<'END'
file.yml:3:5: error: cudatoolkit=12.1 matches nothing: cudatoolkit ends at 11.8.0 [never-published]
    3 |   - cudatoolkit=12.1
      |     ^~~~~~~~~~~~~~~~
      fix: cuda-version=X.Y, with cuda-cudart, cuda-libraries or cuda-toolkit beside it
file.yml: pins CUDA 12.1 (line 3: cudatoolkit=12.1)
END
is "$(cat out)" "$(cat wanted)" "a finding has its line, a caret and the mend"
printf '{name: "naïve", dependencies: [cudatoolkit=12.1]}\n' >file.yml
"$CONDAGPU" lint --only never-published file.yml >out
is "$(sed -n 3p out)" "      |                                ^~~~~~~~~~~~~~~~" "the caret counts characters"
like "$("$CONDAGPU" lint --color always file.yml)" "*$(printf '\033')*" "colour on request"

# Thousands of findings, in one line and in thousands.
awk 'BEGIN { printf "dependencies: ["; for (i = 0; i < 3000; i++) printf "cudatoolkit=12.1, "; print "a]" }' >long.yml
"$CONDAGPU" lint -q long.yml >out
is "$(grep -c never-published out) $(grep -c '\^' out)" "3000 0" "a line that is too wide is not shown"
awk 'BEGIN { print "variables:"; for (i = 0; i < 3000; i++) printf "  A%d_TOKEN: secretword%d\n", i, i
    print "dependencies: [a]" }' >long.yml
"$CONDAGPU" lint -q long.yml >out
is "$(grep -c '\[secret\]' out) $(grep -c secretword out)" "3000 0" "as many secret variables are found, and none is shown"

# Options.
"$CONDAGPU" lint --skip never-published -q file.yml >out
is "$? $(cat out)" "0 " "--skip leaves a rule out, -q what is well"
"$CONDAGPU" lint --only never-publishd file.yml >out 2>&1
is "$?" 2 "an unknown rule is a usage error"
like "$(cat out)" "*did you mean never-published?*" "and the nearest is named"
write warn.yml cuda-cudart=11.8
"$CONDAGPU" lint -q warn.yml >/dev/null
is "$?" 0 "a warning does not fail"
"$CONDAGPU" lint -q --strict warn.yml >/dev/null
is "$?" 1 "--strict makes it fail"

# Several files; one that cannot be read does not hide the others.
printf 'dependencies: [a\n' >broken.yml
"$CONDAGPU" lint broken.yml file.yml missing.yml >out 2>err
is "$?" 3 "a file that cannot be read: exit 3"
like "$(cat out)" "*never-published*" "and the other one is looked at"
is "$(grep -c '^condagpu: environment file: broken.yml:' err)" 1 "and the place is told on standard error"
"$CONDAGPU" lint --format json broken.yml file.yml >out 2>/dev/null
is "$(grep -c '"schema": "condagpu.lint/1"' out)" 2 "JSON: a document a line"
"$CONDAGPU" lint --format github broken.yml >out 2>/dev/null
like "$(cat out)" "::error file=broken.yml,line=*invalid-file::*" "an annotation where it cannot be read"
"$CONDAGPU" lint - <file.yml >out
like "$(cat out)" "-:1:32: error: *" "standard input"
mkdir empty && cd empty || exit 99
"$CONDAGPU" lint >out 2>&1
is "$?" 2 "no file and no environment.yml is a usage error"
cp ../file.yml environment.yml
"$CONDAGPU" lint >out 2>&1
like "$(cat out)" "environment.yml:1:32: error: *" "environment.yml is the default"
cd .. || exit 99

# Documents.
write file.yml python=3.12 conda-forge::cuda-version=12.4 'pytorch::pytorch=2.3=py3.12_cuda12.4_cudnn8' \
    '+torch==2.4.0+cu118 ; python_version > "3.8"' '+jax[cuda12]>=0.4,<0.5'
"$CONDAGPU" lint --format json file.yml >document.json
if command -v python3 >/dev/null 2>&1; then
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/lint.json" document.json >"$scratch/why" 2>&1
    ok $? "JSON fits its schema"
else
    skip "JSON fits its schema" "python3 is not here"
fi
"$CONDAGPU" lint --format sarif -o lint.sarif --format junit -o lint.xml --format text file.yml >out
[ -s lint.sarif ] && [ -s lint.xml ] && [ -s out ]
ok $? "several formats in one run"
if command -v python3 >/dev/null 2>&1; then
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/tests/cli/sarif.json" lint.sarif >"$scratch/why" 2>&1
    ok $? "SARIF fits the standard's schema"
else
    skip "SARIF fits the standard's schema" "python3 is not here"
fi
# Whatever the readers note has a rule.
grep -h -A2 'building_\(note\|remark\)(' "$top_srcdir"/src/spec/*.c | grep -o '"[a-z]*-[a-z-]*"' | tr -d '"' | sort -u >noted
"$CONDAGPU" explain | sed 's/ .*//' | sort -u >rules
is "$(comm -23 noted rules | tr '\n' ' ')" "" "each note of a reader has a rule"
[ "$(wc -l <noted)" -gt 8 ]
ok $? "and there are notes"
for rule in $("$CONDAGPU" explain | sed 's/ .*//'); do
    "$CONDAGPU" explain "$rule" >out 2>&1 && [ "$(wc -l <out)" -gt 4 ] || echo "$rule"
done >unexplained
is "$(cat unexplained)" "" "each rule is explained"

# Real files, each as its reader takes it: no crash, no error that is not one.
corpus="$top_srcdir/../shared/corpus/good"
if [ -d "$corpus" ]; then
    for file in "$corpus"/*.yml "$corpus"/*.yaml; do
        if [ ! -f "$file" ]; then continue; fi
        "$CONDAGPU" lint -q "$file" >out 2>&1
        _status=$?
        if [ $_status -gt 1 ] && [ "$(basename "$file")" != 133.yml ]; then echo "$file: $_status"; fi
    done >crashed
    is "$(cat crashed)" "" "real files are read"
else
    skip "real files are read" "they are not here"
fi
finish
