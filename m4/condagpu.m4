# CONDAGPU_NEED(VARIABLE, MODULE, DEBIAN, FEDORA, CONDA-FORGE)
# A library found by pkg-config, or an error that names the package of each distribution.
AC_DEFUN([CONDAGPU_NEED],
  [PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing: $$1_PKG_ERRORS
  Debian, Ubuntu:  apt-get install $3
  Fedora, RHEL:    dnf install $4
  conda-forge:     conda install -c conda-forge $5])])])

# CONDAGPU_WITH_TOML, CONDAGPU_CHECK_TOML
# with_toml, yes unless --without-toml; and whether there is a C++ compiler for the library that was found.
AC_DEFUN([CONDAGPU_WITH_TOML],
  [AC_ARG_WITH([toml],
    [AS_HELP_STRING([--without-toml], [do not read pixi.toml and pyproject.toml; needs no C++ compiler])],
    [], [with_toml=yes])
  AS_IF([test "$with_toml" != no], [with_toml=yes])
  AM_CONDITIONAL([TOML], [test "$with_toml" = yes])])
AC_DEFUN([CONDAGPU_CHECK_TOML],
  [AC_LANG_PUSH([C++])
  condagpu_saved_CXXFLAGS=$CXXFLAGS
  condagpu_saved_CPPFLAGS=$CPPFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++17"
  CPPFLAGS="$CPPFLAGS $TOML_CFLAGS"
  AC_MSG_CHECKING([whether $CXX compiles toml++])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <toml++/toml.h>]], [[]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([a C++17 compiler is missing for toml++
  Debian, Ubuntu:  apt-get install g++
  Fedora, RHEL:    dnf install gcc-c++
  conda-forge:     conda install -c conda-forge cxx-compiler
  or configure with --without-toml])])
  CXXFLAGS=$condagpu_saved_CXXFLAGS
  CPPFLAGS=$condagpu_saved_CPPFLAGS
  AC_LANG_POP([C++])
  AC_DEFINE([HAVE_TOML], [1], [Define when the module that reads TOML is built.])])

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
  # In C++ only what the library's own headers can bear; without RTTI there is nothing for vptr to look at.
  WARNING_CXXFLAGS="-Wall -Wextra -Wshadow -Wformat=2"
  AS_IF([test "$enable_werror" = yes], [WARNING_CXXFLAGS="$WARNING_CXXFLAGS -Werror"])
  SANITIZER_CXXFLAGS=
  AS_IF([test -n "$SANITIZER_CFLAGS"], [SANITIZER_CXXFLAGS="$SANITIZER_CFLAGS -fno-sanitize=vptr"])
  AC_SUBST([WARNING_CXXFLAGS])
  AC_SUBST([SANITIZER_CXXFLAGS])
  AC_SUBST([WARNING_CFLAGS])
  AC_SUBST([HARDENING_CFLAGS])
  AC_SUBST([HARDENING_LDFLAGS])
  AC_SUBST([SANITIZER_CFLAGS])])
