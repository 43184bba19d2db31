libcondagpu_la_SOURCES += \
	src/spec/building.h \
	src/spec/conda_lock.c src/spec/conda_lock.h \
	src/spec/conda_version.c \
	src/spec/decode.c src/spec/decode.h \
	src/spec/environment.c src/spec/environment.h \
	src/spec/explicit.c src/spec/explicit.h \
	src/spec/locked.c src/spec/locked.h \
	src/spec/marker.c src/spec/marker.h \
	src/spec/matchspec.c src/spec/matchspec.h \
	src/spec/pep440.c src/spec/pep440.h \
	src/spec/pins.c src/spec/pins.h \
	src/spec/pip.c src/spec/pip.h \
	src/spec/pixi.c src/spec/pixi.h \
	src/spec/pixi_lock.c src/spec/pixi_lock.h \
	src/spec/pyproject.c src/spec/pyproject.h \
	src/spec/range.c \
	src/spec/spec.c src/spec/spec.h \
	src/spec/toml_parse.h \
	src/spec/toml_tree.c src/spec/toml_tree.h \
	src/spec/yaml_tree.c src/spec/yaml_tree.h

# C++, and so a module that is loaded when a TOML file is read: other runs start as fast as without it.
if TOML
pkglib_LTLIBRARIES += condagpu-toml.la
condagpu_toml_la_SOURCES = src/spec/toml_parse.cc
condagpu_toml_la_CPPFLAGS = $(AM_CPPFLAGS) $(TOML_CFLAGS)
condagpu_toml_la_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -fvisibility=hidden $(WARNING_CXXFLAGS) \
	$(HARDENING_CFLAGS) $(SANITIZER_CXXFLAGS)
condagpu_toml_la_LDFLAGS = -module -avoid-version -shared $(HARDENING_LDFLAGS) $(SANITIZER_CFLAGS)
endif
