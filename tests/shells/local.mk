# Tools of the tests here, not tests.
EXTRA_PROGRAMS = tests/shells/render_tool tests/shells/drive
check_SCRIPTS += tests/shells/render_tool$(EXEEXT) tests/shells/drive$(EXEEXT)
CLEANFILES += tests/shells/render_tool$(EXEEXT) tests/shells/drive$(EXEEXT)
tests_shells_render_tool_SOURCES = tests/shells/render_tool.c
tests_shells_render_tool_LDADD = libcondagpu.la
tests_shells_drive_SOURCES = tests/shells/drive.c \
	tests/shells/dialect.c tests/shells/dialect.h tests/shells/model.c tests/shells/model.h
tests_shells_drive_LDADD = libcondagpu.la

SHELL_TESTS = tests/shells/text.sh tests/shells/strace.sh tests/shells/tutorial.sh tests/shells/matrix.sh \
	tests/shells/random.sh tests/shells/tools.sh
TESTS += $(SHELL_TESTS)
EXTRA_DIST += $(SHELL_TESTS) tests/shells/subjects.sh
