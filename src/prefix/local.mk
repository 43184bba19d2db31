libcondagpu_la_SOURCES += src/prefix/state.c src/prefix/state.h
