libcondagpu_la_SOURCES += \
	src/check/variables.c src/check/variables.h \
	src/check/variables_allocator.c \
	src/check/variables_arch.c \
	src/check/variables_devices.c \
	src/check/variables_nccl.c \
	src/check/variables_threads.c
