noinst_HEADERS += src/facts.h src/prefix/inventory.h src/probe/machine.h src/loader/loader.h \
	src/plan/plan.h src/plan/config.h src/render/render.h
