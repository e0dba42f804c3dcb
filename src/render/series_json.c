// SPDX-License-Identifier: Apache-2.0
#include "render/series_json.h"
#include "base/outbuf.h"
#include "render/out_json.h"

#include <inttypes.h>
#include <math.h>

static void put_names(struct outbuf *out, const struct series *series)
{
	out_text(out, "\"events\":[");
	for (uint32_t i = 0; i < series->head->events; i++) {
		if (i)
			out_char(out, ',');
		out_json_text(out, series->names[i]);
	}
	out_text(out, "],");
}

static void put_units(struct outbuf *out, const struct series *series)
{
	out_text(out, "\"units\":[");
	for (uint32_t i = 0; i < series->head->events; i++) {
		out_text(out, i ? "," : "");
		out_json_text(out, series_unit(series, i));
	}
	out_text(out, "],\"scales\":[");
	for (uint32_t i = 0; i < series->head->events; i++)
		out_printf(out, "%s%.17g", i ? "," : "", series_scale(series, i));
	out_text(out, "],");
}

/* CPUs that were counted by themselves, as the first ticks tell. */
static void put_cpus(struct outbuf *out, const struct series *series)
{
	size_t rows = series->count < 65536 ? series->count : 65536;
	uint8_t *met = mem_alloc(65536);
	bool more = false;

	for (size_t i = 0; i < rows; i++)
		if (series_row_good(series, &series->rows[i]) && series->rows[i].cpu >= 0)
			met[series->rows[i].cpu] = 1;
	out_text(out, "\"cpus\":[");
	for (int cpu = 0; cpu < 65536; cpu++)
		if (met[cpu]) {
			out_text(out, more ? "," : "");
			out_int(out, cpu, 0);
			more = true;
		}
	out_text(out, "],");
	free(met);
}

static void put_head(struct outbuf *out, const struct series_subject *subject)
{
	const struct series *series = subject->series;

	out_printf(out, "{\"run\":%" PRId64 ",", subject->run);
	put_names(out, series);
	put_units(out, series);
	out_json_ns(out, "start_ns", series->head->start_ns);
	out_json_ns(out, "interval_ns", series->head->interval_ns);
}

enum cell_part { CELL_MIN, CELL_MAX, CELL_MEAN };

static double cell_value(const struct plot_cell *cell, enum cell_part part)
{
	if (!cell->weight)
		return NAN;
	return part == CELL_MIN	  ? cell->min
	       : part == CELL_MAX ? cell->max
				  : cell->sum / cell->weight;
}

static void put_cells(struct outbuf *out, const char *key, const struct plot_cell *cells,
		      size_t count, enum cell_part part)
{
	out_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			out_char(out, ',');
		out_number(out, cell_value(&cells[i], part));
	}
	out_char(out, ']');
}

/* Where every column is one tick, the three are the same. */
static void put_all_cells(struct outbuf *out, const struct series_plot *plot,
			  const struct plot_cell *cells)
{
	size_t ends = plot->down_sampled ? plot->times.len : 0;

	put_cells(out, "min", cells, ends, CELL_MIN);
	put_cells(out, "max", cells, ends, CELL_MAX);
	put_cells(out, "mean", cells, plot->times.len, CELL_MEAN);
	out_char(out, '}');
}

static void put_line(struct outbuf *out, const struct series *series,
		     const struct series_plot *plot, const struct plot_line *line)
{
	double share = line->enabled_ns ? (double)line->running_ns / (double)line->enabled_ns : 1;

	out_text(out, "{\"event\":");
	out_json_text(out, series->names[line->event]);
	out_printf(out, ",\"index\":%u,\"cpu\":%d,\"total\":\"%" PRIu64 "\",\"points\":%" PRIu64,
		   line->event, line->cpu, line->total, line->points);
	out_text(out, ",\"share_counted\":");
	out_number(out, share < 1 ? share : 1);
	put_all_cells(out, plot, line->cells);
}

static void put_ratio(struct outbuf *out, const struct series *series,
		      const struct series_plot *plot, const struct plot_ratio *ratio)
{
	const struct plot_line *lines = plot->lines.data;

	out_printf(out, "{\"name\":\"%s\",\"unit\":\"%s\",\"of\":", ratio->kind->name,
		   ratio->kind->unit);
	out_json_text(out, series->names[lines[ratio->of].event]);
	out_text(out, ",\"by\":");
	out_json_text(out, series->names[lines[ratio->by].event]);
	out_printf(out, ",\"cpu\":%d", ratio->cpu);
	put_all_cells(out, plot, ratio->cells);
}

static void put_times(struct outbuf *out, const struct series *series,
		      const struct series_plot *plot)
{
	out_text(out, "\"t\":[");
	for (size_t i = 0; i < plot->times.len; i++) {
		if (i)
			out_char(out, ',');
		out_int(out, (int64_t)(plot->times.data[i] - series->head->start_ns), 0);
	}
	out_text(out, "],\"length\":[");
	for (size_t i = 0; i < plot->times.len; i++) {
		if (i)
			out_char(out, ',');
		out_u64(out, plot->lengths[i], 0);
	}
	out_text(out, "],");
}

static void put_resets(struct outbuf *out, const struct series_plot *plot)
{
	out_text(out, "\"resets\":[");
	vec_each (time, &plot->resets)
		out_printf(out, "%s\"%" PRIu64 "\"", time == plot->resets.data ? "" : ",", *time);
	out_text(out, "],");
}

/* One that goes on ends where the series does. */
static void put_pauses(struct outbuf *out, const struct series *series)
{
	uint64_t last = series->count ? series->rows[series->count - 1].time_ns : 0;

	out_text(out, "\"pauses\":[");
	vec_each (pause, &series->pauses)
		out_printf(out, "%s[\"%" PRIu64 "\",\"%" PRIu64 "\"]",
			   pause == series->pauses.data ? "" : ",", pause->from_ns,
			   pause->to_ns < last ? pause->to_ns : last);
	out_text(out, "],");
}

void series_plot_json(const struct series_subject *subject, const struct series_question *question,
		      struct outbuf *out)
{
	const struct series *series = subject->series;
	uint64_t start = series->head->start_ns;
	struct series_plot plot;

	series_plot_make(&plot, series, question);
	put_head(out, subject);
	put_cpus(out, series);
	out_json_ns(out, "first_ns", series->count ? series->rows[0].time_ns : start);
	out_json_ns(out, "last_ns",
		    series->count ? series->rows[series->count - 1].time_ns : start);
	out_json_ns(out, "from_ns", plot.from_ns);
	out_json_ns(out, "to_ns", plot.to_ns);
	out_printf(out, "\"points\":%zu,\"down_sampled\":%s,\"running\":%s,\"per\":\"%s\",",
		   plot.points, plot.down_sampled ? "true" : "false",
		   subject->running ? "true" : "false",
		   question->per_second ? "second" : "interval");
	put_resets(out, &plot);
	put_pauses(out, series);
	put_times(out, series, &plot);
	out_text(out, "\"lines\":[");
	vec_each (line, &plot.lines) {
		out_text(out, line == plot.lines.data ? "" : ",");
		put_line(out, series, &plot, line);
	}
	out_text(out, "],\"ratios\":[");
	vec_each (ratio, &plot.ratios) {
		out_text(out, ratio == plot.ratios.data ? "" : ",");
		put_ratio(out, series, &plot, ratio);
	}
	out_text(out, "]}");
	series_plot_free(&plot);
}

static void put_row(struct outbuf *out, const struct series_row *row)
{
	out_printf(out, "[\"%" PRIu64 "\",%d,%d,\"%" PRIu64 "\",\"%" PRIu64 "\",\"%" PRIu64 "\"]",
		   row->time_ns, (int32_t)row->event, row->cpu, row->value, row->enabled_ns,
		   row->running_ns);
}

void series_raw_json(const struct series_subject *subject, uint64_t from_ns, uint64_t to_ns,
		     uint64_t after, uint64_t limit, struct outbuf *out)
{
	const struct series *series = subject->series;
	size_t first = series_row_at(series, from_ns);
	size_t last = to_ns ? series_row_at(series, to_ns) : series->count;
	size_t total = last > first ? last - first : 0;
	size_t at = after < total ? (size_t)after : total;
	size_t end = limit < total - at ? at + (size_t)limit : total;

	put_head(out, subject);
	out_printf(out, "\"first_row\":%zu,\"total_rows\":%zu,\"rows\":[", at, total);
	for (size_t i = at; i < end; i++) {
		const struct series_row *row = &series->rows[first + i];

		out_text(out, i == at ? "" : ",");
		put_row(out, row);
	}
	out_text(out, "],\"next\":");
	if (end < total)
		out_u64(out, end, 0);
	else
		out_text(out, "null");
	out_char(out, '}');
}

/* ---- histogram ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct spread {
	double mean, deviation;
	double floor; /* where bars begin: for logarithms above nothing */
	double ceiling;
};

static void measure(struct spread *spread, const struct series_values *values, bool log)
{
	double sum = 0, squares = 0;
	size_t first = 0;

	vec_each (value, values)
		sum += *value;
	spread->mean = sum / (double)values->len;
	vec_each (value, values)
		squares += (*value - spread->mean) * (*value - spread->mean);
	spread->deviation = values->len > 1 ? sqrt(squares / (double)(values->len - 1)) : 0;
	while (log && first + 1 < values->len && values->data[first] <= 0)
		first++;
	spread->floor = log && values->data[first] < 1 ? 1 : values->data[first];
	spread->ceiling = *vec_last(values);
	if (!(spread->ceiling > spread->floor))
		spread->ceiling = spread->floor + 1;
}

static double edge_at(const struct spread *s, bool log, uint32_t bins, uint32_t i)
{
	double part = (double)i / bins;

	return log ? s->floor * pow(s->ceiling / s->floor, part)
		   : s->floor + (s->ceiling - s->floor) * part;
}

static void put_bars(struct outbuf *out, const struct series_values *values,
		     const struct spread *spread, const struct series_bars *bars)
{
	size_t at = 0;

	out_text(out, "\"edges\":[");
	for (uint32_t i = 0; i <= bars->bins; i++) {
		out_text(out, i ? "," : "");
		out_number(out, edge_at(spread, bars->log, bars->bins, i));
	}
	out_text(out, "],\"counts\":[");
	for (uint32_t i = 0; i < bars->bins; i++) {
		double end = edge_at(spread, bars->log, bars->bins, i + 1);
		size_t from = at;

		/* The last bar takes the highest value too, the first what is below it. */
		while (at < values->len && (values->data[at] < end || i + 1 == bars->bins))
			at++;
		out_text(out, i ? "," : "");
		out_u64(out, at - from, 0);
	}
	out_char(out, ']');
}

static void put_figure(struct outbuf *out, const char *key, double value)
{
	out_printf(out, "\"%s\":", key);
	out_number(out, value);
	out_char(out, ',');
}

static double rank(const struct series_values *values, double share)
{
	size_t at = (size_t)(share * (double)(values->len - 1) + 0.5);

	return values->data[at];
}

void series_histogram_json(const struct series_subject *subject, const struct series_bars *bars,
			   struct outbuf *out)
{
	const struct series *series = subject->series;
	struct series_values values = { 0 };
	struct spread spread;

	series_values_of(&values, series, bars->event, bars->cpu, bars->from_ns, bars->to_ns);
	out_printf(out, "{\"run\":%" PRId64 ",\"event\":", subject->run);
	out_json_text(out, series->names[bars->event]);
	out_printf(out, ",\"cpu\":%d,\"points\":%zu,\"scale\":\"%s\",", bars->cpu, values.len,
		   bars->log ? "log" : "linear");
	if (!values.len) {
		out_text(out, "\"min\":null,\"max\":null,\"mean\":null,\"median\":null,"
			      "\"p90\":null,\"p99\":null,\"deviation\":null,"
			      "\"edges\":[],\"counts\":[]}");
		return;
	}
	qsort(values.data, values.len, sizeof(*values.data), by_value);
	measure(&spread, &values, bars->log);
	put_figure(out, "min", values.data[0]);
	put_figure(out, "max", *vec_last(&values));
	put_figure(out, "mean", spread.mean);
	put_figure(out, "median", rank(&values, 0.5));
	put_figure(out, "p90", rank(&values, 0.9));
	put_figure(out, "p99", rank(&values, 0.99));
	put_figure(out, "deviation", spread.deviation);
	put_bars(out, &values, &spread, bars);
	out_char(out, '}');
	vec_free(&values);
}
