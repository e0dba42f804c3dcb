/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single samples over time: all of them where they are few, else of each column of a picture the
 * lightest and the heaviest, so that no outlier is lost.
 */
#ifndef PROFILE_MOMENTS_H
#define PROFILE_MOMENTS_H

#include "profile/filter.h"

#define MOMENTS_COLUMNS 20000

struct moments {
	VEC(size_t) rows; /* of the profile's samples, in order */
	size_t taken;	  /* rows that the filter takes */
	bool down_sampled;
};

/* On failure (a bad expression or list, no columns) *moments needs no moments_free. */
int profile_moments(struct moments *moments, const struct profile *profile,
		    const struct profile_filter *filter, uint32_t columns, struct err *err);
void moments_free(struct moments *moments);

/*
 * The time that one sample of an event stands for, ns: of a clock its period; of other events what
 * usually lies between two samples of a thread that runs, which only the samples themselves tell.
 */
uint64_t profile_interval(const struct profile *profile, uint16_t event);

#endif
