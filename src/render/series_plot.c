// SPDX-License-Identifier: Apache-2.0
#include "render/series_plot.h"
#include "base/cpuset.h"
#include "base/idmap.h"
#include "render/series_ratio.h"

#include <math.h>

#define CELLS_MAX ((size_t)4 << 20)   /* of all lines: 128 MB */
#define RANGE_MAX (UINT64_C(1) << 60) /* ns: 36 years */

/* A line's value in the tick that is being read. */
struct pending {
	double value;
	uint64_t rows;
};

/* A row's place in its tick: what is counted there, and the line it belongs to. */
struct seat {
	uint64_t key;  /* event and CPU as they stand in the row */
	uint32_t line; /* NO_LINE: it is not wanted */
};

struct plotter {
	struct series_plot *plot;
	const struct series *series;
	const struct series_question *question;
	size_t first, last; /* rows */
	size_t columns;
	struct idmap known;	/* (event, cpu) to line */
	VEC(struct seat) order; /* of rows in the last tick: the next one mostly has the same */
	size_t place;		/* in it */
	VEC(struct pending) pending;
	VEC(uint32_t) touched;
	size_t looked; /* at so many lines for ratios */
	uint64_t tick_ns, tick_before;
	bool in_tick;
	size_t column;
	double column_ns;
	uint64_t column_end;
	size_t pause;	/* the first that is not over */
	uint8_t *gaps;	/* by column: of a pause, which is to be seen */
	bool continues; /* the last column is of the tick right before */
};

/* How many ticks there are, as far as `most`. */
static size_t count_ticks(const struct plotter *p, size_t most)
{
	const struct series_row *rows = p->series->rows;
	size_t ticks = 0;
	uint64_t tick = 0;

	for (size_t i = p->first; i < p->last && ticks <= most; i++)
		if ((!ticks || rows[i].time_ns != tick) && !series_row_is_mark(&rows[i])) {
			tick = rows[i].time_ns;
			ticks++;
		}
	return ticks;
}

struct plot_cell *series_cells_new(size_t columns)
{
	struct plot_cell *cells = mem_resize(NULL, columns + 1, sizeof(*cells));

	for (size_t i = 0; i <= columns; i++)
		cells[i] = (struct plot_cell){ .min = INFINITY, .max = -INFINITY };
	return cells;
}

static uint32_t add_line(struct plotter *p, uint32_t event, int32_t cpu)
{
	struct plot_line *line;

	if (p->plot->lines.len == PLOT_LINES_MAX)
		return NO_LINE;
	line = vec_push(&p->plot->lines);
	line->event = event;
	line->cpu = cpu;
	line->cells = series_cells_new(p->columns);
	vec_push(&p->pending);
	return (uint32_t)p->plot->lines.len - 1;
}

static uint32_t find_line(struct plotter *p, const struct series_row *row)
{
	int32_t cpu = p->question->each_cpu ? row->cpu : -1;
	uint64_t key = (uint64_t)row->event << 32 | (uint32_t)(cpu + 1);
	uint32_t line = idmap_find(&p->known, key);

	if (line == IDMAP_NONE) {
		line = add_line(p, row->event, cpu);
		if (line != NO_LINE)
			idmap_add(&p->known, key, line);
	}
	return line;
}

/* A part of an interval has its share in the mean; a rate of so little time is no extreme. */
static inline void put(struct plot_cell *cell, double sum, double weight, bool part)
{
	double value;

	cell->sum += sum;
	cell->weight += weight;
	if (part && cell->weight > weight)
		return;
	value = sum / weight;
	cell->min = value < cell->min ? value : cell->min;
	cell->max = value > cell->max ? value : cell->max;
}

/* The column that a tick falls into; ticks come in order. */
static void choose_column(struct plotter *p, uint64_t time)
{
	struct series_plot *plot = p->plot;

	if (!plot->down_sampled) {
		/* Times that go back make more ticks than were counted. */
		if (plot->times.len < p->columns)
			*vec_push(&plot->times) = time;
		p->column = plot->times.len - 1;
		return;
	}
	while (time >= p->column_end && p->column + 1 < p->columns) {
		p->column++;
		p->column_end = plot->from_ns + (uint64_t)((double)(p->column + 1) * p->column_ns);
	}
}

static uint64_t tick_length(const struct plotter *p)
{
	uint64_t length = p->tick_ns - p->tick_before;

	return length ? length : p->series->head->interval_ns;
}

/* What a tick's counts are divided by. */
static double tick_weight(const struct plotter *p)
{
	return p->question->per_second ? (double)tick_length(p) / 1e9 : 1;
}

static void put_ratio(struct plotter *p, const struct plot_ratio *ratio, bool part)
{
	const struct pending *of = &p->pending.data[ratio->of];
	const struct pending *by = &p->pending.data[ratio->by];

	if (of->rows && by->rows && by->value > 0)
		put(&ratio->cells[p->column], ratio->kind->factor * of->value, by->value, part);
}

static bool in_pause(struct plotter *p)
{
	const struct series_pauses *pauses = &p->series->pauses;

	while (p->pause < pauses->len && pauses->data[p->pause].to_ns < p->tick_ns)
		p->pause++;
	return p->pause < pauses->len && pauses->data[p->pause].from_ns < p->tick_ns;
}

/* The column has nothing, and yet its place. */
static void put_gap(struct plotter *p)
{
	choose_column(p, p->tick_ns);
	p->gaps[p->column] = 1;
	vec_each (line, &p->touched)
		p->pending.data[*line] = (struct pending){ 0 };
	p->touched.len = 0;
	p->tick_before = p->tick_ns;
	p->continues = false;
}

/* To the column of the tick before. */
static void put_part(struct plotter *p)
{
	if (!p->plot->down_sampled)
		*vec_last(&p->plot->times) = p->tick_ns;
}

/* Where the run ends, or is paused, an interval is cut: three switches in 5 ms are no 600 a second.
 */
static bool is_part(const struct plotter *p)
{
	return p->question->per_second && 2 * tick_length(p) < p->series->head->interval_ns;
}

static void put_tick(struct plotter *p)
{
	struct series_plot *plot = p->plot;
	bool part = p->continues && is_part(p);
	double weight = tick_weight(p);

	if (part)
		put_part(p);
	else
		choose_column(p, p->tick_ns);
	plot->lengths[p->column] += tick_length(p);
	/* Ratios of lines that came with this tick begin with it. */
	if (p->looked != plot->lines.len)
		series_ratios_find(plot, p->series, p->columns);
	p->looked = plot->lines.len;
	vec_each (ratio, &plot->ratios)
		put_ratio(p, ratio, part);
	vec_each (line, &p->touched) {
		struct pending *pending = &p->pending.data[*line];

		put(&plot->lines.data[*line].cells[p->column], pending->value, weight, part);
		*pending = (struct pending){ 0 };
	}
	p->touched.len = 0;
	p->tick_before = p->tick_ns;
	p->continues = true;
}

static void end_tick(struct plotter *p)
{
	if (!p->in_tick)
		return;
	p->in_tick = false;
	if (!p->touched.len) /* nothing of it is wanted */
		p->tick_before = p->tick_ns;
	else if (in_pause(p))
		put_gap(p);
	else
		put_tick(p);
}

static void begin_tick(struct plotter *p, uint64_t time)
{
	/* a part of an interval is of one tick with what follows, as where one came late */
	bool hold = p->in_tick && is_part(p) && !in_pause(p);

	if (!hold)
		end_tick(p);
	/* A clock that goes back would give columns out of order. */
	p->tick_ns = time > p->tick_before ? time : p->tick_before;
	p->in_tick = true;
	p->place = 0;
}

static bool is_wanted(const struct plotter *p, const struct series_row *row)
{
	const struct series_question *q = p->question;

	if (!series_row_good(p->series, row) || (q->events && !q->events[row->event]))
		return false;
	return !q->cpus || row->cpu < 0 || cpuset_has(q->cpus, row->cpu);
}

/* The line of the next row of a tick; NO_LINE: it is none that is wanted. */
static inline uint32_t seat_row(struct plotter *p, const struct series_row *row)
{
	uint64_t key = (uint64_t)(uint32_t)row->cpu << 32 | row->event;
	struct seat *seat;

	if (p->place == p->order.len)
		*vec_push(&p->order) = (struct seat){ ~key, NO_LINE };
	seat = &p->order.data[p->place++];
	if (seat->key != key) {
		seat->key = key;
		seat->line = is_wanted(p, row) ? find_line(p, row) : NO_LINE;
	}
	return seat->line;
}

static inline void take_row(struct plotter *p, const struct series_row *row)
{
	uint32_t id = seat_row(p, row);
	struct pending *pending;
	struct plot_line *line;

	if (id == NO_LINE)
		return;
	line = &p->plot->lines.data[id];
	line->total += row->value;
	line->points++;
	line->enabled_ns += row->enabled_ns;
	line->running_ns += row->running_ns;
	pending = &p->pending.data[id];
	if (!pending->rows++)
		*vec_push(&p->touched) = id;
	pending->value += (double)row->value;
}

#define RESETS_MAX 1000 /* a person has pressed the button */

static void take_reset(struct plotter *p, uint64_t time)
{
	struct series_plot *plot = p->plot;

	if (plot->resets.len < RESETS_MAX)
		*vec_push(&plot->resets) = time;
	plot->points--;
	vec_each (line, &plot->lines)
		line->total = line->enabled_ns = line->running_ns = 0;
}

static void read_rows(struct plotter *p)
{
	const struct series_row *rows = p->series->rows;

	for (size_t i = p->first; i < p->last; i++) {
		if (series_row_is_mark(&rows[i])) {
			end_tick(p);
			if (series_row_is_reset(&rows[i]))
				take_reset(p, rows[i].time_ns);
			else
				p->plot->points--;
			continue;
		}
		if (!p->in_tick || rows[i].time_ns != rows[i - 1].time_ns)
			begin_tick(p, rows[i].time_ns);
		take_row(p, &rows[i]);
	}
	end_tick(p);
}

/* What was there already when the range began, for the first tick's length. */
static uint64_t time_before(const struct plotter *p)
{
	if (p->first && p->first <= p->series->count)
		return p->series->rows[p->first - 1].time_ns;
	return p->series->head->start_ns;
}

static void choose_range(struct plotter *p, size_t width)
{
	const struct series *series = p->series;
	struct series_plot *plot = p->plot;

	p->first = series_row_at(series, p->question->from_ns);
	p->last = p->question->to_ns ? series_row_at(series, p->question->to_ns) : series->count;
	p->last = p->last > p->first ? p->last : p->first;
	plot->points = p->last - p->first;
	p->columns = count_ticks(p, width);
	plot->down_sampled = p->columns > width;
	/* Columns are for what is there, whatever range was asked for. */
	plot->from_ns = series->head->start_ns;
	if (p->question->from_ns > plot->from_ns)
		plot->from_ns = p->question->from_ns;
	plot->to_ns = p->last > p->first ? series->rows[p->last - 1].time_ns + 1 : plot->from_ns;
	if (plot->down_sampled) {
		p->columns = width;
		/* A file may say anything of its times. */
		if (plot->to_ns <= plot->from_ns)
			plot->to_ns = plot->from_ns + 1;
		if (plot->to_ns - plot->from_ns > RANGE_MAX)
			plot->to_ns = plot->from_ns + RANGE_MAX;
		p->column_ns = (double)(plot->to_ns - plot->from_ns) / (double)width;
		p->column_end = plot->from_ns + (uint64_t)p->column_ns;
	}
}

/* Columns of which no line has anything are not shown. */
static void close_columns(struct plotter *p)
{
	struct series_plot *plot = p->plot;
	size_t to = 0;

	for (size_t c = 0; c < p->columns; c++) {
		bool used = false;

		vec_each (line, &plot->lines)
			used |= line->cells[c].weight > 0;
		if (!used && !p->gaps[c])
			continue;
		vec_each (line, &plot->lines)
			line->cells[to] = line->cells[c];
		vec_each (ratio, &plot->ratios)
			ratio->cells[to] = ratio->cells[c];
		plot->lengths[to] = plot->lengths[c];
		*vec_push(&plot->times) = plot->from_ns +
					  (uint64_t)(((double)c + 0.5) * p->column_ns);
		to++;
	}
}

/* So many columns that the cells of all lines stay within bounds. */
static size_t bounded_width(const struct series *series, const struct series_question *question)
{
	size_t width = question->width ? question->width : PLOT_WIDTH;
	size_t lines = question->each_cpu ? PLOT_LINES_MAX : series->head->events + 1;

	width = width < PLOT_WIDTH_MAX ? width : PLOT_WIDTH_MAX;
	return width * lines > CELLS_MAX ? CELLS_MAX / lines : width;
}

void series_plot_make(struct series_plot *plot, const struct series *series,
		      const struct series_question *question)
{
	struct plotter p = { .plot = plot, .series = series, .question = question };

	*plot = (struct series_plot){ 0 };
	choose_range(&p, bounded_width(series, question));
	plot->lengths = mem_alloc((p.columns + 1) * sizeof(*plot->lengths));
	p.gaps = mem_alloc(p.columns + 1);
	p.tick_before = time_before(&p);
	read_rows(&p);
	if (plot->down_sampled)
		close_columns(&p);
	idmap_free(&p.known);
	vec_free(&p.order);
	vec_free(&p.pending);
	vec_free(&p.touched);
	free(p.gaps);
}

void series_plot_free(struct series_plot *plot)
{
	vec_each (line, &plot->lines)
		free(line->cells);
	vec_each (ratio, &plot->ratios)
		free(ratio->cells);
	vec_free(&plot->lines);
	vec_free(&plot->ratios);
	vec_free(&plot->times);
	free(plot->lengths);
	vec_free(&plot->resets);
}

/* Whether the tick that begins with a row is cut: by the end of the series, or by a mark. */
static bool is_cut(const struct series *series, size_t row, uint64_t before)
{
	const struct series_row *rows = series->rows;
	uint64_t tick = rows[row].time_ns;
	size_t end = row;

	if (tick <= before || 2 * (tick - before) >= series->head->interval_ns)
		return false;
	while (end < series->count && rows[end].time_ns == tick && !series_row_is_mark(&rows[end]))
		end++;
	return end == series->count || series_row_is_mark(&rows[end]) ||
	       (row && series_row_is_mark(&rows[row - 1]));
}

/* What is cut, or paused, holds less than the others for no reason of its own. */
static bool is_whole_tick(const struct series *series, size_t row, uint64_t before)
{
	uint64_t tick = series->rows[row].time_ns;

	vec_each (pause, &series->pauses)
		if (pause->from_ns < tick && tick <= pause->to_ns)
			return false;
	return !is_cut(series, row, before);
}

static void collect_values(struct series_values *values, const struct series *series,
			   uint32_t event, int32_t cpu, uint64_t from_ns, uint64_t to_ns,
			   bool parts)
{
	size_t first = series_row_at(series, from_ns);
	size_t last = to_ns ? series_row_at(series, to_ns) : series->count;
	uint64_t before = first ? series->rows[first - 1].time_ns : series->head->start_ns;
	uint64_t tick = before;
	bool whole = false, begun = false;

	for (size_t i = first; i < last; i++) {
		const struct series_row *row = &series->rows[i];

		if (series_row_is_mark(row))
			continue;
		if (i == first || row->time_ns != tick) {
			before = tick;
			tick = row->time_ns;
			whole = parts || is_whole_tick(series, i, before);
			begun = false;
		}
		if (!whole || row->event != event || !series_row_good(series, row) ||
		    (cpu >= 0 && row->cpu != cpu))
			continue;
		if (!begun)
			vec_push(values);
		begun = true;
		*vec_last(values) += (double)row->value;
	}
}

void series_values_of(struct series_values *values, const struct series *series, uint32_t event,
		      int32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	collect_values(values, series, event, cpu, from_ns, to_ns, false);
	if (!values->len) /* it was over before the first interval was */
		collect_values(values, series, event, cpu, from_ns, to_ns, true);
}
