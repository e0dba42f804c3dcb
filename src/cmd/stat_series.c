// SPDX-License-Identifier: Apache-2.0
/* The counts of each interval as numbers, for the server: `stat --series FD`. */
#include "base/clock.h"
#include "base/err.h"
#include "cmd/stat_command.h"

#include <errno.h>

int stat_series_begin(struct stat_command *stat, struct err *err)
{
	const struct stat_table *table = tally_table(stat->pass->tally);
	VEC(struct series_event) events = { 0 };
	int rc;

	if (!stat->options->series_fd)
		return 0;
	for (size_t i = 0; i < table->columns; i++)
		*vec_push(&events) = (struct series_event){
			.name = table->column[i].name,
			.unit = table->column[i].event->unit,
			.scale = table->column[i].event->scale,
		};
	rc = series_begin(&stat->series, stat->options->series_fd, events.data,
			  (uint32_t)events.len, (uint64_t)clock_now_ns(),
			  (uint64_t)stat->options->interval_ns, err);
	vec_free(&events);
	return rc;
}

static void add_place(struct stat_command *stat, const struct stat_table *table, size_t place,
		      uint64_t now_ns)
{
	for (size_t i = 0; i < table->columns; i++) {
		const struct stat_cell *cell = &table->cells[place * table->columns + i];
		struct series_row row = {
			.time_ns = now_ns,
			.event = (uint32_t)i,
			.cpu = stat->style.by == STAT_BY_CPU ? table->place[place].cpu : -1,
			.value = cell->counted && cell->count > 0 ? (uint64_t)(cell->count + 0.5)
								  : 0,
			.enabled_ns = cell->enabled,
			.running_ns = cell->counted ? cell->running : 0,
		};

		if (table->column[i].supported && !cell->absent)
			series_add(&stat->series, &row);
	}
}

int stat_series_tick(struct stat_command *stat, int64_t now_ns, struct err *err)
{
	const struct stat_table *table = tally_table(stat->pass->tally);

	if (!stat->options->series_fd)
		return 0;
	for (size_t place = 0; place < table->places; place++)
		add_place(stat, table, place, (uint64_t)now_ns);
	return series_flush(&stat->series, err);
}

int stat_series_mark(struct stat_command *stat, uint32_t mark, int64_t now_ns, struct err *err)
{
	if (!stat->options->series_fd)
		return 0;
	series_add_mark(&stat->series, mark, (uint64_t)now_ns);
	return series_flush(&stat->series, err);
}
