dist_man_MANS += \
	man/condagpu.1 \
	man/condagpu-data.5 \
	man/condagpu-explain.1 \
	man/condagpu-init.1 \
	man/condagpu-lint.1 \
	man/condagpu-plan.1 \
	man/condagpu-probe.1 \
	man/condagpu-remove.1 \
	man/condagpu-verify.1 \
	man/condagpu-why.1 \
	man/condagpu.yml.5
