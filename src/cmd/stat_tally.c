// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_tally.h"
#include "cmd/stat_layout.h"

#include <stdlib.h>

struct tally {
	struct tally_options options;
	struct layout layout;
	size_t value_count, cell_count;
	struct counter_value *last; /* slot * events + event, at the last interval's end */
	struct counter_value *sums; /* place * columns + column */
	struct stat_cell *cells;    /* the same */
	struct tally_clocks last_clocks;
	struct stat_table table;
};

struct tally *tally_new(const struct event_list *events, const struct target *target,
			const struct tally_options *options)
{
	struct tally *t = mem_alloc(sizeof(*t));

	t->options = *options;
	layout_init(&t->layout, events, target, &t->options);
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	layout_fini(&t->layout);
	free(t->last);
	free(t->sums);
	free(t->cells);
	free(t);
}

/* A zeroed array in the place of an old one. */
static void *renew(void *old, size_t count, size_t size)
{
	free(old);
	return mem_alloc((count + 1) * size);
}

void tally_begin(struct tally *t, const struct counters *counters)
{
	size_t slots = counters ? counters_slots(counters) : 0;

	layout_attach(&t->layout, counters);
	t->value_count = slots * t->layout.events->events.len;
	t->cell_count = t->layout.places.len * t->layout.columns.len;
	t->last = renew(t->last, t->value_count, sizeof(*t->last));
	t->sums = renew(t->sums, t->cell_count, sizeof(*t->sums));
	t->cells = renew(t->cells, t->cell_count, sizeof(*t->cells));
	t->last_clocks = (struct tally_clocks){ 0 };
}

void tally_reset(struct tally *t, const struct tally_clocks *clocks)
{
	memset(t->last, 0, t->value_count * sizeof(*t->last));
	t->last_clocks = *clocks;
}

/* Adds what the counters hold, or what they gained since the last interval, into the sums. */
static void add_up(struct tally *t, bool interval)
{
	size_t n = t->layout.events->events.len;

	for (size_t slot = 0; slot < t->layout.place_of.len; slot++) {
		struct counter_value *sums =
			&t->sums[t->layout.place_of.data[slot] * t->layout.columns.len];
		const size_t *columns = &t->layout.column_of[t->layout.cgroup_of.data[slot] * n];

		for (size_t event = 0; event < n; event++) {
			struct counter_value value = *counters_value(t->layout.counters, slot,
								     event);
			struct counter_value *last = &t->last[slot * n + event];
			struct counter_value gain = counter_value_since(&value, last);

			if (!value.present)
				continue;
			if (t->layout.events->events.data[event].snapshot)
				gain.count = value.count;
			counter_value_add(&sums[columns[event]], interval ? &gain : &value);
			if (interval)
				*last = value;
		}
	}
}

/* The clocks that are events to the user; they stand at the first place only. */
static void add_clocks(struct tally *t, const struct tally_clocks *clocks)
{
	for (size_t column = 0; column < t->layout.columns.len && t->layout.places.len; column++) {
		const struct event *event = t->layout.columns.data[column].event;
		uint64_t ns = 0;

		if (event->tool == TOOL_DURATION_TIME)
			ns = (uint64_t)clocks->elapsed_ns;
		else if (event->tool == TOOL_USER_TIME && clocks->has_usage)
			ns = (uint64_t)clocks->user_ns;
		else if (event->tool == TOOL_SYSTEM_TIME && clocks->has_usage)
			ns = (uint64_t)clocks->system_ns;
		else
			continue;
		/* perf calls a time of 0 not counted; it was, and was short */
		t->sums[column] = (struct counter_value){ ns, ns ? ns : 1, ns ? ns : 1, true };
	}
}

static struct stat_cell cell_of(const struct tally *t, const struct counter_value *sum,
				bool supported)
{
	struct stat_cell cell = { .enabled = sum->enabled_ns, .running = sum->running_ns };
	uint64_t scaled;
	double share;

	cell.counted = counter_value_scaled(sum, &scaled, &share) == 0;
	cell.count = (double)(t->options.no_scale ? sum->count : scaled);
	/* by CPU, perf leaves out those that the event's PMU does not belong to */
	cell.absent = supported && !sum->present && t->options.by == STAT_BY_CPU;
	return cell;
}

static void finish(struct tally *t, int64_t elapsed_ns)
{
	for (size_t i = 0; i < t->cell_count; i++)
		t->cells[i] = cell_of(t, &t->sums[i],
				      t->layout.columns.data[i % t->layout.columns.len].supported);
	t->table = (struct stat_table){
		.columns = t->layout.columns.len,
		.places = t->layout.places.len,
		.column = t->layout.columns.data,
		.place = t->layout.places.data,
		.cells = t->cells,
		.elapsed_ns = (double)elapsed_ns,
	};
}

static struct tally_clocks clocks_since(const struct tally_clocks *now,
					const struct tally_clocks *then)
{
	return (struct tally_clocks){
		.elapsed_ns = now->elapsed_ns - then->elapsed_ns,
		.has_usage = now->has_usage,
		.user_ns = now->user_ns - then->user_ns,
		.system_ns = now->system_ns - then->system_ns,
	};
}

void tally_total(struct tally *t, const struct tally_clocks *clocks)
{
	memset(t->sums, 0, t->cell_count * sizeof(*t->sums));
	add_up(t, false);
	add_clocks(t, clocks);
	finish(t, clocks->elapsed_ns);
}

void tally_interval(struct tally *t, const struct tally_clocks *clocks)
{
	struct tally_clocks gain = clocks_since(clocks, &t->last_clocks);

	memset(t->sums, 0, t->cell_count * sizeof(*t->sums));
	add_up(t, true);
	add_clocks(t, &gain);
	finish(t, gain.elapsed_ns);
	t->last_clocks = *clocks;
}

const struct stat_table *tally_table(const struct tally *t)
{
	return &t->table;
}

size_t tally_event(const struct tally *t, size_t column)
{
	return t->layout.column_event.data[column];
}
