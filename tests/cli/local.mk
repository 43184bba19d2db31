EXTRA_DIST += tests/prefix.sh tests/standin/cudart.c
TESTS += tests/cli/init.sh tests/cli/verify.sh
EXTRA_DIST += tests/cli/init.sh tests/cli/verify.sh
EXTRA_DIST += tests/schema.py tests/cli/sarif.json
TESTS += tests/cli/schema.sh tests/cli/report.sh tests/cli/explain.sh
EXTRA_DIST += tests/cli/schema.sh tests/cli/report.sh tests/cli/explain.sh
TESTS += tests/cli/frame.sh tests/cli/man.sh tests/cli/packaging.sh tests/headers.sh tests/tree.sh
EXTRA_DIST += tests/cli/frame.sh tests/cli/man.sh tests/cli/packaging.sh tests/headers.sh tests/tree.sh tests/demo.sh
