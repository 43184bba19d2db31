libcondagpu_la_SOURCES += \
	src/spec/building.h \
	src/spec/conda_version.c \
	src/spec/decode.c src/spec/decode.h \
	src/spec/environment.c src/spec/environment.h \
	src/spec/explicit.c src/spec/explicit.h \
	src/spec/marker.c src/spec/marker.h \
	src/spec/matchspec.c src/spec/matchspec.h \
	src/spec/pep440.c src/spec/pep440.h \
	src/spec/pins.c src/spec/pins.h \
	src/spec/pip.c src/spec/pip.h \
	src/spec/range.c \
	src/spec/spec.c src/spec/spec.h \
	src/spec/yaml_tree.c src/spec/yaml_tree.h
