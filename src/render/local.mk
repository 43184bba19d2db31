libcondagpu_la_SOURCES += \
	src/render/hook.c \
	src/render/shells.c \
	src/render/template.c src/render/template.h
