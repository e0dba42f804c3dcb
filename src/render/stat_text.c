// SPDX-License-Identifier: Apache-2.0
/* Counts for people: columns of fixed width, the figure behind a '#'. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/terminal.h"
#include "base/text.h"
#include "render/stat_format.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#define COUNT_WIDTH   18
#define FIGURE_WIDTH  35 /* of " #  1.23 insn per cycle", padded */
#define HEADING_WIDTH 20 /* of a column of --metric-only */

static void text_time(struct buf *out, const struct stat_style *style, int64_t at_ns)
{
	(void)style;
	if (at_ns >= 0)
		buf_printf(out, "%6" PRId64 ".%09" PRId64 " ", at_ns / (int64_t)NS_PER_SEC,
			   at_ns % (int64_t)NS_PER_SEC);
}

static void lead(struct buf *out, const struct stat_row *row)
{
	buf_puts(out, row->time);
	stat_place_label(out, row);
}

static const char *color_of(enum metric_tone tone)
{
	static const char *const codes[] = {
		[METRIC_FAIR] = "\033[33m",
		[METRIC_POOR] = "\033[35m",
		[METRIC_BAD] = "\033[31m",
	};

	return codes[tone] ? terminal_code(STDERR_FILENO, codes[tone]) : NULL;
}

static int put_colored(struct buf *out, const struct stat_style *style, const struct metric *metric)
{
	const char *code = style->color ? color_of(metric->tone) : NULL;
	size_t start;

	if (code)
		buf_puts(out, code);
	start = out->len;
	buf_printf(out, "%*.*f%s", metric->width, metric->decimals, metric->value, metric->suffix);
	start = out->len - start;
	if (code)
		buf_puts(out, terminal_code(STDERR_FILENO, "\033[0m"));
	return (int)start;
}

static void put_figure(struct buf *out, const struct stat_row *row, const struct metric *metric)
{
	int width;

	if (!metric || !metric->known) {
		buf_printf(out, "%*s", FIGURE_WIDTH, "");
		return;
	}
	buf_puts(out, " # ");
	width = FIGURE_WIDTH - 3 - put_colored(out, row->style, metric) - 1;
	buf_printf(out, " %-*s", width, metric->unit);
}

/* The figures of one count stand below each other. */
static void put_figures(struct buf *out, const struct stat_row *row)
{
	if (!row->metric_count)
		put_figure(out, row, NULL);
	for (int i = 0; i < row->metric_count; i++) {
		if (i) {
			buf_putc(out, '\n');
			lead(out, row);
			buf_printf(out, "%*s", row->style->by == STAT_BY_CPU ? 57 : 49, "");
		}
		put_figure(out, row, &row->metrics[i]);
	}
}

/* How far the mean may be off, and how much of the time the event was counted. */
static void put_quality(struct buf *out, const struct stat_row *row)
{
	const struct stat_cell *cell = row->cell;

	if (row->style->repeated && cell->spread != 0)
		buf_printf(out, "  ( +-%6.2f%% )", cell->spread);
	if (cell->running != cell->enabled)
		buf_printf(out, "  (%.2f%%)",
			   100.0 * (double)cell->running / (double)cell->enabled);
}

static void text_count(struct buf *out, const struct stat_row *row)
{
	const struct event *event = row->column->event;
	int decimals = floor(event->scale) != event->scale ? 2 : 0;
	char number[TEXT_NUMBER];
	const char *shown;

	if (!row->cell->counted)
		shown = row->column->supported ? "<not counted>" : "<not supported>";
	else
		shown = text_decimal(number, row->cell->count * event->scale, decimals,
				     row->style->grouped);
	lead(out, row);
	buf_printf(out, "%*s %-*s %-*s", COUNT_WIDTH, shown, row->style->unit_width, event->unit,
		   row->cell->counted ? row->style->name_width : 25, row->column->name);
	if (row->column->cgroup)
		buf_printf(out, " %s", row->column->cgroup);
	put_figures(out, row);
	put_quality(out, row);
	buf_putc(out, '\n');
}

static void text_figures_begin(struct buf *out, const struct stat_row *row)
{
	lead(out, row);
}

static void text_figure(struct buf *out, const struct stat_row *row, const struct metric *metric)
{
	char name[512], number[TEXT_NUMBER] = "";
	int width = (int)strlen(stat_heading_of(name, sizeof(name), row->column, metric));

	if (metric->known)
		snprintf(number, sizeof(number), "%*.*f%s", metric->width, metric->decimals,
			 metric->value, metric->suffix);
	buf_printf(out, "%*s ", width > HEADING_WIDTH ? width + 1 : HEADING_WIDTH, number);
}

static void text_figures_end(struct buf *out, const struct stat_row *row)
{
	(void)row;
	buf_putc(out, '\n');
}

static void text_heading(struct buf *out, const struct stat_style *style, const char *name)
{
	static const int indents[] = {
		[STAT_BY_ALL] = 0,     [STAT_BY_CPU] = 6,     [STAT_BY_CORE] = 24,
		[STAT_BY_DIE] = 18,    [STAT_BY_SOCKET] = 12, [STAT_BY_NODE] = 6,
		[STAT_BY_THREAD] = 24,
	};

	if (name)
		buf_printf(out, "%*s ", HEADING_WIDTH, name);
	else if (!out->len || out->data[out->len - 1] == '\n') /* no time column in front */
		buf_printf(out, "%*s", indents[style->by], "");
}

const struct stat_writer stat_text = {
	.time = text_time,
	.count = text_count,
	.figures_begin = text_figures_begin,
	.figure = text_figure,
	.figures_end = text_figures_end,
	.heading = text_heading,
};

void stat_place_label(struct buf *out, const struct stat_row *row)
{
	const struct stat_place *place = row->place;
	bool csv = row->style->format == STAT_CSV;
	const char *sep = csv ? row->style->separator : " ";
	int number = csv ? 0 : 4; /* widths: CSV pads nothing */

	switch (row->style->by) {
	case STAT_BY_CORE:
		buf_printf(out, "S%d-D%d-C%*d%s%*d%s", place->socket, place->die, csv ? 0 : -8,
			   place->core, sep, number, place->cpus, sep);
		break;
	case STAT_BY_DIE:
		buf_printf(out, "S%d-D%*d%s%*d%s", place->socket, csv ? 0 : -8, place->die, sep,
			   number, place->cpus, sep);
		break;
	case STAT_BY_SOCKET:
		buf_printf(out, "S%*d%s%*d%s", csv ? 0 : -5, place->socket, sep, number,
			   place->cpus, sep);
		break;
	case STAT_BY_NODE:
		buf_printf(out, "N%*d%s%*d%s", csv ? 0 : -5, place->node, sep, number, place->cpus,
			   sep);
		break;
	case STAT_BY_CPU: buf_printf(out, "CPU%*d%s", csv ? 0 : -7, place->cpu, sep); break;
	case STAT_BY_THREAD:
		buf_printf(out, "%*s-%*d%s", csv ? 0 : 16, place->comm, csv ? 0 : -8, place->tid,
			   sep);
		break;
	case STAT_BY_ALL: break;
	}
}
