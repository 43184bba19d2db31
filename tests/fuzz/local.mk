EXTRA_DIST += tests/fuzz/fuzz_record.c \
	tests/fuzz/seeds/record/conda tests/fuzz/seeds/record/conda-odd \
	tests/fuzz/seeds/record/wheel tests/fuzz/seeds/record/wheel-open
EXTRA_PROGRAMS += tests/fuzz/spec
check_SCRIPTS += tests/fuzz/spec$(EXEEXT)
CLEANFILES += tests/fuzz/spec$(EXEEXT)
tests_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/driver.c
tests_fuzz_spec_LDADD = libcondagpu.la
TESTS += tests/fuzz/seeds.sh
EXTRA_DIST += tests/fuzz/seeds.sh tests/fuzz/seeds/spec/environment tests/fuzz/seeds/spec/explicit \
	tests/fuzz/seeds/spec/requirements tests/fuzz/seeds/spec/utf-16 tests/fuzz/seeds/spec/yaml
