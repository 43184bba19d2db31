# A fuzz target is tests/fuzz/fuzz_NAME.c (LLVMFuzzerTestOneInput) with seeds/NAME/, or a row of fuzz_text.c with
# seeds/ROW/; make check runs each on its seeds.
FUZZ_TARGETS = tests/fuzz/elf$(EXEEXT) tests/fuzz/lock$(EXEEXT) tests/fuzz/record$(EXEEXT) tests/fuzz/spec$(EXEEXT) \
	tests/fuzz/text$(EXEEXT) tests/fuzz/toml$(EXEEXT)
EXTRA_PROGRAMS += tests/fuzz/elf tests/fuzz/lock tests/fuzz/record tests/fuzz/spec tests/fuzz/text tests/fuzz/toml
check_SCRIPTS += $(FUZZ_TARGETS)
CLEANFILES += $(FUZZ_TARGETS)
tests_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/driver.c
tests_fuzz_elf_LDADD = libcondagpu.la
tests_fuzz_lock_SOURCES = tests/fuzz/fuzz_lock.c tests/fuzz/driver.c
tests_fuzz_lock_LDADD = libcondagpu.la
tests_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c tests/fuzz/driver.c
tests_fuzz_record_LDADD = libcondagpu.la
tests_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/driver.c
tests_fuzz_spec_LDADD = libcondagpu.la
tests_fuzz_toml_SOURCES = tests/fuzz/fuzz_toml.c tests/fuzz/driver.c
tests_fuzz_toml_LDADD = libcondagpu.la
tests_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/driver.c
tests_fuzz_text_LDADD = libcondagpu.la $(JANSSON_LIBS)
TESTS += tests/fuzz/seeds.sh
EXTRA_DIST += tests/fuzz/seeds.sh \
	tests/fuzz/seeds/baseline/entries \
	tests/fuzz/seeds/config/all \
	tests/fuzz/seeds/elf/aarch64 tests/fuzz/seeds/elf/cache tests/fuzz/seeds/elf/static \
	tests/fuzz/seeds/elf/x86 \
	tests/fuzz/seeds/hook/fish tests/fuzz/seeds/hook/sh \
	tests/fuzz/seeds/lock/conda-lock tests/fuzz/seeds/lock/pixi-5 tests/fuzz/seeds/lock/pixi-7 \
	tests/fuzz/seeds/matchspec/address tests/fuzz/seeds/matchspec/alternatives \
	tests/fuzz/seeds/matchspec/brackets \
	tests/fuzz/seeds/python/marker \
	tests/fuzz/seeds/record/conda tests/fuzz/seeds/record/conda-odd tests/fuzz/seeds/record/wheel \
	tests/fuzz/seeds/record/wheel-open \
	tests/fuzz/seeds/snapshot/empty \
	tests/fuzz/seeds/spec/environment tests/fuzz/seeds/spec/explicit tests/fuzz/seeds/spec/requirements \
	tests/fuzz/seeds/spec/utf-16 tests/fuzz/seeds/spec/yaml \
	tests/fuzz/seeds/state/alternatives tests/fuzz/seeds/state/small \
	tests/fuzz/seeds/table/rows \
	tests/fuzz/seeds/template/loop \
	tests/fuzz/seeds/toml/broken tests/fuzz/seeds/toml/pixi tests/fuzz/seeds/toml/pyproject \
	tests/fuzz/seeds/toml/values \
	tests/fuzz/seeds/variable/alloc tests/fuzz/seeds/variable/arch tests/fuzz/seeds/variable/devices \
	tests/fuzz/seeds/variable/malloc tests/fuzz/seeds/variable/nccl tests/fuzz/seeds/variable/places \
	tests/fuzz/seeds/variable/threads tests/fuzz/seeds/variable/tunables \
	tests/fuzz/seeds/yaml/anchors
