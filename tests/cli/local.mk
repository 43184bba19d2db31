EXTRA_DIST += tests/schema.py tests/cli/sarif.json
TESTS += tests/cli/schema.sh tests/cli/report.sh tests/cli/explain.sh
EXTRA_DIST += tests/cli/schema.sh tests/cli/report.sh tests/cli/explain.sh
TESTS += tests/cli/driver.sh
EXTRA_DIST += tests/cli/driver.sh tests/standin/gpus.h tests/standin/nvml.c tests/standin/cuda.c
TESTS += tests/cli/probe.sh
EXTRA_DIST += tests/cli/probe.sh
