libcondagpu_la_SOURCES += \
	src/prefix/by_name.c \
	src/prefix/env_vars.c src/prefix/env_vars.h \
	src/prefix/inventory.c \
	src/prefix/owner.c \
	src/prefix/record_files.c src/prefix/record_files.h \
	src/prefix/requires.c \
	src/prefix/state.c src/prefix/state.h \
	src/prefix/torch.c
