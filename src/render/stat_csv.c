// SPDX-License-Identifier: Apache-2.0
/* Counts for programs, a line each: [time,][place,[cpus,]]count,unit,event,[cgroup,][spread,]
 * running,percent,figure,unit. */
#include "base/buf.h"
#include "base/clock.h"
#include "render/stat_format.h"

#include <inttypes.h>
#include <math.h>

static void csv_time(struct buf *out, const struct stat_style *style, int64_t at_ns)
{
	if (at_ns >= 0)
		buf_printf(out, "%6" PRId64 ".%09" PRId64 "%s", at_ns / (int64_t)NS_PER_SEC,
			   at_ns % (int64_t)NS_PER_SEC, style->separator);
	else if (style->csv_summary)
		buf_printf(out, "%16s%s", "summary", style->separator);
}

static void put_figure(struct buf *out, const char *sep, const struct metric *metric)
{
	if (metric && metric->known)
		buf_printf(out, "%s%.*f%s%s", sep, metric->decimals, metric->value, sep,
			   metric->unit);
	else
		buf_printf(out, "%s%s", sep, sep);
}

/* The second figure has a line of its own, with as many empty fields in front as perf gives it. */
static void put_figures(struct buf *out, const struct stat_row *row)
{
	static const int place_fields[] = {
		[STAT_BY_ALL] = 0,    [STAT_BY_CPU] = 1,  [STAT_BY_CORE] = 2,	[STAT_BY_DIE] = 2,
		[STAT_BY_SOCKET] = 2, [STAT_BY_NODE] = 1, [STAT_BY_THREAD] = 1,
	};
	int empty = 3 + place_fields[row->style->by] + (row->column->cgroup ? 1 : 0);

	if (!row->metric_count)
		put_figure(out, row->style->separator, NULL);
	for (int i = 0; i < row->metric_count; i++) {
		if (i) {
			buf_putc(out, '\n');
			buf_puts(out, row->time);
			stat_place_label(out, row);
			for (int k = 0; k < empty; k++)
				buf_puts(out, row->style->separator);
		}
		put_figure(out, row->style->separator, &row->metrics[i]);
	}
}

static void csv_count(struct buf *out, const struct stat_row *row)
{
	const struct event *event = row->column->event;
	const struct stat_cell *cell = row->cell;
	const char *sep = row->style->separator;

	buf_puts(out, row->time);
	stat_place_label(out, row);
	if (cell->counted)
		buf_printf(out, "%.*f", floor(event->scale) != event->scale ? 2 : 0,
			   cell->count * event->scale);
	else
		buf_puts(out, row->column->supported ? "<not counted>" : "<not supported>");
	buf_printf(out, "%s%s%s%s", sep, event->unit, sep, row->column->name);
	if (row->column->cgroup)
		buf_printf(out, "%s%s", sep, row->column->cgroup);
	if (row->style->repeated)
		buf_printf(out, "%s%.2f%%", sep, cell->spread);
	buf_printf(out, "%s%" PRIu64 "%s%.2f", sep, cell->running, sep,
		   cell->running == cell->enabled
			   ? 100.0
			   : 100.0 * (double)cell->running / (double)cell->enabled);
	put_figures(out, row);
	buf_putc(out, '\n');
}

static void csv_figures_begin(struct buf *out, const struct stat_row *row)
{
	buf_puts(out, row->time);
	stat_place_label(out, row);
}

static void csv_figure(struct buf *out, const struct stat_row *row, const struct metric *metric)
{
	if (metric->known)
		buf_printf(out, "%.*f", metric->decimals, metric->value);
	buf_puts(out, row->style->separator);
}

static void csv_figures_end(struct buf *out, const struct stat_row *row)
{
	(void)row;
	buf_putc(out, '\n');
}

static void csv_heading(struct buf *out, const struct stat_style *style, const char *name)
{
	static const char *const places[] = {
		/* perf's, whose commas are not always the separator */
		[STAT_BY_ALL] = "",
		[STAT_BY_CPU] = "cpu,",
		[STAT_BY_CORE] = "core,cpus,",
		[STAT_BY_DIE] = "die,cpus",
		[STAT_BY_SOCKET] = "socket,cpus",
		[STAT_BY_NODE] = "node,",
		[STAT_BY_THREAD] = "comm-pid,",
	};

	if (name)
		buf_printf(out, "%s%s", name, style->separator);
	else
		buf_puts(out, places[style->by]);
}

const struct stat_writer stat_csv = {
	.time = csv_time,
	.count = csv_count,
	.figures_begin = csv_figures_begin,
	.figure = csv_figure,
	.figures_end = csv_figures_end,
	.heading = csv_heading,
};
