noinst_HEADERS += tests/loader/makeelf.h

# It stands for an environment's python, whose DT_RPATH decides. No sanitizer: theirs would call dlopen in its stead.
EXTRA_PROGRAMS += tests/loader/program
check_SCRIPTS += tests/loader/program$(EXEEXT)
CLEANFILES += tests/loader/program$(EXEEXT)
tests_loader_program_SOURCES = tests/loader/program.c
tests_loader_program_CFLAGS = -std=gnu11 $(WARNING_CFLAGS)
tests_loader_program_LDFLAGS = -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/../lib'
tests_loader_program_LDADD = -ldl

check_PROGRAMS += tests/loader/truth
tests_loader_truth_SOURCES = tests/loader/truth.c
tests_loader_truth_LDADD = libcondagpu.la
