EXTRA_DIST += tests/fuzz/fuzz_record.c \
	tests/fuzz/seeds/record/conda tests/fuzz/seeds/record/conda-odd \
	tests/fuzz/seeds/record/wheel tests/fuzz/seeds/record/wheel-open
