// SPDX-License-Identifier: Apache-2.0
#include "profile/chart.h"
#include "base/err.h"
#include "profile/moments.h"

#include <errno.h>

#define LATE 2 /* intervals: who has no sample for longer was away */

/* A sample that is drawn. */
struct drawn {
	size_t row;
	uint64_t end;
};

struct draughtsman {
	struct chart *chart;
	const struct profile *profile;
	VEC(size_t) rows; /* the thread's, in the range */
	VEC(struct drawn) drawn;
	VEC(uint32_t) frames; /* of the one that is being drawn, the innermost first */
	VEC(size_t) open;     /* spans by level */
	uint64_t interval;    /* ns that a sample stands for */
};

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

static void draw(struct draughtsman *d, const struct drawn *sample)
{
	const struct profile_stacks *stacks = &d->profile->stacks;
	uint32_t stack = d->profile->samples.stack[sample->row];
	uint64_t start = d->profile->samples.time[sample->row];

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
		span->end = sample->end;
		span->samples++;
	}
	close_from(d, d->frames.len);
	if (d->frames.len > d->chart->depth)
		d->chart->depth = (uint32_t)d->frames.len;
}

static void draw_all(struct draughtsman *d)
{
	uint64_t before = 0;

	vec_each (sample, &d->drawn) {
		if (d->profile->samples.time[sample->row] > before)
			close_from(d, 0);
		before = sample->end;
		draw(d, sample);
	}
}

/*
 * All rows, or one of each column and the first behind each gap that is wider than a column.  What
 * is left out makes no gap: whether the thread was away is for all of its samples to say.
 */
static void choose_rows(struct draughtsman *d, uint32_t columns)
{
	const uint64_t *times = d->profile->samples.time;
	bool thin = d->chart->down_sampled;
	double width = (double)(d->chart->to - d->chart->from) / columns;
	uint64_t late = LATE * d->interval, column_end = 0;
	bool away = true;

	if (thin && (double)late < width)
		late = (uint64_t)width;
	for (size_t i = 0; i < d->rows.len; i++) {
		uint64_t time = times[d->rows.data[i]];
		uint64_t next = i + 1 < d->rows.len ? times[d->rows.data[i + 1]] : UINT64_MAX;

		if (!thin || away || time >= column_end) {
			double column = (double)(uint64_t)((double)(time - d->chart->from) / width);

			*vec_push(&d->drawn) = (struct drawn){ .row = d->rows.data[i] };
			column_end = d->chart->from + (uint64_t)((column + 1) * width);
		}
		away = next - time > late;
		vec_last(&d->drawn)->end = away ? time + d->interval : next;
	}
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
	d.interval = profile_interval(profile, options->event);
	choose_rows(&d, options->columns);
	draw_all(&d);
	vec_free(&d.rows);
	vec_free(&d.drawn);
	vec_free(&d.frames);
	vec_free(&d.open);
	return 0;
}

void chart_free(struct chart *chart)
{
	vec_free(&chart->spans);
}
