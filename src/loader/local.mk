dist_schemas_DATA += src/report/schemas/why.json

libcondagpu_la_SOURCES += \
	src/loader/cache.c src/loader/cache.h \
	src/loader/code.c src/loader/code.h \
	src/loader/consumers.c \
	src/loader/cudart.c \
	src/loader/elf.c \
	src/loader/emulate.h \
	src/loader/image.c src/loader/image.h \
	src/loader/import.c \
	src/loader/intern.c src/loader/intern.h \
	src/loader/live.c src/loader/live.h \
	src/loader/objects.c \
	src/loader/process.c \
	src/loader/resolve.c \
	src/loader/scan.c src/loader/scan.h \
	src/loader/search.c \
	src/loader/system.c src/loader/system.h

# Preloaded into programs of the environment: it must bring nothing with it, above all no sanitizer.
pkglib_LTLIBRARIES += condagpu-live.la
condagpu_live_la_SOURCES = src/loader/live_probe.c
condagpu_live_la_CFLAGS = -std=gnu11 $(WARNING_CFLAGS) $(HARDENING_CFLAGS)
condagpu_live_la_LDFLAGS = -module -avoid-version -shared $(HARDENING_LDFLAGS)
condagpu_live_la_LIBADD = -ldl
