# CONDAGPU_NEED(VARIABLE, MODULE, DEBIAN, FEDORA, CONDA-FORGE)
# A library found by pkg-config, or an error that names the package of each distribution.
AC_DEFUN([CONDAGPU_NEED],
  [PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing: $$1_PKG_ERRORS
  Debian, Ubuntu:  apt-get install $3
  Fedora, RHEL:    dnf install $4
  conda-forge:     conda install -c conda-forge $5])])])

# CONDAGPU_FIND_CUDA
# CUDA_DIR and NVCC of a toolkit: --with-cuda=DIR, else nvcc on PATH, else /usr/local/cuda. Optional.
AC_DEFUN([CONDAGPU_FIND_CUDA],
  [AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda=DIR], [CUDA toolkit for the tests (default: nvcc on PATH, then /usr/local/cuda)])],
    [], [with_cuda=auto])
  CUDA_DIR=
  AS_CASE([$with_cuda],
    [no], [],
    [yes|auto],
      [AC_PATH_PROG([NVCC_ON_PATH], [nvcc])
       AS_IF([test -n "$NVCC_ON_PATH"],
           [CUDA_DIR=`dirname "$NVCC_ON_PATH"`; CUDA_DIR=`cd "$CUDA_DIR/.." && pwd -P`])
       AS_IF([test ! -f "$CUDA_DIR/include/cuda_runtime_api.h" && test -x /usr/local/cuda/bin/nvcc],
           [CUDA_DIR=/usr/local/cuda])],
    [CUDA_DIR=$with_cuda
     AS_IF([test ! -x "$CUDA_DIR/bin/nvcc"],
       [AC_MSG_ERROR([--with-cuda=$CUDA_DIR: there is no bin/nvcc in it])])])
  NVCC=
  AS_IF([test -n "$CUDA_DIR" && test -x "$CUDA_DIR/bin/nvcc"], [NVCC=$CUDA_DIR/bin/nvcc])
  AC_SUBST([CUDA_DIR])
  AC_SUBST([NVCC])])

# CONDAGPU_FLAGS
# WARNING_CFLAGS, HARDENING_CFLAGS, HARDENING_LDFLAGS, and SANITIZER_CFLAGS by --enable-sanitizers;
# --enable-werror makes warnings errors, as CI does.
AC_DEFUN([CONDAGPU_FLAGS],
  [AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [build with AddressSanitizer and UndefinedBehaviorSanitizer])],
    [], [enable_sanitizers=no])
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
    [], [enable_werror=no])
  WARNING_CFLAGS="-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wno-format-nonliteral"
  AS_IF([test "$enable_werror" = yes], [WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
  HARDENING_CFLAGS="-fstack-protector-strong -fno-strict-aliasing"
  HARDENING_LDFLAGS="-Wl,-z,relro -Wl,-z,now -Wl,--as-needed"
  SANITIZER_CFLAGS=
  AS_IF([test "$enable_sanitizers" = yes],
    [SANITIZER_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"],
    [# glibc's fortified calls need optimisation, and warn without it.
     AS_CASE([" $CFLAGS "], [*-O0*], [], [*" -O"*],
       [HARDENING_CFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 $HARDENING_CFLAGS"])])
  AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" = yes])
  AC_SUBST([WARNING_CFLAGS])
  AC_SUBST([HARDENING_CFLAGS])
  AC_SUBST([HARDENING_LDFLAGS])
  AC_SUBST([SANITIZER_CFLAGS])])
