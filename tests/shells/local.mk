# A tool of the tests here, not a test.
EXTRA_PROGRAMS = tests/shells/render_tool
check_SCRIPTS += tests/shells/render_tool$(EXEEXT)
CLEANFILES += tests/shells/render_tool$(EXEEXT)
tests_shells_render_tool_SOURCES = tests/shells/render_tool.c
tests_shells_render_tool_LDADD = libcondagpu.la
