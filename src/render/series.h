/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time in a file: a head with the names of the events, then rows of one size, in the
 * order of time, appended.  What is written can be mapped and read while it grows.
 *
 *	series_head | names, then units, a NUL behind each, filled up to 8 bytes | a double for each
 *	event, its scale | series_row ...
 *
 * A row tells what was counted since the row before it of the same event and CPU.  Rows of one tick
 * have one time: a tick that comes late may be close to the next.  A count times the event's scale
 * is in its unit: of a PMU's energy Joules, of task-clock msec; "" and 1 for plain counts.
 *
 * Rows whose event is one of these are marks and no counts.  SERIES_RESET: from its time on the
 * counters began at zero again; what is before it stays, totals are of what is behind the last
 * one.  SERIES_PAUSE and SERIES_RESUME: nothing is counted between the two, so that the zeros of
 * the ticks in between say nothing.  A tick ends right before each of them.
 */
#ifndef RENDER_SERIES_H
#define RENDER_SERIES_H

#include <stddef.h>
#include <stdint.h>

struct err;

#define SERIES_MAGIC   0x31534552494c4f46u /* a file of another byte order does not have it */
#define SERIES_VERSION 2
#define SERIES_PLAIN   1 /* an older version, still read: no units and scales */
#define SERIES_RESET   UINT32_MAX
#define SERIES_PAUSE   (UINT32_MAX - 1)
#define SERIES_RESUME  (UINT32_MAX - 2)

struct series_head {
	uint64_t magic;
	uint32_t version;
	uint32_t events;   /* names */
	uint64_t rows_at;  /* offset of the first row */
	uint64_t start_ns; /* CLOCK_MONOTONIC when counting began */
	uint64_t interval_ns;
};

struct series_row {
	uint64_t time_ns;			/* CLOCK_MONOTONIC at the end of the interval */
	uint32_t event;				/* index, or a mark */
	int32_t cpu;				/* -1: all */
	uint64_t value, enabled_ns, running_ns; /* value is scaled if running < enabled */
};

#endif
