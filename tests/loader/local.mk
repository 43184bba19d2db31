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

check_PROGRAMS += tests/loader/hostile
tests_loader_hostile_SOURCES = tests/loader/hostile.c
tests_loader_hostile_LDADD = libcondagpu.la

EXTRA_PROGRAMS += tests/loader/ask
check_SCRIPTS += tests/loader/ask$(EXEEXT)
CLEANFILES += tests/loader/ask$(EXEEXT)
tests_loader_ask_SOURCES = tests/loader/ask.c
tests_loader_ask_LDADD = libcondagpu.la

TESTS += tests/loader/live.sh tests/loader/wheels.sh
EXTRA_DIST += tests/loader/live.sh tests/loader/wheels.sh

check_PROGRAMS += tests/loader/system
tests_loader_system_SOURCES = tests/loader/system.c
tests_loader_system_LDADD = libcondagpu.la
