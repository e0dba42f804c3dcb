// SPDX-License-Identifier: Apache-2.0
#include "profile/moments.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW SIZE_MAX

/* The two of a column that are kept; they may be the same. */
struct column {
	size_t low, high;
	uint64_t end;
};

static void close_column(struct moments *moments, struct column *column)
{
	size_t first = column->low < column->high ? column->low : column->high;
	size_t second = column->low < column->high ? column->high : column->low;

	if (first != NO_ROW)
		*vec_push(&moments->rows) = first;
	if (second != NO_ROW && second != first)
		*vec_push(&moments->rows) = second;
	column->low = column->high = NO_ROW;
}

static size_t count(const struct profile *profile, const struct sieve *sieve)
{
	size_t taken = 0;

	for (size_t i = sieve->first; i < sieve->last; i++)
		taken += sieve_takes(sieve, profile, i);
	return taken;
}

static void choose(struct moments *moments, const struct profile *profile,
		   const struct sieve *sieve, uint32_t columns)
{
	const struct profile_samples *rows = &profile->samples;
	uint64_t from = rows->time[sieve->first], to = rows->time[sieve->last - 1];
	double width = ((double)(to - from) + 1) / columns;
	struct column column = { NO_ROW, NO_ROW, 0 };

	for (size_t i = sieve->first; i < sieve->last; i++) {
		if (!sieve_takes(sieve, profile, i))
			continue;
		if (rows->time[i] >= column.end) {
			double at = (double)(rows->time[i] - from) / width;

			close_column(moments, &column);
			column.end = from + (uint64_t)((double)((uint64_t)at + 1) * width) + 1;
		}
		if (column.low == NO_ROW || rows->weight[i] < rows->weight[column.low])
			column.low = i;
		if (column.high == NO_ROW || rows->weight[i] > rows->weight[column.high])
			column.high = i;
	}
	close_column(moments, &column);
}

int profile_moments(struct moments *moments, const struct profile *profile,
		    const struct profile_filter *filter, uint32_t columns, struct err *err)
{
	struct sieve sieve;
	int rc;

	if (!columns || columns > MOMENTS_COLUMNS)
		return err_set(err, EINVAL, "columns must be 1 to %d, not %u", MOMENTS_COLUMNS,
			       columns);
	rc = sieve_make(&sieve, profile, filter, err);
	if (rc)
		return rc;
	*moments = (struct moments){ .taken = count(profile, &sieve) };
	moments->down_sampled = moments->taken > (size_t)columns * 2;
	if (moments->down_sampled)
		choose(moments, profile, &sieve, columns);
	else
		for (size_t i = sieve.first; i < sieve.last; i++)
			if (sieve_takes(&sieve, profile, i))
				*vec_push(&moments->rows) = i;
	sieve_free(&sieve);
	return 0;
}

void moments_free(struct moments *moments)
{
	vec_free(&moments->rows);
}

/* ---- how far apart ---- */

#define LOOKED_AT    100000 /* samples; more tell nothing new */
#define NOT_KNOWN_NS 1000000

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_clock(const struct profile *profile, uint16_t event)
{
	const struct profile_event *facts = &profile->events.data[event];
	const char *name = profile_text(profile, facts->name);
	const char *unit = profile_text(profile, facts->unit);

	return facts->weight != facts->samples &&
	       (strstr(name, "cpu-clock") || strstr(name, "task-clock") || !strcmp(unit, "ns") ||
		!strcmp(unit, "nanoseconds"));
}

uint64_t profile_interval(const struct profile *profile, uint16_t event)
{
	const struct profile_samples *rows = &profile->samples;
	bool clock = is_clock(profile, event);
	uint64_t *before = mem_alloc(profile->threads.len * sizeof(*before)); /* 0: no sample yet */
	VEC(uint64_t) found = { 0 };
	uint64_t interval;

	for (size_t i = 0; i < rows->len && found.len < LOOKED_AT; i++) {
		uint64_t *last = &before[rows->thread[i]];

		if (rows->event[i] != event)
			continue;
		if (clock)
			*vec_push(&found) = rows->weight[i];
		else if (*last && rows->time[i] > *last)
			*vec_push(&found) = rows->time[i] - *last;
		*last = rows->time[i];
	}
	if (found.len)
		qsort(found.data, found.len, sizeof(*found.data), by_size);
	/* Pauses make distances longer, never shorter: of those the lower quartile is a running
	 * thread's, unless it hardly ever ran on. */
	interval = found.len ? found.data[clock ? found.len / 2 : found.len / 4] : NOT_KNOWN_NS;
	vec_free(&found);
	free(before);
	return interval ? interval : 1;
}
