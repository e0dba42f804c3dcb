/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the table alone does not say: why something was not counted and what to do about it, each
 * once.  Every note is a line that begins with "note: ".
 */
#ifndef CMD_STAT_NOTES_H
#define CMD_STAT_NOTES_H

#include "cmd/stat_loop.h"
#include "cmd/stat_passes.h"

struct buf;

/* What the runs taught beside the counts. */
struct findings {
	const struct event_list *events;
	VEC(struct counter_status) status; /* of each event */
	struct counters_census census;
	bool ever_enabled;
	uint64_t ticks, missed;
	double slowest_mhz, fastest_mhz; /* over a run; 0 if not known */
	double drift;			 /* between them, as a part of the mean */
};

void findings_init(struct findings *findings, const struct event_list *events);
void findings_fini(struct findings *findings);
void findings_opened(struct findings *findings, const struct pass *pass,
		     const struct counters *counters);
void findings_ended(struct findings *findings, const struct loop_state *state);

/* Before the run: groups that can't be counted together; marks them in the findings, too. */
void notes_before(struct buf *out, struct findings *findings, const struct pass *pass);

/* After it; table is what was shown last. */
void notes_after(struct buf *out, const struct findings *findings, const struct stat_table *table,
		 size_t passes);

#endif
