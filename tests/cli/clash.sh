# variables: of the environment file and conda env config vars, against the hooks.
# shellcheck shell=sh disable=SC2154,SC1091,SC2016,SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99
PATH=/usr/bin:/bin
export PATH

p="$scratch/env"
new_prefix "$p"
standin_cudart s124 12040 libcudart.so.12
add_conda_cudart "$p" s124 12.4.127
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.131"\n' >"$p/bin/nvcc"
chmod +x "$p/bin/nvcc"
environment "$p.yml" cuda-version=12.4
cp "$p.yml" base.yml

# variables LINE...: the environment file with these variables
variables() {
    cp base.yml "$p.yml"
    [ $# -eq 0 ] || printf 'variables:\n' >>"$p.yml"
    for _line; do printf '  %s\n' "$_line" >>"$p.yml"; done
}
# recorded JSON: what conda has written down for the environment
recorded() {
    printf '{"env_vars": %s}\n' "$1" >"$p/conda-meta/state"
}

"$CONDAGPU" plan --no-driver -p "$p" -f "$p.yml" >plan 2>&1
grep -q CUDA_HOME plan && grep -q OMP_NUM_THREADS plan && grep -q LD_LIBRARY_PATH plan
ok $? "the plan sets what the variables below are about"
verdict pass variables-clash "no variables"
variables 'MY_DATA: /data'
verdict pass variables-clash "a variable that the hooks do not set"
variables 'CUDA_HOME: /opt/cuda'
verdict warn variables-clash "a variable that the hooks set to something else"
says '"line": 8' "with its line"
says 'the hooks win' "and who wins"
says 'conda env config vars unset CUDA_HOME' "and how to take it out"
variables 'cuda_home: /opt/cuda'
verdict warn variables-clash "a name that conda makes upper case"
variables 'OMP_NUM_THREADS: 4'
verdict pass variables-clash "a default of the hooks, which the variable overrides"
says 'OMP_NUM_THREADS=4 leads' "and the evidence says so"
variables 'OMP_NUM_THREADS: $SLURM_CPUS_PER_TASK'
verdict fail variables-clash "the same with a text that nobody expands"
variables 'LD_LIBRARY_PATH: $CONDA_PREFIX/lib:$LD_LIBRARY_PATH'
verdict warn variables-clash "LD_LIBRARY_PATH"
says 'does not expand' "which is not expanded"
variables 'LD_LIBRARY_PATH: /opt/lib'
verdict warn variables-clash "LD_LIBRARY_PATH takes the user's away"
variables 'MY_DATA: ${HOME}/data'
verdict warn variables-clash "a foreign variable that nobody expands"
variables 'PATH: /opt/bin'
verdict warn variables-clash "PATH"
says 'conda ignores' "which conda ignores"

variables
recorded '{"CUDA_HOME": "/opt/cuda"}'
verdict warn variables-clash "conda env config vars"
says 'conda-meta/state' "and its file is named"
recorded '{"CUDA_HOME": "***unset***", "OTHER": "1"}'
verdict pass variables-clash "a variable that was unset again"
recorded '{"OTHER": }'
verdict skip variables-clash "a file that cannot be read"
rm "$p/conda-meta/state"
mkdir -p "$p/etc/conda/env_vars.d"
echo '{"CUDA_HOME": "/opt/cuda"}' >"$p/etc/conda/env_vars.d/package.json"
verdict warn variables-clash "a package's env_vars.d"
finish
