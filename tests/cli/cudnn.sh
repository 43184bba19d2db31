# cuDNN against the frameworks that use it.
# shellcheck shell=sh disable=SC2154,SC1091,SC2034
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/prefix.sh"
. "$top_srcdir/tests/verdict.sh"

unset CONDA_PREFIX CONDAGPU_ACTIVE LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
cd "$scratch" || exit 99
PATH=/usr/bin:/bin
export PATH

p="$scratch/env"
site="$p/lib/python3.12/site-packages"
environment "$p.yml" cuda-version=12.4

# wheel_cudnn VERSION: pip's cuDNN, with one of its parts.
wheel_cudnn() {
    rm -rf "$site"/nvidia "$site"/nvidia_cudnn*
    # shellcheck disable=SC2016
    add_library "$site/nvidia/cudnn/lib/libcudnn.so.${1%%.*}" "libcudnn.so.${1%%.*}" "whole $1" -Wl,-rpath,'$ORIGIN'
    add_library "$site/nvidia/cudnn/lib/libcudnn_ops.so.${1%%.*}" "libcudnn_ops.so.${1%%.*}" "part $1"
    add_wheel "$site" nvidia-cudnn-cu12 "$1" "nvidia/cudnn/lib/libcudnn.so.${1%%.*}"
}

# torch VERSION CUDA [REQUIREMENT]: pip's torch.
torch() {
    rm -rf "$site"/torch "$site"/torch-*
    mkdir -p "$site/torch"
    printf "__version__ = '%s'\ncuda: Optional[str] = %s\n" "$1" "$2" >"$site/torch/version.py"
    add_wheel "$site" torch "${1%+*}" torch/version.py ${3+"$3"}
}

new_prefix "$p"
verdict skip cudnn-match "neither a framework nor cuDNN"
says 'nothing that uses cuDNN is installed' "and says so"
torch 2.4.0+cu124 "'12.4'" 'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"'
verdict skip cudnn-match "torch without cuDNN"
says 'torch 2\.4\.0\+cu124 wants nvidia-cudnn-cu12==9\.1\.0\.70, and cuDNN is not installed' "and says what it wants"
wheel_cudnn 9.1.0.70
verdict pass cudnn-match "torch and the cuDNN that it was built with"
wheel_cudnn 9.5.1.17
verdict pass cudnn-match "a newer minor"
wheel_cudnn 9.0.0.312
verdict fail cudnn-match "an older minor"
says 'wants at least cuDNN 9\.1' "and says which is wanted"
wheel_cudnn 8.9.2.26
verdict fail cudnn-match "another major"
says 'install the cuDNN that torch 2\.4\.0\+cu124 was built with' "and the fix says what to install"

# Without a requirement in the record, the table tells.
torch 2.3.1+cu121 "'12.1'"
verdict pass cudnn-match "torch 2.3 with cuDNN 8"
torch 2.4.1+cu121 "'12.1'"
verdict fail cudnn-match "torch 2.4 with cuDNN 8"
wheel_cudnn 9.1.0.70
verdict pass cudnn-match "torch 2.4 with cuDNN 9"
torch 2.4.1+cpu None
verdict skip cudnn-match "torch's CPU build uses none"

# torch's own DT_NEEDED tells which file it gets: here an older one by LD_LIBRARY_PATH.
torch 2.4.0+cu124 "'12.4'" 'nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == "Linux"'
# shellcheck disable=SC2016
add_asker "$site/torch/lib/libtorch_cuda.so" "$site/nvidia/cudnn/lib/libcudnn.so.9" -Wl,-rpath,'$ORIGIN/../../nvidia/cudnn/lib'
verdict pass cudnn-match "the file that torch loads"
says 'gets .*/nvidia/cudnn/lib/libcudnn\.so\.9 \(9\.1\.0\.70\)' "and names it"
add_library foreign/libcudnn.so.9.0.0 libcudnn.so.9 "foreign whole"
ln -s libcudnn.so.9.0.0 foreign/libcudnn.so.9
verdict fail cudnn-match "an older file that comes first" LD_LIBRARY_PATH="$scratch/foreign"
says 'foreign/libcudnn\.so\.9 \(9\.0\.0\)' "and names it"
add_library parts/libcudnn_ops.so.9 libcudnn_ops.so.9 "foreign part"
verdict fail cudnn-match "a part of another cuDNN" LD_LIBRARY_PATH="$scratch/parts"
says 'a part of another cuDNN' "and says so"
mkdir -p copies
cp "$site/nvidia/cudnn/lib/libcudnn_ops.so.9" copies
verdict pass cudnn-match "a copy of the part" LD_LIBRARY_PATH="$scratch/copies"

rm "$site/torch/lib/libtorch_cuda.so"
add_library nowhere/libcudnn.so.99 libcudnn.so.99 "a cuDNN that no machine has"
add_asker "$site/torch/lib/libtorch_cuda.so" nowhere/libcudnn.so.99
verdict warn cudnn-match "a torch that does not find it"
says 'libcudnn\.so\.99, which the loader does not find' "and says so"

# Other frameworks.
rm -rf "$site"/torch "$site"/torch-*
add_wheel "$site" jax-cuda12-plugin 0.6.0 x 'nvidia-cublas-cu12>=12.1.3.1; extra == "with-cuda"' \
    'nvidia-cudnn-cu12<10.0,>=9.8; extra == "with-cuda"'
verdict fail cudnn-match "jax with an older cuDNN, the bounds in any order"
wheel_cudnn 9.8.0.87
verdict pass cudnn-match "jax with one that is new enough"
rm -r "$site"/jax_cuda12*
add_wheel "$site" tensorflow 2.19.0 x
verdict pass cudnn-match "TensorFlow by the table"
wheel_cudnn 9.1.0.70
verdict fail cudnn-match "TensorFlow refuses an older one"
rm -r "$site"/tensorflow* "$site"/nvidia*

# conda's builds: from depends, or from the build string.
printf '{"name": "pytorch", "version": "2.5.1", "depends": ["numpy >=1.19", "cudnn >=9.3.0.75,<10.0a0"], "files": []}\n' \
    >"$p/conda-meta/pytorch-2.5.1-cuda126_h0_0.json"
mkdir -p "$site/torch"
printf "__version__ = '2.5.1'\ncuda: Optional[str] = '12.6'\n" >"$site/torch/version.py"
add_record "$p" cudnn 9.3.0.75 h0_0
verdict pass cudnn-match "conda's torch and cuDNN"
rm "$p"/conda-meta/cudnn-*
add_record "$p" cudnn 8.9.7.29 h0_0
verdict fail cudnn-match "conda's torch with another major"
rm "$p"/conda-meta/pytorch-*
add_record "$p" pytorch 2.0.1 py3.12_cuda11.7_cudnn8.5.0_0
verdict pass cudnn-match "the pytorch channel's build string"
finish
