/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived figures: what a count means next to the others that were counted at the same place and
 * over the same time.  Instructions get their number per cycle, misses their share, clocks the CPUs
 * that were busy, everything else a rate.
 *
 * A figure is made only of counts that were really made, and only of counts with the same
 * modifiers: user-mode instructions are set against user-mode cycles.
 */
#ifndef EVENT_METRIC_H
#define EVENT_METRIC_H

#include "event/event.h"

/* One event's count at a place; `count` is scaled for multiplexing, not by event->scale. */
struct metric_source {
	const struct event *event;
	double count;
	bool counted; /* false: <not counted> or <not supported>, and count means nothing */
};

/* How good or bad the figure looks, for colours. */
enum metric_tone { METRIC_PLAIN, METRIC_FAIR, METRIC_POOR, METRIC_BAD };

struct metric {
	const char *unit; /* "insn per cycle"; what the figure would be even if it is not known */
	double value;
	bool known;
	int width, decimals; /* as perf prints it: "%width.decimals f" and then the suffix */
	const char *suffix;  /* "%", or "" */
	enum metric_tone tone;
};

#define METRIC_MAX 2 /* figures that one event can have */

/*
 * The figures of sources[index]; returns how many there are, 0 where none belongs to this event.
 * elapsed_ns is the wall-clock time over which the counts were made; 0 if that is not known.
 */
int metric_of(struct metric into[static METRIC_MAX], const struct metric_source *sources,
	      size_t count, size_t index, double elapsed_ns);

/*
 * Whether a table of nothing but figures (--metric-only) has a column for it: rates and the CPUs in
 * use say little there.
 */
bool metric_stands_alone(const struct metric *metric);

#endif
