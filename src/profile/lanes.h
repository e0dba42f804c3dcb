/* SPDX-License-Identifier: Apache-2.0 */
/* Samples over time in lanes, one for each CPU or each thread. */
#ifndef PROFILE_LANES_H
#define PROFILE_LANES_H

#include "profile/filter.h"

enum lane_kind { LANE_CPU, LANE_THREAD };

struct lanes_options {
	struct profile_filter filter;
	const struct profile_span
		*span; /* the time to show, within the filter's; NULL: of the samples */
	enum lane_kind kind;
	uint32_t columns; /* 1 to LANES_COLUMNS */
	uint32_t limit;	  /* lanes, those with the most samples; 1 to LANES_MOST */
};
#define LANES_COLUMNS 10000
#define LANES_MOST    1000

struct lane {
	int32_t cpu;	 /* LANE_CPU; -1 where the recording does not tell */
	uint32_t thread; /* LANE_THREAD: a row of the profile's, the first of that tid */
	uint64_t samples;
	uint32_t *counts; /* one a column */
};

struct lanes {
	uint64_t from, to; /* ns: what the columns span, [from, to) */
	uint32_t columns;
	VEC(struct lane) items; /* CPUs in their order, threads by their samples */
	uint32_t most;		/* the largest count */
	uint64_t samples;
	size_t left_out; /* lanes */
};

/* On failure (a bad expression or list, -EINVAL) *lanes needs no lanes_free. */
int profile_lanes(struct lanes *lanes, const struct profile *profile,
		  const struct lanes_options *options, struct err *err);
void lanes_free(struct lanes *lanes);

#endif
