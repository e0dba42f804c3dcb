/* SPDX-License-Identifier: Apache-2.0 */
/* One line of /proc/PID/maps, taken apart. */
#ifndef RECORD_PROCMAPS_H
#define RECORD_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>

struct procmap {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	uint32_t protection, flags; /* PROT_*, MAP_* */
	char *path;		    /* "" where there is none; points into the line */
};

/* Cuts the line at *at out of the text and moves *at behind it; false at the end or on a line that
 * is none. */
bool procmap_next(char **at, struct procmap *map);

#endif
