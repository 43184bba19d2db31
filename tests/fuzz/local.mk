EXTRA_DIST += tests/fuzz/fuzz_record.c \
	tests/fuzz/seeds/record/conda tests/fuzz/seeds/record/conda-odd \
	tests/fuzz/seeds/record/wheel tests/fuzz/seeds/record/wheel-open
EXTRA_DIST += tests/fuzz/fuzz_elf.c \
	tests/fuzz/seeds/elf/aarch64 tests/fuzz/seeds/elf/static tests/fuzz/seeds/elf/x86
