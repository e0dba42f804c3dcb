// SPDX-License-Identifier: Apache-2.0
/*
 * Counts as JSON, an object a line, with perf's keys in perf's order.
 *
 * Two places differ from perf 6.1, whose lines do not always parse: a count without a figure has an
 * empty unit (perf: "(null)"), and --metric-only gives an object of figures by name (perf: objects
 * without a comma between).
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "render/stat_format.h"

#include <inttypes.h>
#include <math.h>

static void put_text(struct buf *out, const char *key, const char *text, const char *end)
{
	buf_printf(out, "\"%s\" : ", key);
	json_quote_into(out, text);
	buf_puts(out, end);
}

static void json_time(struct buf *out, const struct stat_style *style, int64_t at_ns)
{
	(void)style;
	if (at_ns >= 0)
		buf_printf(out, "\"interval\" : %" PRId64 ".%09" PRId64 ", ",
			   at_ns / (int64_t)NS_PER_SEC, at_ns % (int64_t)NS_PER_SEC);
}

static void put_place(struct buf *out, const struct stat_row *row)
{
	const struct stat_place *place = row->place;
	char text[64];

	switch (row->style->by) {
	case STAT_BY_CORE:
		buf_printf(out, "\"core\" : \"S%d-D%d-C%d\", \"aggregate-number\" : %d, ",
			   place->socket, place->die, place->core, place->cpus);
		break;
	case STAT_BY_DIE:
		buf_printf(out, "\"die\" : \"S%d-D%d\", \"aggregate-number\" : %d, ", place->socket,
			   place->die, place->cpus);
		break;
	case STAT_BY_SOCKET:
		buf_printf(out, "\"socket\" : \"S%d\", \"aggregate-number\" : %d, ", place->socket,
			   place->cpus);
		break;
	case STAT_BY_NODE:
		buf_printf(out, "\"node\" : \"N%d\", \"aggregate-number\" : %d, ", place->node,
			   place->cpus);
		break;
	case STAT_BY_CPU: buf_printf(out, "\"cpu\" : \"%d\", ", place->cpu); break;
	case STAT_BY_THREAD:
		snprintf(text, sizeof(text), "%s-%d", place->comm, place->tid);
		put_text(out, "thread", text, ", ");
		break;
	case STAT_BY_ALL: break;
	}
}

static void lead(struct buf *out, const struct stat_row *row)
{
	buf_putc(out, '{');
	buf_puts(out, row->time);
	put_place(out, row);
}

static void put_figures(struct buf *out, const struct stat_row *row)
{
	static const struct metric none = { .unit = "" };
	int count = row->metric_count ? row->metric_count : 1;

	for (int i = 0; i < count; i++) {
		const struct metric *metric = row->metric_count ? &row->metrics[i] : &none;

		if (i)
			lead(out, row);
		buf_printf(out, "\"metric-value\" : %f, ", metric->value);
		put_text(out, "metric-unit", metric->unit, "}\n");
	}
}

static void json_count(struct buf *out, const struct stat_row *row)
{
	const struct event *event = row->column->event;
	const struct stat_cell *cell = row->cell;

	lead(out, row);
	if (cell->counted)
		buf_printf(out, "\"counter-value\" : \"%f\", ", cell->count * event->scale);
	else
		put_text(out, "counter-value",
			 row->column->supported ? "<not counted>" : "<not supported>", ", ");
	put_text(out, "unit", event->unit, ", ");
	put_text(out, "event", row->column->name, ", ");
	if (row->column->cgroup)
		put_text(out, "cgroup", row->column->cgroup, ", ");
	if (row->style->repeated)
		buf_printf(out, "\"variance\" : %.2f, ", cell->spread);
	buf_printf(out, "\"event-runtime\" : %" PRIu64 ", \"pcnt-running\" : %.2f, ", cell->running,
		   cell->running == cell->enabled
			   ? 100.0
			   : 100.0 * (double)cell->running / (double)cell->enabled);
	put_figures(out, row);
}

static void json_figure(struct buf *out, const struct stat_row *row, const struct metric *metric)
{
	char name[512], number[64];

	if (!metric->known)
		return;
	snprintf(number, sizeof(number), "%.*f", metric->decimals, metric->value);
	put_text(out, stat_heading_of(name, sizeof(name), row->column, metric), number, ", ");
}

static void json_figures_end(struct buf *out, const struct stat_row *row)
{
	(void)row;
	if (out->len >= 2 && !memcmp(out->data + out->len - 2, ", ", 2))
		out->len -= 2; /* the comma after the last member */
	buf_puts(out, "}\n");
}

static void json_heading(struct buf *out, const struct stat_style *style, const char *name)
{
	(void)out, (void)style, (void)name; /* each figure has its name beside it */
}

const struct stat_writer stat_json = {
	.time = json_time,
	.count = json_count,
	.figures_begin = lead,
	.figure = json_figure,
	.figures_end = json_figures_end,
	.heading = json_heading,
};
