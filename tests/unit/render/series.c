// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/jsonread.h"
#include "base/outbuf.h"
#include "render/series_csv.h"
#include "render/series_json.h"
#include "render/series_write.h"
#include "test.h"

#include <errno.h>
#include <json-c/json_object.h>
#include <math.h>
#include <stdio.h>

#define START	 (1000 * NS_PER_SEC)
#define INTERVAL (10 * 1000000ull)

/* A file in memory; names are NUL-separated and fill 8 bytes. */
struct made {
	struct buf bytes;
	struct series series;
};

static void make(struct made *made, const char *names, size_t size, uint32_t events)
{
	struct series_head head = { .magic = SERIES_MAGIC,
				    .version = SERIES_PLAIN,
				    .events = events,
				    .rows_at = sizeof(head) + (size + 7) / 8 * 8,
				    .start_ns = START,
				    .interval_ns = INTERVAL };

	*made = (struct made){ 0 };
	buf_add(&made->bytes, &head, sizeof(head));
	buf_add(&made->bytes, names, size);
	while (made->bytes.len % 8)
		buf_putc(&made->bytes, 0);
}

static void add(struct made *made, uint64_t time, uint32_t event, int cpu, uint64_t value)
{
	struct series_row row = { .time_ns = time,
				  .event = event,
				  .cpu = cpu,
				  .value = value,
				  .enabled_ns = INTERVAL,
				  .running_ns = INTERVAL };

	buf_add(&made->bytes, &row, sizeof(row));
}

static void open_made(struct made *made)
{
	struct err err = { 0 };

	EXPECT_INT(series_of(&made->series, made->bytes.data, made->bytes.len, &err), 0);
}

static void done(struct made *made)
{
	series_close(&made->series);
	buf_free(&made->bytes);
}

#define CYCLES "cycles:u\0instructions:u\0page-faults"

/* Two cycles and three instructions a tick, on each of two CPUs. */
static void make_ticks(struct made *made, size_t ticks)
{
	make(made, CYCLES, sizeof(CYCLES), 3);
	for (size_t i = 1; i <= ticks; i++)
		for (int cpu = 0; cpu < 2; cpu++) {
			add(made, START + i * INTERVAL, 0, cpu, 2);
			add(made, START + i * INTERVAL, 1, cpu, i == ticks / 2 ? 300 : 3);
		}
	open_made(made);
}

TEST(series_is_read_as_far_as_it_is_written)
{
	struct made made;
	struct err err = { 0 };
	struct series series;

	make_ticks(&made, 10);
	EXPECT_INT(made.series.count, 40);
	EXPECT_TEXT(made.series.names[1], "instructions:u");
	EXPECT_INT(series_of(&series, made.bytes.data, made.bytes.len - 1, &err), 0);
	EXPECT_INT(series.count, 39);
	series_close(&series);
	EXPECT_INT(series_of(&series, made.bytes.data, 16, &err), -EAGAIN);
	EXPECT_INT(series_of(&series, made.bytes.data, sizeof(struct series_head), &err), -EAGAIN);
	EXPECT_INT(series_row_at(&made.series, START + 3 * INTERVAL), 8);
	done(&made);
}

TEST(series_of_something_else_is_refused)
{
	struct made made;
	struct err err = { 0 };
	struct series series;
	struct series_head *head;

	make_ticks(&made, 1);
	head = (void *)made.bytes.data;
	head->version = 9;
	EXPECT_INT(series_of(&series, head, made.bytes.len, &err), -EBADMSG);
	head->version = SERIES_VERSION;
	head->events = 100;
	EXPECT_INT(series_of(&series, head, made.bytes.len, &err), -EBADMSG);
	head->events = UINT32_MAX;
	EXPECT_INT(series_of(&series, head, made.bytes.len, &err), -EBADMSG);
	head->events = 2;
	head->rows_at = 3;
	EXPECT_INT(series_of(&series, head, made.bytes.len, &err), -EBADMSG);
	head->magic = 1;
	EXPECT_INT(series_of(&series, head, made.bytes.len, &err), -EBADMSG);
	done(&made);
}

/* A tick that comes late holds more, and a second no more than before. */
TEST(plot_per_second_goes_by_the_length_of_ticks)
{
	static const uint64_t lengths[] = { 1, 4, 1, 2 };
	struct series_question question = { .width = 100, .per_second = true };
	struct series_plot plot;
	struct made made;
	uint64_t time = START;

	make(&made, CYCLES, sizeof(CYCLES), 3);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		time += lengths[i] * INTERVAL;
		add(&made, time, 0, -1, 5 * lengths[i]);
	}
	open_made(&made);
	series_plot_make(&plot, &made.series, &question);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		EXPECT(fabs(plot.lines.data[0].cells[i].max - 500) < 1e-6);
	series_plot_free(&plot);
	question.width = 2;
	series_plot_make(&plot, &made.series, &question);
	EXPECT(plot.down_sampled);
	EXPECT(fabs(plot.lines.data[0].cells[1].sum / plot.lines.data[0].cells[1].weight - 500) <
	       1e-6);
	EXPECT_INT(plot.lines.data[0].total, 40);
	/* means over columns go by these, which are all of the time */
	EXPECT_INT(plot.lengths[0] + plot.lengths[1], 8 * INTERVAL);
	series_plot_free(&plot);
	done(&made);
}

/* Curves go on over a reset, totals begin anew. */
TEST(plot_begins_totals_anew_at_a_reset)
{
	for (uint32_t width = 3; width < 20; width += 8) {
		struct series_question question = { .width = width };
		struct series_plot plot;
		struct made made;
		double sum = 0;

		test_case("%u columns", width);
		make(&made, CYCLES, sizeof(CYCLES), 3);
		for (size_t i = 1; i <= 8; i++) {
			add(&made, START + i * INTERVAL, 0, -1, i);
			if (i == 2 || i == 5)
				add(&made, START + i * INTERVAL + 1, SERIES_RESET, -1, 0);
		}
		open_made(&made);
		series_plot_make(&plot, &made.series, &question);
		EXPECT_INT(plot.resets.len, 2);
		EXPECT_INT(plot.resets.data[1], START + 5 * INTERVAL + 1);
		EXPECT_INT(plot.times.len, width < 8 ? width : 8);
		EXPECT_INT(plot.points, 8);
		EXPECT_INT(plot.lines.data[0].total, 6 + 7 + 8);
		for (size_t i = 0; i < plot.times.len; i++)
			sum += plot.lines.data[0].cells[i].sum;
		EXPECT_INT((int)sum, 36);
		series_plot_free(&plot);
		done(&made);
	}
}

TEST(series_tells_units)
{
	const struct series_event events[] = { { "power/energy-pkg/", "Joules", 0x1p-32 },
					       { "faults", "", 1 } };
	struct series_row row = { .time_ns = 7, .cpu = -1, .value = UINT64_C(10) << 32 };
	FILE *file = tmpfile();
	struct series_writer writer;
	struct series_subject subject = { .run = 7 };
	struct series series;
	struct buf text = { 0 };
	struct outbuf out;
	struct err err = { 0 };

	EXPECT_INT(series_begin(&writer, fileno(file), events, 2, 5, 1, &err), 0);
	series_add(&writer, &row);
	series_add_mark(&writer, SERIES_RESET, 8);
	row = (struct series_row){ .time_ns = 9, .event = 1, .cpu = 3, .value = 4 };
	series_add(&writer, &row);
	EXPECT_INT(series_flush(&writer, &err), 0);
	series_end(&writer);
	EXPECT_INT(series_open_fd(&series, fileno(file), &err), 0);
	subject.series = &series;
	outbuf_init_memory(&out, &text);
	series_csv(&series, 0, 0, &out);
	series_plot_json(&subject, &(struct series_question){ 0 }, &out);
	outbuf_fini(&out);
	EXPECT_CONTAINS(text.data, "time_ns,event,cpu,value,enabled_ns,running_ns,scaled,unit\n"
				   "7,\"power/energy-pkg/\",,42949672960,0,0,10,\"Joules\"\n"
				   "9,\"faults\",3,4,0,0,4,\"\"\n{");
	EXPECT_CONTAINS(text.data, "\"units\":[\"Joules\",\"\"],"
				   "\"scales\":[2.3283064365386963e-10,1],");
	buf_free(&text);
	series_close(&series);
	fclose(file);
}

TEST(plot_of_few_ticks_shows_each)
{
	struct series_question question = { .width = 100 };
	struct series_plot plot;
	struct made made;

	make_ticks(&made, 10);
	series_plot_make(&plot, &made.series, &question);
	EXPECT(!plot.down_sampled);
	EXPECT_INT(plot.times.len, 10);
	EXPECT_INT(plot.lines.len, 2);
	EXPECT_INT(plot.times.data[9], START + 10 * INTERVAL);
	EXPECT_INT(plot.lines.data[0].total, 40);
	EXPECT(plot.lines.data[0].cells[3].sum == 4);
	EXPECT_INT(plot.ratios.len, 1);
	EXPECT_TEXT(plot.ratios.data[0].kind->name, "IPC");
	EXPECT(plot.ratios.data[0].cells[3].max == 1.5);
	EXPECT(plot.ratios.data[0].cells[4].max == 150);
	series_plot_free(&plot);
	done(&made);
}

/* On a busy machine a tick comes late, and the next right behind it. */
TEST(plot_keeps_late_ticks_apart)
{
	struct series_question question = { .width = 100 };
	struct series_plot plot;
	struct made made;

	make(&made, CYCLES, sizeof(CYCLES), 3);
	add(&made, START + 2 * INTERVAL - 10, 0, -1, 30);
	add(&made, START + 2 * INTERVAL, 0, -1, 1);
	open_made(&made);
	series_plot_make(&plot, &made.series, &question);
	EXPECT_INT(plot.times.len, 2);
	EXPECT(plot.lines.data[0].cells[0].max == 30);
	EXPECT(plot.lines.data[0].cells[1].max == 1);
	series_plot_free(&plot);
	done(&made);
}

/* Where a run ends an interval is cut: three in a tenth of it are no rate of thirty. */
TEST(plot_takes_no_extreme_from_a_part_of_an_interval)
{
	for (uint32_t width = 2; width < 20; width += 8) {
		struct series_question question = { .width = width, .per_second = true };
		struct series_plot plot;
		struct series_values values = { 0 };
		struct made made;
		double sum = 0, weight = 0, most = 0;

		test_case("%u columns", width);
		make(&made, CYCLES, sizeof(CYCLES), 3);
		for (uint64_t i = 1; i <= 5; i++)
			add(&made, START + i * INTERVAL, 0, -1, 5);
		add(&made, START + 5 * INTERVAL + INTERVAL / 10, 0, -1, 3);
		open_made(&made);
		series_plot_make(&plot, &made.series, &question);
		EXPECT_INT(plot.times.len, width < 5 ? width : 5);
		for (size_t i = 0; i < plot.times.len; i++) {
			const struct plot_cell *cell = &plot.lines.data[0].cells[i];

			sum += cell->sum;
			weight += cell->weight;
			most = cell->max > most ? cell->max : most;
		}
		EXPECT(fabs(most - 500) < 1e-6);
		EXPECT_INT((int)sum, 28);
		EXPECT(fabs(weight - 0.051) < 1e-9);
		EXPECT_INT(plot.lines.data[0].total, 28);
		series_plot_free(&plot);
		series_values_of(&values, &made.series, 0, -1, 0, 0);
		EXPECT_INT(values.len, 5);
		vec_free(&values);
		done(&made);
	}
}

/* A program that is over before an interval is has that part and nothing else. */
TEST(plot_of_less_than_an_interval)
{
	struct series_question question = { .width = 10, .per_second = true };
	struct series_values values = { 0 };
	struct series_plot plot;
	struct made made;

	make(&made, CYCLES, sizeof(CYCLES), 3);
	add(&made, START + INTERVAL / 10, 0, -1, 5);
	open_made(&made);
	series_plot_make(&plot, &made.series, &question);
	EXPECT_INT(plot.times.len, 1);
	EXPECT(fabs(plot.lines.data[0].cells[0].max - 5000) < 1e-6);
	series_plot_free(&plot);
	series_values_of(&values, &made.series, 0, -1, 0, 0);
	EXPECT_INT(values.len, 1);
	vec_free(&values);
	done(&made);
}

/* What nobody counted is not zero: a gap, which is in no mean, and cut intervals on both sides. */
TEST(plot_leaves_pauses_out)
{
	for (uint32_t width = 7; width < 40; width += 16) {
		struct series_question question = { .width = width, .per_second = true };
		struct series_values values = { 0 };
		struct series_plot plot;
		struct made made;
		double sum = 0, weight = 0, least = 1e9, most = 0;
		size_t gaps = 0;

		test_case("%u columns", width);
		make(&made, CYCLES, sizeof(CYCLES), 3);
		for (uint64_t i = 1; i <= 10; i++)
			add(&made, START + i * INTERVAL, 0, -1, 50);
		add(&made, START + 10 * INTERVAL + INTERVAL / 5, 0, -1, 10);
		add(&made, START + 10 * INTERVAL + INTERVAL / 5 + 1, SERIES_PAUSE, -1, 0);
		for (uint64_t i = 11; i <= 20; i++)
			add(&made, START + i * INTERVAL, 0, -1, 0);
		add(&made, START + 21 * INTERVAL - INTERVAL / 5, 0, -1, 0);
		add(&made, START + 21 * INTERVAL - INTERVAL / 5 + 1, SERIES_RESUME, -1, 0);
		add(&made, START + 21 * INTERVAL, 0, -1, 10);
		add(&made, START + 22 * INTERVAL, 0, -1, 50);
		open_made(&made);
		series_plot_make(&plot, &made.series, &question);
		for (size_t i = 0; i < plot.times.len; i++) {
			const struct plot_cell *cell = &plot.lines.data[0].cells[i];

			gaps += !(cell->weight > 0);
			sum += cell->sum;
			weight += cell->weight;
			least = cell->min < least ? cell->min : least;
			most = cell->max > most ? cell->max : most;
		}
		EXPECT(gaps >= 1);
		EXPECT(fabs(sum / weight - 5000) < 1);
		EXPECT(fabs(least - 5000) < 1 && fabs(most - 5000) < 1);
		EXPECT_INT(plot.lines.data[0].total, 570);
		series_plot_free(&plot);
		/* from within the pause */
		question.from_ns = START + 15 * INTERVAL;
		series_plot_make(&plot, &made.series, &question);
		EXPECT(!(plot.lines.data[0].cells[0].weight > 0));
		series_plot_free(&plot);
		series_values_of(&values, &made.series, 0, -1, 0, 0);
		EXPECT_INT(values.len, 11);
		vec_free(&values);
		done(&made);
	}
}

/* One tick of a thousand has a peak: it is there whatever the width. */
TEST(plot_keeps_peaks)
{
	for (uint32_t width = 1; width < 40; width += 7) {
		struct series_question question = { .width = width };
		struct series_plot plot;
		struct made made;
		double most = 0, sum = 0;

		test_case("%u columns", width);
		make_ticks(&made, 1000);
		series_plot_make(&plot, &made.series, &question);
		EXPECT(plot.down_sampled);
		EXPECT_INT(plot.times.len, width);
		EXPECT_INT(plot.points, 4000);
		for (size_t i = 0; i < plot.times.len; i++) {
			most = fmax(most, plot.lines.data[1].cells[i].max);
			sum += plot.lines.data[1].cells[i].sum;
			EXPECT(plot.lines.data[1].cells[i].min == 6);
		}
		EXPECT(most == 600);
		EXPECT_INT((int)sum, 999 * 6 + 600);
		series_plot_free(&plot);
		done(&made);
	}
}

TEST(plot_of_a_range_and_of_one_cpu)
{
	struct cpuset cpus = { 0 };
	uint8_t events[3] = { 1, 0, 0 };
	struct series_question question = { .from_ns = START + 3 * INTERVAL,
					    .to_ns = START + 6 * INTERVAL,
					    .events = events,
					    .each_cpu = true,
					    .cpus = &cpus };
	struct series_plot plot;
	struct made made;
	struct err err = { 0 };

	EXPECT_INT(cpuset_parse(&cpus, "1", &err), 0);
	make_ticks(&made, 10);
	series_plot_make(&plot, &made.series, &question);
	EXPECT_INT(plot.times.len, 3);
	EXPECT_INT(plot.lines.len, 1);
	EXPECT_INT(plot.lines.data[0].cpu, 1);
	EXPECT_INT(plot.lines.data[0].total, 6);
	EXPECT_INT(plot.ratios.len, 0);
	series_plot_free(&plot);
	cpuset_free(&cpus);
	done(&made);
}

/* A clock is divided by the time between ticks, the first one's too; no ratio repeats it. */
TEST(plot_divides_clocks_by_time)
{
	struct series_plot plot;
	struct made made;

	make(&made, "task-clock", sizeof("task-clock"), 1);
	for (size_t i = 5; i < 8; i++)
		add(&made, START + i * INTERVAL, 0, -1, INTERVAL / 2);
	open_made(&made);
	series_plot_make(
		&plot, &made.series,
		&(struct series_question){ .from_ns = START + 6 * INTERVAL, .per_second = true });
	EXPECT_INT(plot.ratios.len, 0);
	EXPECT(plot.lines.data[0].cells[0].max == 0.5e9);
	series_plot_free(&plot);
	done(&made);
}

/* Damaged rows are passed over, times that jump break nothing. */
TEST(plot_survives_bad_rows)
{
	struct series_question question = { .width = 2 };
	struct series_plot plot;
	struct made made;

	make(&made, CYCLES, sizeof(CYCLES), 3);
	add(&made, UINT64_MAX, 0, -1, 1);
	add(&made, 5, 0, -7, 1);
	add(&made, 3, 77, 0, 1);
	add(&made, 0, 2, 65535, UINT64_MAX);
	for (uint64_t i = 0; i < 64; i++)
		add(&made, UINT64_C(1) << i, (uint32_t)i % 3, (int)(i % 5) - 1, i);
	open_made(&made);
	series_plot_make(&plot, &made.series, &question);
	series_plot_free(&plot);
	question = (struct series_question){ .width = 100, .each_cpu = true };
	series_plot_make(&plot, &made.series, &question);
	series_plot_free(&plot);
	done(&made);
}

static struct json_object *parsed(struct outbuf *out, struct buf *text)
{
	struct json_object *json;
	struct err err = { 0 };

	outbuf_fini(out);
	json = jsonread(text->data, text->len, "answer", &err);
	EXPECT(json);
	buf_free(text);
	return json;
}

static int64_t number(struct json_object *json, const char *key)
{
	return json_object_get_int64(json_object_object_get(json, key));
}

TEST(series_answers_are_json)
{
	struct series_subject subject = { .run = 7 };
	struct buf text = { 0 };
	struct json_object *json, *lines;
	struct outbuf out;
	struct made made;

	make_ticks(&made, 10);
	subject.series = &made.series;
	outbuf_init_memory(&out, &text);
	series_plot_json(&subject, &(struct series_question){ .width = 5 }, &out);
	json = parsed(&out, &text);
	EXPECT_INT(number(json, "run"), 7);
	EXPECT_INT(json_object_array_length(json_object_object_get(json, "t")), 5);
	EXPECT_INT(json_object_array_length(json_object_object_get(json, "cpus")), 2);
	lines = json_object_object_get(json, "lines");
	EXPECT_INT(json_object_array_length(lines), 2);
	EXPECT_INT(number(json_object_array_get_idx(lines, 1), "total"), 9 * 6 + 600);
	json_object_put(json);

	outbuf_init_memory(&out, &text);
	series_raw_json(&subject, START + 2 * INTERVAL, 0, 4, 3, &out);
	json = parsed(&out, &text);
	EXPECT_INT(number(json, "total_rows"), 36);
	EXPECT_INT(number(json, "next"), 7);
	EXPECT_INT(json_object_array_length(json_object_object_get(json, "rows")), 3);
	json_object_put(json);
	done(&made);
}

TEST(series_histogram_counts_every_point_once)
{
	for (int log = 0; log < 2; log++) {
		struct series_subject subject = { .run = 7 };
		struct series_bars bars = { .event = 1, .cpu = -1, .bins = 8, .log = log };
		struct buf text = { 0 };
		struct json_object *json, *counts;
		struct outbuf out;
		struct made made;
		int64_t sum = 0;

		make_ticks(&made, 10);
		subject.series = &made.series;
		outbuf_init_memory(&out, &text);
		series_histogram_json(&subject, &bars, &out);
		json = parsed(&out, &text);
		counts = json_object_object_get(json, "counts");
		EXPECT_INT(json_object_array_length(counts), 8);
		for (size_t i = 0; i < 8; i++)
			sum += json_object_get_int64(json_object_array_get_idx(counts, i));
		EXPECT_INT(sum, 10);
		EXPECT_INT(json_object_get_int64(json_object_array_get_idx(counts, 7)), 1);
		EXPECT_INT(number(json, "max"), 600);
		EXPECT_INT(number(json, "median"), 6);
		json_object_put(json);
		done(&made);
	}
}
