# A unit test program per room: its name here, its two lines below.
noinst_HEADERS += tests/unit/unit.h

check_PROGRAMS += tests/unit/util
tests_unit_util_SOURCES = tests/unit/util.c
tests_unit_util_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_util_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/report
tests_unit_report_SOURCES = tests/unit/report.c
tests_unit_report_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/diff
tests_unit_diff_SOURCES = tests/unit/diff.c
tests_unit_diff_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_diff_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/check
tests_unit_check_SOURCES = tests/unit/check.c
tests_unit_check_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_check_LDADD = $(UNIT_LDADD)
check_PROGRAMS += tests/unit/render
tests_unit_render_SOURCES = tests/unit/render.c
tests_unit_render_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_render_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/prefix
tests_unit_prefix_SOURCES = tests/unit/prefix.c
tests_unit_prefix_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_prefix_LDADD = $(UNIT_LDADD)
noinst_HEADERS += tests/unit/world.h
check_PROGRAMS += tests/unit/plan
tests_unit_plan_SOURCES = tests/unit/plan.c
tests_unit_plan_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_plan_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/variables
tests_unit_variables_SOURCES = tests/unit/variables.c tests/unit/prefix_standin.c tests/unit/check_standin.c
tests_unit_variables_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_variables_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/config
tests_unit_config_SOURCES = tests/unit/config.c
tests_unit_config_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_config_LDADD = $(UNIT_LDADD)

TESTS += $(check_PROGRAMS)
