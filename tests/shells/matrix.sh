# Every scenario from every initial state in every shell: the environment after each step is the model's, and at the end
# it is byte for byte what it was, as are the shell's functions, aliases, options and variables.
# shellcheck shell=sh
# shellcheck source=tests/tap.sh
. "$top_srcdir/tests/tap.sh"
# shellcheck source=tests/shells/subjects.sh
. "$top_srcdir/tests/shells/subjects.sh"

drive_all 'activation and deactivation leave no trace' matrix -- \
    bash bash-euf bash-odd zsh zsh-eu zsh-odd dash dash-euf busybox-euf mksh ksh93 fish tcsh bsd-csh
# xonsh starts a bash for each hook: a part of the cells, or all of them on demand.
drive_all 'activation and deactivation leave no trace' -e "${CONDAGPU_TEST_XONSH_EVERY:-19}" matrix -- xonsh
finish
