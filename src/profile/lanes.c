// SPDX-License-Identifier: Apache-2.0
#include "profile/lanes.h"
#include "base/err.h"
#include "base/idmap.h"

#include <errno.h>

#define CPU_COUNT 65536
#define NO_LANE	  UINT32_MAX

struct sorter {
	struct lanes *lanes;
	const struct profile *profile;
	const struct lanes_options *options;
	struct sieve sieve;
	uint32_t *lane_of; /* by CPU or by thread */
	size_t keys;
};

static uint32_t key_of(const struct sorter *s, size_t row)
{
	const struct profile_samples *rows = &s->profile->samples;

	return s->options->kind == LANE_CPU ? rows->cpu[row] : rows->thread[row];
}

/* Rows of one tid are one lane, whatever the thread was called when. */
static void join_threads(struct sorter *s)
{
	struct idmap known = { 0 };

	for (uint32_t i = 0; i < s->keys; i++) {
		const struct profile_thread *thread = &s->profile->threads.data[i];

		s->lane_of[i] = idmap_add(&known, (uint64_t)thread->pid << 32 | thread->tid, i);
	}
	idmap_free(&known);
}

static void find_keys(struct sorter *s)
{
	bool by_cpu = s->options->kind == LANE_CPU;

	s->keys = by_cpu ? CPU_COUNT : s->profile->threads.len;
	s->lane_of = mem_resize(NULL, s->keys + 1, sizeof(*s->lane_of));
	for (uint32_t i = 0; by_cpu && i < s->keys; i++)
		s->lane_of[i] = i;
	if (!by_cpu)
		join_threads(s);
}

static uint64_t *count_samples(struct sorter *s)
{
	uint64_t *samples = mem_alloc((s->keys + 1) * sizeof(*samples));

	for (size_t i = s->sieve.first; i < s->sieve.last; i++)
		if (sieve_takes(&s->sieve, s->profile, i))
			samples[s->lane_of[key_of(s, i)]] += profile_row_count(&s->profile->samples,
									       i);
	return samples;
}

static int most_first(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_cpu(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* The lanes that are shown; every key then leads to the place of its lane, or to NO_LANE. */
static void choose(struct sorter *s)
{
	struct lanes *lanes = s->lanes;
	uint64_t *samples = count_samples(s);
	uint32_t *place = mem_resize(NULL, s->keys + 1, sizeof(*place));

	for (uint32_t i = 0; i < s->keys; i++) {
		place[i] = NO_LANE;
		lanes->samples += samples[i];
		if (samples[i])
			*vec_push(&lanes->items) = (struct lane){
				.cpu = i == UINT16_MAX ? -1 : (int32_t)i,
				.thread = i,
				.samples = samples[i],
			};
	}
	if (lanes->items.len)
		qsort(lanes->items.data, lanes->items.len, sizeof(*lanes->items.data), most_first);
	if (lanes->items.len > s->options->limit) {
		lanes->left_out = lanes->items.len - s->options->limit;
		lanes->items.len = s->options->limit;
	}
	if (s->options->kind == LANE_CPU && lanes->items.len)
		qsort(lanes->items.data, lanes->items.len, sizeof(*lanes->items.data), by_cpu);
	for (uint32_t i = 0; i < lanes->items.len; i++)
		place[lanes->items.data[i].thread] = i;
	for (size_t i = 0; i < s->keys; i++)
		s->lane_of[i] = place[s->lane_of[i]];
	free(place);
	free(samples);
}

static void fill(struct sorter *s)
{
	const struct profile_samples *rows = &s->profile->samples;
	struct lanes *lanes = s->lanes;
	double width = (double)(lanes->to - lanes->from) / lanes->columns;
	uint32_t column = 0;
	uint64_t end = lanes->from;

	vec_each (lane, &lanes->items)
		lane->counts = mem_alloc(lanes->columns * sizeof(*lane->counts));
	for (size_t i = s->sieve.first; i < s->sieve.last; i++) {
		uint32_t lane, *count;

		if (rows->time[i] >= end) {
			double at = (double)(rows->time[i] - lanes->from) / width;

			column = at < lanes->columns ? (uint32_t)at : lanes->columns - 1;
			end = lanes->from + (uint64_t)((double)(column + 1) * width);
		}
		if (!sieve_takes(&s->sieve, s->profile, i))
			continue;
		lane = s->lane_of[key_of(s, i)];
		if (lane == NO_LANE)
			continue;
		count = &lanes->items.data[lane].counts[column];
		*count += (uint32_t)profile_row_count(rows, i);
		lanes->most = *count > lanes->most ? *count : lanes->most;
	}
}

static void choose_range(struct lanes *lanes, const struct profile *profile,
			 const struct lanes_options *options)
{
	const struct profile_filter *filter = &options->filter;
	struct profile_span span = options->span ? *options->span : profile_span(profile, 0, 0);

	lanes->from = filter->time_from > span.start ? filter->time_from : span.start;
	lanes->to = filter->time_to && filter->time_to <= span.last ? filter->time_to
								    : span.last + 1;
	if (lanes->to <= lanes->from)
		lanes->to = lanes->from + 1;
}

int profile_lanes(struct lanes *lanes, const struct profile *profile,
		  const struct lanes_options *options, struct err *err)
{
	struct sorter s = { .lanes = lanes, .profile = profile, .options = options };
	int rc;

	if (!options->columns || options->columns > LANES_COLUMNS)
		return err_set(err, EINVAL, "columns must be 1 to %d, not %u", LANES_COLUMNS,
			       options->columns);
	if (!options->limit || options->limit > LANES_MOST)
		return err_set(err, EINVAL, "lanes must be 1 to %d, not %u", LANES_MOST,
			       options->limit);
	rc = sieve_make(&s.sieve, profile, &options->filter, err);
	if (rc)
		return rc;
	*lanes = (struct lanes){ .columns = options->columns };
	choose_range(lanes, profile, options);
	find_keys(&s);
	choose(&s);
	fill(&s);
	free(s.lane_of);
	sieve_free(&s.sieve);
	return 0;
}

void lanes_free(struct lanes *lanes)
{
	vec_each (lane, &lanes->items)
		free(lane->counts);
	vec_free(&lanes->items);
}
