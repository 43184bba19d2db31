/* The table of checks: a new one is a function and a row here. */
#include "check/check.h"
#include "check/clash.h"
#include "check/compile.h"
#include "check/cudart.h"
#include "check/cudnn.h"
#include "check/hooks.h"
#include "check/hookstate.h"
#include "check/import.h"
#include "check/pins.h"
#include "check/secret.h"
#include "check/toolkit.h"
#include "check/twins.h"
#include "check/variables.h"

const struct check checks[] = {
    {"pin-present", "the environment file pins a CUDA release",
     "What it means: the environment file (or what init recorded of it) holds at least one line that names a CUDA "
     "release: cuda-version, cudatoolkit, cuda-toolkit, pytorch-cuda, torch==X+cuNNN and the like. A variable that "
     "nobody expands (${CUDA}, {{ cuda }}) names none, nor does a line for pip whose marker is false on this machine.\n\n"
     "Why it matters: without a pin nothing can be verified, and the next solve may bring another CUDA.\n\n"
     "How to mend it: add \"- cuda-version=12.4\" (your release) to the dependencies, or say --allow-unpinned for an "
     "environment that is meant to have no CUDA.\n\n"
     "Source: the package metadata of conda-forge's cuda-version, of the nvidia channel, and of PyPI's torch; "
     "PEP 508 for markers.",
     {NULL}, check_pin_present},
    {"pin-conflict", "conda's and pip's pins agree",
     "What it means: no two lines of the file ask for CUDA releases that cannot both be had.\n\n"
     "Why it matters: a solver takes minutes to say so, or pip silently brings a second runtime beside conda's, and "
     "programs of one process then hold two.\n\n"
     "How to mend it: let both lines name one release; torch's wheel names its own by +cuNNN.\n\n"
     "Source: src/data/torch_cuda.tsv for what a plain torch==X means.",
     {"pin-present"}, check_pin_conflict},
    {"pin-satisfiable", "what the environment file asks for exists",
     "What it means: no line of the environment file asks for a version or build that was never published, as far as the "
     "tables of this program know. condagpu lint says the same before there is an environment, and more.\n\n"
     "Why it matters: the environment cannot be made again from its file.\n\n"
     "How to mend it: the finding names what exists.\n\n"
     "Source: src/data/published.tsv, src/data/cuda_builds.tsv and src/data/torch_cuda.tsv.",
     {NULL}, check_pin_satisfiable},
    {"pin-installed", "the records in the environment satisfy the pins",
     "What it means: for each pinned package the environment holds a record (conda-meta, dist-info) whose version "
     "matches, and the components of CUDA in it are of one release. It fails where a pinned package is missing and no "
     "libcudart is there either.\n\n"
     "Why it matters: an environment that was changed by hand no longer is what its file says.\n\n"
     "How to mend it: update or recreate the environment from its file.\n\n"
     "Source: conda's MatchSpec and PEP 440.",
     {"pin-present"}, check_pin_installed},
    {"cudart-live", "python of the environment loads the pinned libcudart",
     "What it means: in the environment that a real shell has after sourcing the real hooks, the environment's own "
     "python opens libcudart by its soname; the file that the loader took, and what cudaRuntimeGetVersion in it says, "
     "are compared with the pin.\n\n"
     "Why it matters: this is what a job gets. Another libcudart means wrong symbols, a driver that is too old for it, "
     "or two runtimes in one process.\n\n"
     "How to mend it: the finding names the file that wins and the rule by which it wins; most often a directory in "
     "LD_LIBRARY_PATH has to go, or condagpu init has not been run.\n\n"
     "Source: ld.so(8); CUDA Runtime API, version management. Before CUDA 12 the call needs a driver; the release is "
     "then read from the file, and the evidence says so.",
     {NULL}, check_cudart_live},
    {"cudart-static", "each program and extension gets the pinned libcudart",
     "What it means: every ELF file of the environment that needs libcudart, directly or through others, is resolved by "
     "the loader's own rules under the environment's python, and the winning file's release is compared with the pin.\n\n"
     "Why it matters: what ctypes finds and what an extension finds can differ, because DT_RPATH, DT_RUNPATH and "
     "LD_LIBRARY_PATH outrank each other depending on the file.\n\n"
     "How to mend it: condagpu why libcudart FILE shows the search step by step.\n\n"
     "Source: ld.so(8), glibc elf/dl-load.c.",
     {NULL}, check_cudart_static},
    {"cudart-single", "no process would hold two CUDA runtimes",
     "What it means: all consumers of libcudart resolve to runtimes of one release, and all runtimes that are installed "
     "are of one release. A chain of links is one file.\n\n"
     "Why it matters: two runtimes in one process keep two contexts and handles that do not work in the other.\n\n"
     "How to mend it: install builds of both packages for one CUDA release.\n\n"
     "Source: the loader tells libraries apart by soname and inode; a renamed copy never merges with the original.",
     {NULL}, check_cudart_single},
    {"cudart-import", "importing modules loads the pinned libcudart alone", explain_cudart_import, {NULL},
     check_cudart_import},
    {"same-soname", "no CUDA library has an older twin that wins", explain_same_soname, {NULL}, check_same_soname},
    {"cuda-home", "CUDA_HOME is one existing directory that holds nvcc",
     "What it means: CUDA_HOME and CUDA_PATH, where set after activation, name one absolute, existing directory with "
     "bin/nvcc in it, and a link leads where its name says.\n\n"
     "Why it matters: torch's extensions, CMake and others build with whatever is there; a colon, quotes or a trailing "
     "/bin make paths that do not exist.\n\n"
     "How to mend it: unset it and let condagpu init decide, or set cuda-home in condagpu.yml.\n\n"
     "Source: torch/utils/cpp_extension.py, CMake's FindCUDAToolkit.",
     {NULL}, check_cuda_home},
    {"nvcc-version", "the nvcc of the activated environment is of the pinned release",
     "What it means: the nvcc in CUDA_HOME, else the first on PATH, says the pinned major and minor.\n\n"
     "Why it matters: torch refuses to build extensions with another major, and warns for another minor.\n\n"
     "How to mend it: install cuda-nvcc of the pinned release into the environment.\n\n"
     "Source: nvcc --version; its patch number is nvcc's own and is not compared.",
     {NULL}, check_nvcc_version},
    {"nvcc-compile", "nvcc builds for the pinned release", explain_nvcc_compile, {NULL}, check_nvcc_compile},
    {"library-path", "no foreign CUDA library comes first in LD_LIBRARY_PATH",
     "What it means: after activation, LD_LIBRARY_PATH has no CUDA library of another place before the environment's, "
     "and no empty, relative, missing or doubled element, and nothing of another conda environment.\n\n"
     "Why it matters: libraries with DT_RUNPATH, and whatever is opened by name, take the first match in it. An empty "
     "element is the working directory; a missing one serves whoever creates it; a doubled one tells of a script that "
     "adds without looking.\n\n"
     "How to mend it: let the hooks put the environment in front, or take the directory out where it is set.\n\n"
     "Source: ld.so(8).",
     {NULL}, check_library_path},
    {"hooks-present", "the hooks of condagpu are in the environment",
     "What it means: etc/conda/activate.d and deactivate.d hold the files that condagpu init writes.\n\n"
     "Why it matters: without them activation sets nothing.\n\n"
     "How to mend it: run condagpu init.",
     {NULL}, check_hooks_present},
    {"hooks-current", "the hooks are what init would write today",
     "What it means: the environment file, condagpu.yml, the prefix and the machine still lead to the same hooks.\n\n"
     "Why it matters: a pin that was changed after init is not in the hooks.\n\n"
     "How to mend it: condagpu init --diff shows the difference, condagpu init writes it.",
     {"hooks-present"}, check_hooks_current},
    {"hooks-edited", "nobody edited the hooks by hand",
     "What it means: each hook still has the digest that init recorded.\n\n"
     "Why it matters: an edit is lost at the next init --force, and nobody else knows of it.\n\n"
     "How to mend it: put the change into condagpu.yml.",
     {"hooks-present"}, check_hooks_edited},
    {"hooks-active", "the hooks ran in this process",
     "What it means: this process was started from a shell that activated the environment, and what the hooks set is "
     "still in place.\n\n"
     "Why it matters: Jupyter kernels, IDEs, cron and services start python by its path and run no hook.\n\n"
     "How to mend it: activate the environment in the shell, job script or service itself.",
     {"hooks-present"}, check_hooks_active},
    {"hooks-run", "every hook in the environment runs cleanly", hooks_run_explain, {NULL}, check_hooks_run},
    {"hooks-restore", "activation and deactivation leave no trace", hooks_restore_explain, {NULL},
     check_hooks_restore},
    {"driver-visible", "a GPU can be used from here",
     "What it means: the driver answers and shows at least one GPU.\n\n"
     "Why it matters: \"no GPU is mapped into this container\", \"the driver does not answer\" and \"library and kernel "
     "module differ\" need different mends.\n\n"
     "How to mend it: the finding says which it is. On a machine without a GPU this is skipped unless --require-gpu is "
     "given.\n\n"
     "Source: NVML, /proc/driver/nvidia, /sys/bus/pci.",
     {NULL}, check_driver_visible},
    {"driver-min", "the driver runs the pinned CUDA release",
     "What it means: the driver is at least the one that the pinned release needs, by minor-version compatibility, "
     "and the one that the file asks for as __cuda or in pixi's system-requirements. Where the pins leave several "
     "releases open, the installed one counts. The least driver for minor-version compatibility is documented for "
     "x86_64; elsewhere an older driver of the same major is a warning.\n\n"
     "Why it matters: with an older one every CUDA call fails with error 35.\n\n"
     "How to mend it: update the driver, or pin an older CUDA.\n\n"
     "Source: NVIDIA's CUDA compatibility guide; src/data/cuda_driver.tsv.",
     {"driver-visible"}, check_driver_min},
    {"driver-stub", "no stub of the driver is on the library path",
     "What it means: no directory in LD_LIBRARY_PATH holds the linker's stub of libcuda, or a compatibility driver.\n\n"
     "Why it matters: the stub answers every call with error 34.\n\n"
     "How to mend it: take the stubs directory out of LD_LIBRARY_PATH.",
     {NULL}, check_driver_stub},
    {"torch-build", "torch is a CUDA build of the pinned release",
     "What it means: torch/version.py names a CUDA release, and it is the pinned one (or, for conda-forge's build, of "
     "the same major).\n\n"
     "Why it matters: a solver on a machine without a driver picks the CPU build and says nothing.\n\n"
     "How to mend it: set CONDA_OVERRIDE_CUDA while solving, or ask for a CUDA build by name.\n\n"
     "Source: torch/version.py as installed.",
     {NULL}, check_torch_build},
    {"cudnn-match", "cuDNN is what the frameworks were built with", explain_cudnn_match, {NULL}, check_cudnn_match},
    {"threads", "thread counts are valid and fit the machine", explain_threads, {NULL}, check_threads},
    {"allocator", "allocator settings are valid for the installed torch", explain_allocator, {NULL},
     check_allocator},
    {"arch", "architecture lists are valid and fit compiler and GPUs", explain_arch, {NULL}, check_arch},
    {"visible-devices", "CUDA_VISIBLE_DEVICES names devices that exist", explain_visible_devices, {NULL},
     check_visible_devices},
    {"nccl-iface", "NCCL's network settings match an interface", explain_nccl_iface, {NULL},
     check_nccl_iface},
    {"nccl-ib", "NCCL's InfiniBand settings fit the machine", explain_nccl_ib, {NULL}, check_nccl_ib},
    {"variables-clash", "variables: do not fight the hooks", explain_variables_clash, {NULL}, check_variables_clash},
    {"secrets", "no hook and no stored variable holds a credential",
     "What it means: no token stands in a hook of condagpu, and no variable of the environment file or of "
     "conda-meta/state is by its name or its value a credential.\n\n"
     "Why it matters: these files are readable to all who may read the environment, and they are copied with it.\n\n"
     "How to mend it: revoke the credential if the environment was ever shared, and set the variable where the job "
     "runs.\n\n"
     "Source: src/data/secret.tsv.",
     {NULL}, check_secrets},
    {0},
};
