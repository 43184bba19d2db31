# `make bench` prints the figures; BENCH names some of tests/bench/*.sh, BENCH_RUNS how often each is run.
EXTRA_PROGRAMS += tests/bench/timer tests/bench/tree
tests_bench_timer_SOURCES = tests/bench/timer.c
tests_bench_tree_SOURCES = tests/bench/tree.c
CLEANFILES += tests/bench/timer tests/bench/tree
EXTRA_DIST += tests/bench/run tests/bench/measure tests/bench/startup.sh tests/bench/activation.sh tests/bench/hooks.sh tests/bench/init.sh tests/bench/lint.sh \
	tests/bench/loader.sh tests/bench/probe.sh tests/bench/rattler.sh

bench: all tests/bench/timer tests/bench/tree tests/shells/render_tool$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TIMER='$(abs_top_builddir)/tests/bench/timer' $(srcdir)/tests/bench/run $(BENCH)

.PHONY: bench
