/* `condagpu probe --diff`. */
#ifndef CONDAGPU_CMD_PROBE_DIFF_H
#define CONDAGPU_CMD_PROBE_DIFF_H

#include <stdbool.h>

#include "probe/machine.h"
#include "util/text.h"

/* Appends a line, or an item of the document condagpu.probe-diff/1, for each member of the snapshots that differs; free
 * memory is left out. Network interfaces, ports and toolkits are compared by name, GPUs by number. True for no
 * difference. */
bool probe_diff(struct arena *arena, const struct machine *const machines[2], bool json, struct text *out);

#endif
