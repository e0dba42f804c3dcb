// SPDX-License-Identifier: Apache-2.0
#include "profile/chart.h"
#include "base/err.h"

#include <errno.h>

#define LATE 4 /* times the usual distance: the thread was away */

struct draughtsman {
	struct chart *chart;
	const struct profile *profile;
	VEC(size_t) rows;     /* samples that are drawn */
	VEC(uint32_t) frames; /* of the one that is being drawn, the innermost first */
	VEC(size_t) open;     /* spans by level */
	uint64_t usual;	      /* ns between two samples */
};

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median distance. */
static void find_usual(struct draughtsman *d)
{
	const uint64_t *times = d->profile->samples.time;
	VEC(uint64_t) distances = { 0 };

	for (size_t i = 1; i < d->rows.len; i++)
		*vec_push(&distances) = times[d->rows.data[i]] - times[d->rows.data[i - 1]];
	if (distances.len)
		qsort(distances.data, distances.len, sizeof(*distances.data), by_size);
	d->usual = distances.len ? distances.data[distances.len / 2] : 1000000;
	d->usual = d->usual ? d->usual : 1;
	vec_free(&distances);
}

static uint64_t end_of(const struct draughtsman *d, size_t i)
{
	const uint64_t *times = d->profile->samples.time;
	uint64_t start = times[d->rows.data[i]];
	uint64_t next = i + 1 < d->rows.len ? times[d->rows.data[i + 1]] : start + d->usual;

	return next - start > LATE * d->usual ? start + d->usual : next;
}

static void close_from(struct draughtsman *d, size_t level)
{
	if (d->open.len > level)
		d->open.len = level;
}

static void open_span(struct draughtsman *d, uint32_t function, uint64_t start)
{
	*vec_push(&d->open) = d->chart->spans.len;
	*vec_push(&d->chart->spans) = (struct chart_span){
		.start = start,
		.function = function,
		.level = (uint32_t)d->open.len - 1,
	};
}

static void draw(struct draughtsman *d, size_t i, uint64_t start, uint64_t end)
{
	const struct profile_stacks *stacks = &d->profile->stacks;
	uint32_t stack = d->profile->samples.stack[d->rows.data[i]];

	d->frames.len = 0;
	for (; stack != STACK_ROOT; stack = stacks->parent[stack])
		*vec_push(&d->frames) = stacks->function[stack];
	for (size_t level = 0; level < d->frames.len; level++) {
		uint32_t function = d->frames.data[d->frames.len - 1 - level];
		struct chart_span *span;

		if (level < d->open.len &&
		    d->chart->spans.data[d->open.data[level]].function != function)
			close_from(d, level);
		if (level >= d->open.len)
			open_span(d, function, start);
		span = &d->chart->spans.data[d->open.data[level]];
		span->end = end;
		span->samples++;
	}
	close_from(d, d->frames.len);
	if (d->frames.len > d->chart->depth)
		d->chart->depth = (uint32_t)d->frames.len;
}

static void draw_all(struct draughtsman *d)
{
	const uint64_t *times = d->profile->samples.time;
	uint64_t before = 0;

	find_usual(d);
	for (size_t i = 0; i < d->rows.len; i++) {
		uint64_t start = times[d->rows.data[i]];

		if (start > before)
			close_from(d, 0);
		before = end_of(d, i);
		draw(d, i, start, before);
	}
}

/* One row of each column. */
static void thin_out(struct draughtsman *d, uint32_t columns)
{
	const uint64_t *times = d->profile->samples.time;
	double width = (double)(d->chart->to - d->chart->from) / columns;
	uint64_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < d->rows.len; i++) {
		uint64_t time = times[d->rows.data[i]];

		if (time < end)
			continue;
		d->rows.data[kept++] = d->rows.data[i];
		end = d->chart->from +
		      (uint64_t)((double)((uint64_t)((double)(time - d->chart->from) / width) + 1) *
				 width);
		end = end > time ? end : time + 1;
	}
	d->rows.len = kept;
}

static bool find_thread(struct chart *chart, const struct profile *profile,
			const struct chart_options *options)
{
	const struct profile_samples *rows = &profile->samples;

	for (size_t i = 0; i < rows->len; i++)
		if (rows->event[i] == options->event &&
		    profile->threads.data[rows->thread[i]].tid == options->tid) {
			chart->thread = rows->thread[i];
			return true;
		}
	return false;
}

static void find_rows(struct draughtsman *d, const struct chart_options *options)
{
	const struct profile *profile = d->profile;
	const struct profile_samples *rows = &profile->samples;
	size_t last = options->to ? profile_row_at(profile, options->to) : rows->len;

	for (size_t i = profile_row_at(profile, options->from); i < last; i++)
		if (rows->event[i] == options->event &&
		    profile->threads.data[rows->thread[i]].tid == options->tid) {
			*vec_push(&d->rows) = i;
			d->chart->thread = rows->thread[i];
		}
	d->chart->taken = d->rows.len;
	d->chart->down_sampled = d->rows.len > options->columns;
}

int profile_chart(struct chart *chart, const struct profile *profile,
		  const struct chart_options *options, struct err *err)
{
	const struct profile_samples *rows = &profile->samples;
	struct draughtsman d = { .chart = chart, .profile = profile };

	*chart = (struct chart){ .from = options->from, .to = options->to };
	if (!options->columns || options->columns > CHART_COLUMNS)
		return err_set(err, EINVAL, "columns must be 1 to %d, not %u", CHART_COLUMNS,
			       options->columns);
	if (!find_thread(chart, profile, options))
		return err_set(err, ENOENT, "thread %u has no samples of that event", options->tid);
	if (chart->from < rows->time[0])
		chart->from = rows->time[0];
	if (!chart->to || chart->to > rows->time[rows->len - 1] + 1)
		chart->to = rows->time[rows->len - 1] + 1;
	if (chart->to <= chart->from)
		chart->to = chart->from + 1;
	find_rows(&d, options);
	if (chart->down_sampled)
		thin_out(&d, options->columns);
	draw_all(&d);
	vec_free(&d.rows);
	vec_free(&d.frames);
	vec_free(&d.open);
	return 0;
}

void chart_free(struct chart *chart)
{
	vec_free(&chart->spans);
}
