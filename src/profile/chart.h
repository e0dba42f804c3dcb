/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame chart: the stacks of one thread over time.  A sample lasts until the thread's next one,
 * unless that comes more than two intervals (profile/moments.h) later: then the thread was away,
 * and the sample lasts for one interval.  Neighbours that have a frame in common share its span.
 */
#ifndef PROFILE_CHART_H
#define PROFILE_CHART_H

#include "profile/filter.h"

struct chart_options {
	uint16_t event;
	uint32_t tid;
	uint64_t from, to; /* ns, [from, to); to 0: no end */
	uint32_t columns;  /* more samples than these: one of each column is shown */
};
#define CHART_COLUMNS 20000

struct chart_span {
	uint64_t start, end; /* ns */
	uint32_t function;
	uint32_t level;	  /* 0: the outermost frame */
	uint32_t samples; /* that are shown in it */
};

struct chart {
	VEC(struct chart_span) spans; /* by their start, outer frames first */
	uint64_t from, to;
	uint32_t depth;
	size_t taken; /* samples of the thread in the range */
	bool down_sampled;
	uint32_t thread; /* a row of the profile's */
};

/* -ENOENT if the thread has no sample of that event at all.  On failure it needs no chart_free. */
int profile_chart(struct chart *chart, const struct profile *profile,
		  const struct chart_options *options, struct err *err);
void chart_free(struct chart *chart);

#endif
