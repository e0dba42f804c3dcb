/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a counter session's matrix to the table that is shown: slots added up by CPU, core, socket
 * or thread, events of several PMUs under one name, intervals as differences.
 */
#ifndef CMD_STAT_TALLY_H
#define CMD_STAT_TALLY_H

#include "record/counters.h"
#include "render/stat.h"

struct tally;

struct tally_options {
	enum stat_by by;
	bool each_cgroup; /* every event in every cgroup */
	bool no_merge;	  /* a name that stands for several PMUs' events gives several columns */
	bool no_scale;	  /* show what was counted, not what it would have been */
};

/* What no counter counts: the clock, and the time of a program that has ended. */
struct tally_clocks {
	int64_t elapsed_ns;
	bool has_usage;
	int64_t user_ns, system_ns;
};

/* The events and the target must outlive it. */
struct tally *tally_new(const struct event_list *events, const struct target *target,
			const struct tally_options *options);
void tally_free(struct tally *tally);

/* A run begins: its counters were just opened.  May be NULL where there is nothing to count. */
void tally_begin(struct tally *tally, const struct counters *counters);

/* Makes the table of what was counted since the run's begin, or since the last interval. */
void tally_total(struct tally *tally, const struct tally_clocks *clocks);
void tally_interval(struct tally *tally, const struct tally_clocks *clocks);

/* After the counters were set back to zero: the next interval begins there. */
void tally_reset(struct tally *tally, const struct tally_clocks *clocks);

/* The table made last. */
const struct stat_table *tally_table(const struct tally *tally);

/* The index in the event list of a column's event. */
size_t tally_event(const struct tally *tally, size_t column);

#endif
