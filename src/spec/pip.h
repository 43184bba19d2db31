/* pip's requirement lines (PEP 508 and pip's own options) and files of them. */
#ifndef CONDAGPU_SPEC_PIP_H
#define CONDAGPU_SPEC_PIP_H

#include "spec/building.h"

/* One item of a pip: list or one line of a file. Files that -r and -c name are read, relative to place.file.
 * A dependency is added for each line but -r and -c; an option's has no name, and its value (an index address) as
 * channel.
 */
bool pip_line(struct building *b, struct place place, struct str text, bool dropped);

/* Whether the first line with content is one that only pip understands, so that the text is a requirements file. */
bool is_requirements(struct str content);
bool requirements_read(struct building *b);

/* Once all is read: drops what the markers leave out here, and adds the lines of -c files whose packages are required. */
void pip_finish(struct building *b);

#endif
