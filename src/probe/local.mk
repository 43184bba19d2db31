libcondagpu_la_SOURCES += \
	src/probe/bus.c \
	src/probe/cgroup.c \
	src/probe/cpu.c \
	src/probe/cpulist.c src/probe/cpulist.h \
	src/probe/cuda.c \
	src/probe/driver.c \
	src/probe/host.c \
	src/probe/network.c \
	src/probe/nvml.c \
	src/probe/probe.c src/probe/probe.h \
	src/probe/snapshot.c \
	src/probe/toolkit.c \
	src/probe/vendor.c src/probe/vendor.h
dist_schemas_DATA += src/report/schemas/probe.json src/report/schemas/probe-diff.json
