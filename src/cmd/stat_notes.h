/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the table alone does not say: why something was not counted and what to do about it, each
 * once.  Every note is a line that begins with "note: ".
 */
#ifndef CMD_STAT_NOTES_H
#define CMD_STAT_NOTES_H

#include "cmd/stat_loop.h"
#include "cmd/stat_tally.h"

struct buf;

/* Before the run: groups that can't be counted together. */
void notes_before(struct buf *out, const struct event_list *events,
		  const struct counters *counters);

/* After it; table is what was shown last. */
void notes_after(struct buf *out, const struct event_list *events, const struct tally *tally,
		 const struct stat_table *table, const struct loop_state *state);

#endif
