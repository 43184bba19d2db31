libcondagpu_la_SOURCES += \
	src/util/arena.c src/util/arena.h \
	src/util/diff.c src/util/diff.h \
	src/util/env.c src/util/env.h \
	src/util/err.c src/util/err.h \
	src/util/file.c src/util/file.h \
	src/util/json_stream.c src/util/json_stream.h \
	src/util/install.c src/util/install.h \
	src/util/path.c src/util/path.h \
	src/util/proc.c src/util/proc.h \
	src/util/release.c src/util/release.h \
	src/util/str.c src/util/str.h \
	src/util/text.c src/util/text.h \
	src/util/vec.c src/util/vec.h
