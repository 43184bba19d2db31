libcondagpu_la_SOURCES += \
	src/cmd/cmd.c src/cmd/cmd.h \
	src/cmd/options.c
libcondagpu_la_SOURCES += src/cmd/explain.c
libcondagpu_la_SOURCES += src/cmd/probe.c
