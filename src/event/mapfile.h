/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapfile.csv, which says what CPU a vendor's table is for: a pattern of CPU ids, a version and a
 * file or folder in each row.  It lies beside the tables or some folders above them.
 */
#ifndef EVENT_MAPFILE_H
#define EVENT_MAPFILE_H

#include "base/arena.h"
#include "base/vec.h"
#include <stdbool.h>

struct vendor_table;

struct mapfile_row {
	const char *cpu, *version, *path, *role;
	int line;
};

struct mapfile {
	struct arena arena;
	const char *dir; /* where it lies; NULL if there is none */
	VEC(struct mapfile_row) rows;
};

/* Looks in dir and up to four folders above. */
void mapfile_find(struct mapfile *map, const char *dir);
void mapfile_fini(struct mapfile *map);

/* Gives a table the CPUs, rank, PMU and (if it has none) version of its rows; false if none. */
bool mapfile_apply(const struct mapfile *map, struct vendor_table *table, const char *path);

#endif
