# Random plans, values, user's edits and activation sequences, against the model. CONDAGPU_TEST_SEED repeats a run,
# CONDAGPU_TEST_SEQUENCES and CONDAGPU_TEST_SHELLS make a larger one.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
# shellcheck source=tests/shells/subjects.sh
. "$top_srcdir/tests/shells/subjects.sh"

# In the C locale fish takes each byte above 0x7f for a letter of Latin-1 and exports it as UTF-8.
LC_ALL=C.UTF-8
export LC_ALL

# shellcheck disable=SC2086
drive_all 'random sequences end as the model says' -n "${CONDAGPU_TEST_SEQUENCES:-200}" \
    -s "${CONDAGPU_TEST_SEED:-$(date +%s)}" random -- ${CONDAGPU_TEST_SHELLS:-bash dash zsh fish}
finish
