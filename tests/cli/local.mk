EXTRA_DIST += tests/prefix.sh tests/standin/cudart.c
TESTS += tests/cli/init.sh tests/cli/verify.sh
EXTRA_DIST += tests/cli/init.sh tests/cli/verify.sh
