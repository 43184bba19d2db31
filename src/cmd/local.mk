libcondagpu_la_SOURCES += \
	src/cmd/cmd.c src/cmd/cmd.h \
	src/cmd/explain.c \
	src/cmd/gather.c src/cmd/gather.h \
	src/cmd/init.c \
	src/cmd/lint.c \
	src/cmd/lock.c src/cmd/lock.h \
	src/cmd/options.c \
	src/cmd/output.c src/cmd/output.h \
	src/cmd/plan.c \
	src/cmd/probe.c \
	src/cmd/probe_diff.c src/cmd/probe_diff.h \
	src/cmd/remove.c \
	src/cmd/spec_state.c src/cmd/spec_state.h \
	src/cmd/verify.c \
	src/cmd/why.c src/cmd/why.h \
	src/cmd/why_text.c
