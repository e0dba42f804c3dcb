// SPDX-License-Identifier: Apache-2.0
/* Samples over time: lanes, single samples, flame charts. */
#include "made.h"
#include "profile/chart.h"
#include "profile/lanes.h"
#include "profile/moments.h"
#include "test.h"

#include <errno.h>

#define MS 1000000u

static void add(struct profile *profile, uint64_t time, uint32_t thread, uint16_t cpu,
		const char *frames, uint64_t weight)
{
	profile_add(profile, &(struct profile_row){ .time = time,
						    .weight = weight,
						    .stack = made_stack(profile, frames),
						    .thread = thread,
						    .cpu = cpu });
}

/* Its event is no clock. */
static void made_cycles(struct profile *profile)
{
	profile->events.data[0].name = interner_add(&profile->strings, "cycles");
	profile->events.data[0].unit = interner_add(&profile->strings, "");
}

/* Thread 1 on CPU 0 each ms; thread 2 on CPU 3 for two of ten of them, under two names. */
static struct profile *two_threads(void)
{
	struct profile *profile = made_profile();
	uint32_t young = made_thread(profile, 7, 2, "sh"), old = made_thread(profile, 7, 2, "awk");

	made_cycles(profile);
	for (uint64_t i = 0; i < 10; i++) {
		add(profile, 1000 + i * MS, 0, 0, i < 5 ? "main;work;sort" : "main;work", 5 + i);
		if (i == 4 || i == 9)
			add(profile, 1001 + i * MS, i == 4 ? young : old, 3, "main", 1);
	}
	return profile;
}

TEST(lanes_of_cpus)
{
	struct lanes_options options = { .kind = LANE_CPU, .columns = 10, .limit = 10 };
	struct profile *profile = two_threads();
	struct err err = { 0 };
	struct lanes lanes;

	EXPECT_INT(profile_lanes(&lanes, profile, &options, &err), 0);
	EXPECT_INT(lanes.items.len, 2);
	EXPECT_INT(lanes.items.data[0].cpu, 0);
	EXPECT_INT(lanes.items.data[1].cpu, 3);
	EXPECT_INT(lanes.items.data[1].samples, 2);
	EXPECT_INT(lanes.samples, 12);
	EXPECT_INT(lanes.from, 1000);
	EXPECT_INT(lanes.to, 1002 + 9 * MS);
	EXPECT_INT(lanes.items.data[1].counts[4] + lanes.items.data[1].counts[5], 1);
	EXPECT_INT(lanes.items.data[1].counts[9], 1);
	lanes_free(&lanes);
	options.limit = 1;
	options.filter.time_from = 1000 + 5 * MS;
	EXPECT_INT(profile_lanes(&lanes, profile, &options, &err), 0);
	EXPECT_INT(lanes.items.len, 1);
	EXPECT_INT(lanes.left_out, 1);
	EXPECT_INT(lanes.items.data[0].samples, 5);
	EXPECT_INT(lanes.from, 1000 + 5 * MS);
	lanes_free(&lanes);
	options.columns = 0;
	EXPECT_INT(profile_lanes(&lanes, profile, &options, &err), -EINVAL);
	profile_free(profile);
}

TEST(lanes_of_threads_join_their_names)
{
	struct lanes_options options = { .kind = LANE_THREAD, .columns = 2, .limit = 10 };
	struct profile *profile = two_threads(), *empty = made_profile();
	struct err err = { 0 };
	struct lanes lanes;

	EXPECT_INT(profile_lanes(&lanes, profile, &options, &err), 0);
	EXPECT_INT(lanes.items.len, 2);
	EXPECT_INT(profile->threads.data[lanes.items.data[0].thread].tid, 1);
	EXPECT_INT(lanes.items.data[0].counts[0], 5);
	EXPECT_INT(lanes.items.data[0].counts[1], 5);
	EXPECT_INT(lanes.items.data[1].samples, 2);
	EXPECT_INT(lanes.most, 5);
	lanes_free(&lanes);
	EXPECT_INT(profile_lanes(&lanes, empty, &options, &err), 0);
	EXPECT_INT(lanes.items.len, 0);
	lanes_free(&lanes);
	profile_free(empty);
	profile_free(profile);
}

TEST(moments_keep_outliers)
{
	struct profile *profile = made_profile();
	struct moments moments;
	struct err err = { 0 };
	bool low = false, high = false;

	for (uint64_t i = 0; i < 1000; i++)
		made_sample(profile, i * 100, "main", i == 333 ? 1 : i == 777 ? 900 : 50);
	EXPECT_INT(profile_moments(&moments, profile, &(struct profile_filter){ 0 }, 7, &err), 0);
	EXPECT(moments.down_sampled);
	EXPECT_INT(moments.taken, 1000);
	EXPECT(moments.rows.len >= 7 && moments.rows.len <= 14);
	for (size_t i = 0; i < moments.rows.len; i++) {
		low |= moments.rows.data[i] == 333;
		high |= moments.rows.data[i] == 777;
		EXPECT(!i || moments.rows.data[i - 1] < moments.rows.data[i]);
	}
	EXPECT(low && high);
	moments_free(&moments);
	EXPECT_INT(profile_moments(&moments, profile,
				   &(struct profile_filter){ .time_from = 99000 }, 7, &err),
		   0);
	EXPECT(!moments.down_sampled);
	EXPECT_INT(moments.rows.len, 10);
	moments_free(&moments);
	profile_free(profile);
}

static const char *name(const struct profile *profile, const struct chart *chart, size_t span)
{
	return profile_function_name(profile, chart->spans.data[span].function);
}

TEST(chart_joins_what_neighbours_share)
{
	struct chart_options options = { .tid = 1, .columns = 100 };
	struct profile *profile = two_threads();
	struct err err = { 0 };
	struct chart chart;

	EXPECT_INT(profile_chart(&chart, profile, &options, &err), 0);
	EXPECT_INT(chart.taken, 10);
	EXPECT_INT(chart.depth, 3);
	EXPECT_INT(chart.spans.len, 3);
	EXPECT_TEXT(name(profile, &chart, 0), "main");
	EXPECT_INT(chart.spans.data[0].samples, 10);
	EXPECT_INT(chart.spans.data[0].end - chart.spans.data[0].start, 10 * MS);
	EXPECT_TEXT(name(profile, &chart, 2), "sort");
	EXPECT_INT(chart.spans.data[2].level, 2);
	EXPECT_INT(chart.spans.data[2].end - chart.spans.data[2].start, 5 * MS);
	chart_free(&chart);
	options.columns = 2;
	EXPECT_INT(profile_chart(&chart, profile, &options, &err), 0);
	EXPECT(chart.down_sampled);
	EXPECT_INT(chart.spans.data[0].samples, 2);
	chart_free(&chart);
	options.tid = 99;
	EXPECT_INT(profile_chart(&chart, profile, &options, &err), -ENOENT);
	profile_free(profile);
}

/* A thread that was away has no span there, and what it did before does not go on behind. */
TEST(chart_shows_gaps)
{
	struct chart_options options = { .tid = 1, .columns = 100 };
	struct profile *profile = made_profile();
	struct err err = { 0 };
	struct chart chart;

	for (uint64_t i = 0; i < 10; i++)
		made_sample(profile, (i < 5 ? i : i + 100) * MS, "main", 1);
	EXPECT_INT(profile_chart(&chart, profile, &options, &err), 0);
	EXPECT_INT(chart.spans.len, 2);
	EXPECT_INT(chart.spans.data[0].end, 5 * MS);
	EXPECT_INT(chart.spans.data[1].start, 105 * MS);
	chart_free(&chart);
	profile_free(profile);
}

/* Three intervals are a gap, also for a thread that hardly ever runs and where rows are left out.
 */
TEST(chart_breaks_after_two_intervals)
{
	static const struct {
		const char *label;
		unsigned run, pause; /* samples of a millisecond, and what follows */
		uint32_t columns;
	} cases[] = {
		{ "short pauses", 4, 2, 1000 },
		{ "mostly away", 1, 50, 1000 },
		{ "more samples than columns", 100, 40, 300 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct chart_options options = { .tid = 1, .columns = cases[i].columns };
		struct profile *profile = made_profile();
		struct err err = { 0 };
		uint64_t time = 0, shown = 0;
		struct chart chart;

		test_case("%s", cases[i].label);
		for (unsigned round = 0; round < 20; round++, time += cases[i].pause * MS)
			for (unsigned n = 0; n < cases[i].run; n++, time += MS)
				made_sample(profile, time, "main", MS);
		profile->events.data[0].unit = interner_add(&profile->strings, "ns");
		EXPECT_INT(profile_interval(profile, 0), MS);
		EXPECT_INT(profile_chart(&chart, profile, &options, &err), 0);
		EXPECT_INT(chart.spans.len, 20);
		vec_each (span, &chart.spans)
			shown += span->end - span->start;
		EXPECT_INT(shown, 20 * cases[i].run * MS);
		chart_free(&chart);
		profile_free(profile);
	}
}

/* Of what is no clock the samples of running threads tell, whatever the pauses. */
TEST(interval_of_other_events)
{
	struct profile *profile = made_profile();
	uint32_t other = made_thread(profile, 7, 2, "sh");
	uint64_t time = 1;

	made_cycles(profile);
	for (unsigned i = 0; i < 90; i++, time += i % 3 ? 2 * MS : 70 * MS) {
		add(profile, time, 0, 0, "main", 100);
		add(profile, time + MS / 2, other, 1, "main", 100);
	}
	EXPECT_INT(profile_interval(profile, 0), 2 * MS);
	profile_free(profile);
}
