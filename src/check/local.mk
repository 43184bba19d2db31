libcondagpu_la_SOURCES += \
	src/check/check.c src/check/check.h \
	src/check/checks.c \
	src/check/clash.c src/check/clash.h \
	src/check/common.c src/check/common.h \
	src/check/compile.c src/check/compile.h \
	src/check/cudart.c src/check/cudart.h \
	src/check/cudnn.c src/check/cudnn.h \
	src/check/driver.c \
	src/check/hooks.c src/check/hooks.h src/check/hooks_files.c src/check/hooks_finding.h \
	src/check/hooks_lex.c src/check/hooks_lex.h src/check/hooks_scan.c \
	src/check/hooks_shell.c src/check/hooks_shell.h \
	src/check/hookstate.c src/check/hookstate.h \
	src/check/identity.c \
	src/check/import.c src/check/import.h \
	src/check/library_path.c \
	src/check/lint.c src/check/lint.h src/check/lint_rule.h \
	src/check/lint_published.c \
	src/check/lint_text.c \
	src/check/lint_torch.c \
	src/check/pins.c src/check/pins.h \
	src/check/same_soname.c \
	src/check/secret.c src/check/secret.h \
	src/check/toolkit.c src/check/toolkit.h \
	src/check/torch.c \
	src/check/twins.c src/check/twins.h \
	src/check/variables.c src/check/variables.h \
	src/check/variables_allocator.c \
	src/check/variables_arch.c \
	src/check/variables_devices.c \
	src/check/variables_nccl.c \
	src/check/variables_threads.c
