libcondagpu_la_SOURCES += src/spec/spec.c src/spec/spec.h src/spec/yaml_tree.c src/spec/yaml_tree.h
libcondagpu_la_SOURCES += src/spec/decode.c src/spec/decode.h src/spec/pep440.c src/spec/pep440.h
libcondagpu_la_SOURCES += src/spec/building.h src/spec/environment.c src/spec/environment.h src/spec/explicit.c src/spec/explicit.h \
	src/spec/pip.c src/spec/pip.h
