// SPDX-License-Identifier: Apache-2.0
#include "profile/histogram.h"
#include "base/clock.h"
#include "base/err.h"

#include <errno.h>

/* Samples come in order of time, so few of them need a division. */
static void count_rows(struct histogram *h, const struct profile *profile,
		       const struct sieve *sieve)
{
	const uint64_t *times = profile->samples.time;
	uint64_t slot_end = 0;
	uint32_t *count = h->counts;

	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint64_t since = times[i] - h->start;

		if (since >= slot_end) {
			size_t second = since / NS_PER_SEC;
			size_t part = since % NS_PER_SEC * h->parts / NS_PER_SEC;

			if (second >= h->seconds)
				break;
			count = &h->counts[second * h->parts + part];
			slot_end = second * NS_PER_SEC +
				   ((part + 1) * NS_PER_SEC + h->parts - 1) / h->parts;
		}
		if (!sieve_takes(sieve, profile, i))
			continue;
		*count += (uint32_t)profile_row_count(&profile->samples, i);
		if (*count > h->most)
			h->most = *count;
	}
}

int profile_histogram(const struct profile *profile, const struct profile_filter *filter,
		      const struct profile_span *span, size_t parts, struct histogram *histogram,
		      struct err *err)
{
	struct profile_span all = span ? *span : profile_span(profile, 0, 0);
	struct sieve sieve;
	int rc;

	if (!parts || parts > NS_PER_SEC / 1000)
		return err_set(err, EINVAL, "a second has 1 to 1,000,000 parts, not %zu", parts);
	rc = sieve_make(&sieve, profile, filter, err);
	if (rc)
		return rc;
	*histogram = (struct histogram){ .parts = parts };
	if (profile->samples.len) {
		histogram->start = all.start;
		histogram->seconds = (all.last - all.start) / NS_PER_SEC + 1;
		if (histogram->seconds > HISTOGRAM_SECONDS)
			histogram->seconds = HISTOGRAM_SECONDS;
	}
	histogram->counts =
		mem_alloc((histogram->seconds * parts + 1) * sizeof(*histogram->counts));
	count_rows(histogram, profile, &sieve);
	sieve_free(&sieve);
	return 0;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram){ 0 };
}
