libcondagpu_la_SOURCES += \
	src/plan/config.c src/plan/config.h \
	src/plan/grammar.c src/plan/grammar.h \
	src/plan/grammar_alloc.c \
	src/plan/grammar_arch.c \
	src/plan/grammar_devices.c \
	src/plan/grammar_frameworks.c \
	src/plan/grammar_nccl.c \
	src/plan/grammar_threads.c \
	src/plan/plan.c src/plan/plan.h \
	src/plan/rule.c src/plan/rule.h \
	src/plan/rule_allocator.c \
	src/plan/rule_arch.c \
	src/plan/rule_cuda_home.c \
	src/plan/rule_devices.c \
	src/plan/rule_frameworks.c \
	src/plan/rule_library_path.c \
	src/plan/rule_malloc.c \
	src/plan/rule_nccl.c \
	src/plan/rule_path.c \
	src/plan/rule_threads.c \
	src/plan/rule_variables.c \
	src/plan/rule_xla.c \
	src/plan/value.c src/plan/value.h \
	src/plan/versions.c
