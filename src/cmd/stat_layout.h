/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows and columns of stat's table: which events and cgroups give a column, and at which place
 * (CPU, core, socket, thread or all) a slot of the counter session is added up.
 */
#ifndef CMD_STAT_LAYOUT_H
#define CMD_STAT_LAYOUT_H

#include "cmd/stat_tally.h"

struct layout {
	const struct tally_options *options;
	const struct event_list *events;
	const struct target *target;
	const struct counters *counters;
	struct arena arena; /* names of columns */

	size_t cgroups;	   /* 1 where columns are not repeated for every cgroup */
	size_t *column_of; /* cgroup * events + event -> column */
	VEC(struct stat_column) columns;
	VEC(size_t) column_event; /* column -> event */

	/* of the counters attached last */
	VEC(struct stat_place) places;
	VEC(size_t) place_of;  /* slot -> place */
	VEC(size_t) cgroup_of; /* slot -> cgroup */
};

void layout_init(struct layout *layout, const struct event_list *events,
		 const struct target *target, const struct tally_options *options);
void layout_fini(struct layout *layout);

/* Makes the places of these counters and marks the columns that they could open. */
void layout_attach(struct layout *layout, const struct counters *counters);

/* The order of places; 0 for the same one. */
int layout_compare(const void *a, const void *b);

#endif
