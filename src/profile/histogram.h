/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples over time as a picture: a column for each second, and in it a row for each part of the
 * second, so that patterns that recur and moments that stand out can be seen.
 */
#ifndef PROFILE_HISTOGRAM_H
#define PROFILE_HISTOGRAM_H

#include "profile/filter.h"

struct histogram {
	uint64_t start;	  /* ns: where the first column begins */
	size_t seconds;	  /* columns */
	size_t parts;	  /* rows: how many a second has */
	uint32_t *counts; /* samples: [second * parts + part] */
	uint32_t most;	  /* the largest of them */
};

/*
 * Of a time that holds all samples; NULL: from the first to the last.  At most HISTOGRAM_SECONDS
 * columns: later samples are left out.  -EINVAL for no parts.
 */
#define HISTOGRAM_SECONDS (100 * 3600)
int profile_histogram(const struct profile *profile, const struct profile_filter *filter,
		      const struct profile_span *span, size_t parts, struct histogram *histogram,
		      struct err *err);
void histogram_free(struct histogram *histogram);

#endif
