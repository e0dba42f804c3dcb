// SPDX-License-Identifier: Apache-2.0
/* Walks the table in perf's order and lets the format write each row. */
#include "render/stat.h"
#include "base/buf.h"
#include "render/stat_format.h"

#include <stdio.h>

static const struct stat_writer *const writers[] = {
	[STAT_TEXT] = &stat_text,
	[STAT_CSV] = &stat_csv,
	[STAT_JSON] = &stat_json,
};

/* A walk over one table. */
struct walk {
	struct buf *out;
	const struct stat_style *style;
	const struct stat_writer *writer;
	const struct stat_table *table;
	struct buf time;
	struct metric_source *sources; /* of the place and cgroup that metrics were last asked of */
	const char *sources_cgroup;
	size_t sources_place;
};

static const struct stat_cell *cell_at(const struct stat_table *table, size_t place, size_t column)
{
	return &table->cells[place * table->columns + column];
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Counts of different places or cgroups are never set against each other. */
static void load_sources(struct walk *walk, size_t place, const char *cgroup)
{
	if (walk->sources_place == place && same_text(walk->sources_cgroup, cgroup))
		return;
	for (size_t i = 0; i < walk->table->columns; i++) {
		const struct stat_cell *cell = cell_at(walk->table, place, i);
		const struct stat_column *column = &walk->table->column[i];

		walk->sources[i] = (struct metric_source){
			.event = column->event,
			.count = cell->count,
			.counted = cell->counted && same_text(column->cgroup, cgroup),
		};
	}
	walk->sources_place = place;
	walk->sources_cgroup = cgroup;
}

static int figures(struct walk *walk, size_t place, size_t column, struct metric *into)
{
	load_sources(walk, place, walk->table->column[column].cgroup);
	return metric_of(into, walk->sources, walk->table->columns, column,
			 walk->table->elapsed_ns);
}

static struct stat_row row_at(const struct walk *walk, size_t place, size_t column)
{
	return (struct stat_row){
		.style = walk->style,
		.time = buf_text(&walk->time),
		.place = &walk->table->place[place],
		.column = &walk->table->column[column],
		.cell = cell_at(walk->table, place, column),
	};
}

static void show_count(struct walk *walk, size_t place, size_t column)
{
	struct stat_row row = row_at(walk, place, column);
	struct metric metrics[METRIC_MAX];

	if (row.cell->absent)
		return;
	row.metrics = metrics;
	if (row.cell->counted)
		row.metric_count = figures(walk, place, column, metrics);
	walk->writer->count(walk->out, &row);
}

/* A place's line of nothing but figures. */
static void show_figures(struct walk *walk, size_t place)
{
	static const struct metric none = { .unit = "", .suffix = "" };
	struct stat_row row = row_at(walk, place, 0);

	walk->writer->figures_begin(walk->out, &row);
	for (size_t i = 0; i < walk->table->columns; i++) {
		struct metric metrics[METRIC_MAX];
		int count = 0;

		row = row_at(walk, place, i);
		if (row.cell->absent)
			continue;
		if (!row.cell->counted)
			walk->writer->figure(walk->out, &row, &none);
		else
			count = figures(walk, place, i, metrics);
		for (int k = 0; k < count; k++)
			if (metric_stands_alone(&metrics[k]))
				walk->writer->figure(walk->out, &row, &metrics[k]);
	}
	walk->writer->figures_end(walk->out, &row);
}

struct ranked {
	double count;
	size_t place;
};

static int by_count(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->place < y->place ? -1 : 1;
}

/* Threads come with the busiest first, event by event. */
static void show_threads(struct walk *walk)
{
	const struct stat_table *table = walk->table;
	VEC(struct ranked) ranks = { 0 };

	for (size_t column = 0; column < table->columns; column++) {
		ranks.len = 0;
		for (size_t place = 0; place < table->places; place++) {
			const struct stat_cell *cell = cell_at(table, place, column);
			double count = cell->counted ? cell->count : 0;

			if (count == 0 && walk->style->hide_zero)
				continue;
			*vec_push(&ranks) = (struct ranked){ count, place };
		}
		if (ranks.len)
			qsort(ranks.data, ranks.len, sizeof(*ranks.data), by_count);
		vec_each (rank, &ranks)
			show_count(walk, rank->place, column);
	}
	vec_free(&ranks);
}

static void show_counts(struct walk *walk)
{
	const struct stat_table *table = walk->table;

	switch (walk->style->by) {
	case STAT_BY_THREAD: show_threads(walk); break;
	case STAT_BY_CPU:
		for (size_t column = 0; column < table->columns; column++)
			for (size_t place = 0; place < table->places; place++)
				show_count(walk, place, column);
		break;
	default:
		for (size_t place = 0; place < table->places; place++)
			for (size_t column = 0; column < table->columns; column++)
				show_count(walk, place, column);
	}
}

const char *stat_heading_of(char *into, size_t room, const struct stat_column *column,
			    const struct metric *metric)
{
	if (strncmp(metric->unit, "of all", 6))
		return metric->unit;
	snprintf(into, room, "%s %s", column->name, metric->unit);
	return into;
}

/*
 * perf 6.1 leaves these out unless every CPU is shown.  We do so only where no column would hold a
 * figure, as figures without names are of no use.
 */
static bool wants_headings(struct walk *walk)
{
	if (walk->style->by == STAT_BY_CPU)
		return true;
	for (size_t i = 0; i < walk->table->columns; i++) {
		struct metric metrics[METRIC_MAX];

		if (walk->table->column[i].supported && figures(walk, 0, i, metrics) &&
		    metric_stands_alone(&metrics[0]))
			return true;
	}
	return false;
}

static void show_headings(struct walk *walk)
{
	walk->writer->heading(walk->out, walk->style, NULL);
	for (size_t i = 0; walk->table->places && wants_headings(walk) && i < walk->table->columns;
	     i++) {
		struct metric metrics[METRIC_MAX];
		char name[512];
		int count = figures(walk, 0, i, metrics);

		for (int k = 0; k < count; k++)
			if (metric_stands_alone(&metrics[k]))
				walk->writer->heading(walk->out, walk->style,
						      stat_heading_of(name, sizeof(name),
								      &walk->table->column[i],
								      &metrics[k]));
	}
	buf_putc(walk->out, '\n');
}

static struct walk walk_start(struct buf *out, const struct stat_style *style,
			      const struct stat_table *table)
{
	return (struct walk){
		.out = out,
		.style = style,
		.writer = writers[style->format],
		.table = table,
		.sources = mem_alloc(table->columns * sizeof(struct metric_source)),
		.sources_place = SIZE_MAX,
	};
}

static void walk_end(struct walk *walk)
{
	free(walk->sources);
	buf_free(&walk->time);
}

void stat_rows(struct buf *out, const struct stat_style *style, const struct stat_table *table,
	       int64_t at_ns)
{
	struct walk walk = walk_start(out, style, table);

	walk.writer->time(&walk.time, style, at_ns);
	if (style->metric_only) {
		if (at_ns < 0 && style->format != STAT_JSON)
			show_headings(&walk);
		for (size_t place = 0; place < table->places && table->columns; place++)
			show_figures(&walk, place);
	} else {
		show_counts(&walk);
	}
	walk_end(&walk);
}

void stat_heading(struct buf *out, const struct stat_style *style, const struct stat_table *table)
{
	static const char *const places[] = {
		[STAT_BY_ALL] = "",
		[STAT_BY_CPU] = " CPU    ",
		[STAT_BY_CORE] = " core            cpus",
		[STAT_BY_DIE] = " die          cpus",
		[STAT_BY_SOCKET] = " socket cpus",
		[STAT_BY_NODE] = " node   cpus",
		[STAT_BY_THREAD] = "             comm-pid",
	};
	struct walk walk;

	if (style->format == STAT_TEXT) {
		int width = style->by == STAT_BY_CPU ? 22 : style->by == STAT_BY_THREAD ? 24 : 19;

		buf_printf(out, "#           time%s", places[style->by]);
		if (!style->metric_only)
			buf_printf(out, "%*s %*s events\n", width, "counts", style->unit_width,
				   "unit");
	}
	if (!style->metric_only || style->format == STAT_JSON)
		return;
	walk = walk_start(out, style, table);
	buf_puts(out, style->format == STAT_CSV ? " time," : " ");
	show_headings(&walk);
	walk_end(&walk);
}
