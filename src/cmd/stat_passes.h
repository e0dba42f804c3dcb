/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of `stat` shared out over several runs of the command (--passes), so that none has to
 * share a counter; or, as usual, all in one.  Each pass has its own list and tally; together they
 * give one table with every event once.
 */
#ifndef CMD_STAT_PASSES_H
#define CMD_STAT_PASSES_H

#include "cmd/stat_layout.h"
#include "record/plan.h"

struct pass {
	const struct event_list *events;
	struct event_list picked;  /* what `events` points to where they are shared out */
	struct plan_origin origin; /* index in the whole list; empty: the same */
	struct tally *tally;
};

struct passes {
	VEC(struct pass) list;
	struct layout layout; /* of the whole list, where there are several */
	VEC(struct stat_cell) cells;
	VEC(int) runs; /* that each cell is the sum of */
	double elapsed_ns;
	size_t added;
	struct stat_table table;
};

/* plan NULL: all events in one pass.  The options must outlive it. */
void passes_init(struct passes *passes, const struct event_list *events,
		 const struct target *target, const struct tally_options *options,
		 const struct plan *plan);
void passes_fini(struct passes *passes);

/* The index in the whole list of a pass's event. */
size_t pass_origin(const struct pass *pass, size_t event);

/* After each pass: takes its tally's table.  passes_table joins those that were taken. */
void passes_begin(struct passes *passes);
void passes_take(struct passes *passes, const struct pass *pass);
const struct stat_table *passes_table(struct passes *passes);

#endif
