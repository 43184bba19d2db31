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

check_PROGRAMS += tests/unit/probe
tests_unit_probe_SOURCES = tests/unit/probe.c
tests_unit_probe_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_probe_LDADD = $(UNIT_LDADD)
EXTRA_DIST += \
	tests/unit/machines/cgroup-mixed.txt \
	tests/unit/machines/cgroup1-namespace.txt \
	tests/unit/machines/cgroup1-nested.txt \
	tests/unit/machines/cgroup1-own-mount.txt \
	tests/unit/machines/cgroup2-tighter-parent.txt \
	tests/unit/machines/container-2.5-of-128.txt \
	tests/unit/machines/container-without-gpu.txt \
	tests/unit/machines/cpuset-4-of-16.txt \
	tests/unit/machines/hostile.txt \
	tests/unit/machines/jetson.txt \
	tests/unit/machines/laptop.txt \
	tests/unit/machines/many-cpus.txt \
	tests/unit/machines/no-module.txt \
	tests/unit/machines/no-smt.txt \
	tests/unit/machines/no-sys.txt \
	tests/unit/machines/nothing.txt \
	tests/unit/machines/numa.txt \
	tests/unit/machines/offline-cpus.txt \
	tests/unit/machines/quota-below-one.txt \
	tests/unit/machines/server-8-gpu.txt \
	tests/unit/machines/smt.txt \
	tests/unit/machines/toolkits.txt \
	tests/unit/machines/wsl-1.txt \
	tests/unit/machines/wsl-without-driver.txt \
	tests/unit/machines/wsl.txt
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
tests_unit_variables_SOURCES = tests/unit/variables.c
tests_unit_variables_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_variables_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/config
tests_unit_config_SOURCES = tests/unit/config.c
tests_unit_config_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_config_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/hooks
tests_unit_hooks_SOURCES = tests/unit/hooks.c
tests_unit_hooks_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_hooks_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/spec
tests_unit_spec_SOURCES = tests/unit/spec.c
tests_unit_spec_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_spec_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/loader
tests_unit_loader_SOURCES = tests/unit/loader.c
tests_unit_loader_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_loader_LDADD = $(UNIT_LDADD)

check_PROGRAMS += tests/unit/lock
tests_unit_lock_SOURCES = tests/unit/lock.c
tests_unit_lock_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_lock_LDADD = $(UNIT_LDADD)

TESTS += $(check_PROGRAMS)
