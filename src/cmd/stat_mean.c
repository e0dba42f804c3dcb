// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_mean.h"
#include "cmd/stat_layout.h"

#include <math.h>

/* One cell over the runs: Welford's running mean and sum of squared differences. */
struct kept {
	int runs;    /* in which the place was there */
	int counted; /* in how many of them there was a count */
	double mean, squares, enabled, running;
};

struct stat_mean {
	struct arena arena; /* names of threads, which end with their counters */
	VEC(struct stat_place) places;
	VEC(struct kept) kept; /* place * columns + column */
	VEC(struct stat_cell) cells;
	int runs;
	double elapsed_ns;
	struct stat_table table;
};

struct stat_mean *stat_mean_new(void)
{
	return mem_alloc(sizeof(struct stat_mean));
}

void stat_mean_free(struct stat_mean *mean)
{
	if (!mean)
		return;
	vec_free(&mean->places);
	vec_free(&mean->kept);
	vec_free(&mean->cells);
	arena_free(&mean->arena);
	free(mean);
}

static struct kept *row_of(struct stat_mean *mean, const struct stat_place *place, size_t columns)
{
	struct stat_place *added;

	for (size_t i = 0; i < mean->places.len; i++)
		if (!layout_compare(&mean->places.data[i], place))
			return &mean->kept.data[i * columns];
	added = vec_push(&mean->places);
	*added = *place;
	added->comm = arena_strdup(&mean->arena, place->comm);
	for (size_t i = 0; i < columns; i++)
		vec_push(&mean->kept);
	return &mean->kept.data[mean->kept.len - columns];
}

static void keep(struct kept *kept, const struct stat_cell *cell)
{
	double off;

	if (cell->absent)
		return;
	kept->runs++;
	kept->enabled += (double)cell->enabled;
	kept->running += (double)cell->running;
	if (!cell->counted)
		return;
	kept->counted++;
	off = cell->count - kept->mean;
	kept->mean += off / kept->counted;
	kept->squares += off * (cell->count - kept->mean);
}

void stat_mean_add(struct stat_mean *mean, const struct stat_table *table)
{
	for (size_t place = 0; place < table->places && table->columns; place++) {
		struct kept *row = row_of(mean, &table->place[place], table->columns);

		for (size_t column = 0; column < table->columns; column++)
			keep(&row[column], &table->cells[place * table->columns + column]);
	}
	mean->table = *table;
	mean->elapsed_ns += table->elapsed_ns;
	mean->runs++;
}

/* The standard error of the mean, in percent of it. */
static double spread_of(const struct kept *kept)
{
	if (kept->counted < 2 || kept->mean == 0)
		return 0;
	return 100 * sqrt(kept->squares / (kept->counted - 1) / kept->counted) / kept->mean;
}

const struct stat_table *stat_mean_table(struct stat_mean *mean)
{
	mean->cells.len = 0;
	vec_each (kept, &mean->kept) {
		struct stat_cell *cell = vec_push(&mean->cells);

		cell->count = kept->mean;
		cell->spread = spread_of(kept);
		cell->counted = kept->counted > 0;
		cell->absent = !kept->runs;
		if (!kept->runs)
			continue;
		cell->enabled = (uint64_t)llround(kept->enabled / kept->runs);
		cell->running = (uint64_t)llround(kept->running / kept->runs);
	}
	mean->table.places = mean->places.len;
	mean->table.place = mean->places.data;
	mean->table.cells = mean->cells.data;
	mean->table.elapsed_ns = mean->runs ? mean->elapsed_ns / mean->runs : 0;
	return &mean->table;
}
