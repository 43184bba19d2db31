/* The driver's two libraries, called in a child; for src/probe/ alone. Declarations of the binary interface are our
 * own, after NVIDIA's NVML and CUDA driver API references. */
#ifndef CONDAGPU_PROBE_VENDOR_H
#define CONDAGPU_PROBE_VENDOR_H

#include <stdbool.h>

#include "util/str.h"

/* What a library is asked for is written to `fd` as lines of words with tabs between, the last one "end":
 *   library NAME · version TEXT (of the driver) · library-version TEXT · cuda INT · error FUNCTION CODE
 *   gpu INDEX, then of this GPU: name TEXT · uuid TEXT · pci TEXT · cc MAJOR MINOR · memory TOTAL FREE · mig · mig-uuid
 * TEXT · numa NODE · persistence 0|1 · display 0|1 · nvlinks COUNT
 *   peer INDEX INDEX LEVEL P2P, of two GPUs: nvmlGpuTopologyLevel_t, and 0|1; -1 for what is not known
 * For proc_call(): 0, or 1 when the library was not found. */
int nvml_answer(void *unused, int fd);
int cuda_answer(void *unused, int fd);

/* dlopen() of the first that there is: the name alone, then in the directories where drivers are put; writes "library".
 * NULL when there is none. */
void *vendor_open(const char *name, int fd);
/* "KEY<tab>TEXT", the text made printable. */
void vendor_say(int fd, const char *key, const char *text);

#endif
