TABLES = \
	src/data/alloc_conf.tsv \
	src/data/compute_capability.tsv \
	src/data/cuda_builds.tsv \
	src/data/cuda_compile.tsv \
	src/data/cuda_driver.tsv \
	src/data/cuda_release.tsv \
	src/data/cudart_fingerprint.tsv \
	src/data/cudart_soname.tsv \
	src/data/cudnn.tsv \
	src/data/driver_cuda.tsv \
	src/data/host_compiler.tsv \
	src/data/nccl_env.tsv \
	src/data/pin_packages.tsv \
	src/data/published.tsv \
	src/data/secret.tsv \
	src/data/thread_env.tsv \
	src/data/torch_cuda.tsv

EXTRA_DIST += $(TABLES) src/data/embed.awk
CLEANFILES += src/data/embedded.c
libcondagpu_la_SOURCES += src/data/embedded.h src/data/table.c src/data/table.h
nodist_libcondagpu_la_SOURCES = src/data/embedded.c

src/data/embedded.c: $(TABLES) src/data/embed.awk
	$(AM_V_GEN)$(MKDIR_P) src/data && cd $(srcdir) && \
	LC_ALL=C $(AWK) -v array=embedded_tables -v header=data/embedded.h -f src/data/embed.awk $(TABLES) \
		> '$(abs_builddir)/src/data/embedded.tmp' && mv '$(abs_builddir)/src/data/embedded.tmp' '$(abs_builddir)/$@'
