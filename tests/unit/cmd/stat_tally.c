// SPDX-License-Identifier: Apache-2.0
/*
 * From counters to the table, on a kernel for tests: a hardware event with config n counts n + 1
 * things per nanosecond that it runs, so a count tells which event it is and for how long it ran.
 */
#include "cmd/stat_tally.h"
#include "base/buf.h"
#include "base/clock.h"
#include "cmd/stat_mean.h"
#include "cmd/stat_passes.h"
#include "record/fakekernel.h"
#include "test.h"

struct scene {
	struct event_list events;
	struct target target;
	struct tally_options options;
	struct counters *counters;
	struct tally *tally;
};

static struct event *add(struct scene *scene, const char *name, uint32_t type, uint64_t config)
{
	enum event_kind kind = type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE;
	struct event *event = event_list_add(&scene->events, kind, type, config);

	event->name = name;
	return event;
}

static void on_cpus(struct scene *scene, const char *cpus)
{
	scene->target.kind = TARGET_CPUS;
	EXPECT_INT(cpuset_parse(&scene->target.cpus, cpus, NULL), 0);
}

static void on_threads(struct scene *scene, pid_t first, int count)
{
	scene->target.kind = TARGET_TASKS;
	scene->target.source = TARGET_FROM_TIDS;
	for (int i = 0; i < count; i++)
		*vec_push(&scene->target.tasks) = (struct target_task){ .pid = first + i,
									.tid = first + i };
}

static void begin(struct scene *scene)
{
	struct counters_options options = {
		.sys = &fake_sys,
		.command = 42,
		.each_cgroup = scene->options.each_cgroup,
	};
	struct err err = { 0 };

	if (!scene->tally)
		scene->tally = tally_new(&scene->events, &scene->target, &scene->options);
	counters_close(scene->counters);
	scene->counters = counters_open(&scene->events, &scene->target, &options, &err);
	EXPECT_TEXT(err.text, "");
	tally_begin(scene->tally, scene->counters);
	EXPECT_INT(counters_enable(scene->counters, &err), 0);
}

static struct tally_clocks clocks;

static const struct stat_table *count_ms(struct scene *scene, int ms, bool interval)
{
	fake_run_ms(ms);
	clocks.elapsed_ns += ms * NS_PER_MSEC;
	EXPECT_INT(counters_read(scene->counters, NULL), 0);
	if (interval)
		tally_interval(scene->tally, &clocks);
	else
		tally_total(scene->tally, &clocks);
	return tally_table(scene->tally);
}

static void end(struct scene *scene)
{
	counters_close(scene->counters);
	tally_free(scene->tally);
	vec_free(&scene->target.tasks);
	vec_free(&scene->target.cgroups);
	cpuset_free(&scene->target.cpus);
	event_list_free(&scene->events);
	EXPECT_INT(fake_open_fds(), 0);
	fake_shutdown();
}

TEST(tally_adds_cpus_up)
{
	struct scene scene = { 0 };
	const struct stat_table *table;

	fake_boot(4);
	add(&scene, "cycles", PERF_TYPE_HARDWARE, 0);
	on_cpus(&scene, "0-2");
	begin(&scene);
	table = count_ms(&scene, 10, false);
	EXPECT_INT(table->places, 1);
	EXPECT_INT(table->columns, 1);
	EXPECT(table->column[0].supported);
	EXPECT_NEAR(table->cells[0].count, 3 * 10e6, 1);
	EXPECT_INT(table->cells[0].enabled, 3 * 10000000);
	EXPECT_INT(table->place[0].cpus, 3);
	end(&scene);
}

TEST(tally_keeps_cpus_apart)
{
	struct scene scene = { .options = { .by = STAT_BY_CPU } };
	const struct stat_table *table;

	fake_boot(4);
	add(&scene, "instructions", PERF_TYPE_HARDWARE, 1);
	on_cpus(&scene, "1,3");
	begin(&scene);
	table = count_ms(&scene, 10, false);
	EXPECT_INT(table->places, 2);
	EXPECT_INT(table->place[0].cpu, 1);
	EXPECT_INT(table->place[1].cpu, 3);
	EXPECT_NEAR(table->cells[1].count, 2 * 10e6, 1);
	end(&scene);
}

TEST(tally_leaves_out_cpus_of_other_pmus)
{
	struct scene scene = { .options = { .by = STAT_BY_CPU } };
	const struct stat_table *table;
	struct event *uncore;

	fake_boot(4);
	add(&scene, "cycles", PERF_TYPE_HARDWARE, 0);
	uncore = add(&scene, "uncore", PERF_TYPE_RAW, 5);
	uncore->cpu_wide_only = true;
	*vec_push(&uncore->cpus) = 0;
	on_cpus(&scene, "0-1");
	begin(&scene);
	table = count_ms(&scene, 1, false);
	EXPECT(!table->cells[0 * 2 + 1].absent);
	EXPECT(table->cells[1 * 2 + 1].absent);
	EXPECT(!table->cells[1 * 2 + 0].absent);
	end(&scene);
}

TEST(tally_scales_what_was_multiplexed)
{
	struct scene scene = { .target.kind = TARGET_COMMAND };
	const struct stat_table *table;

	fake_boot(2);
	for (uint64_t i = 0; i < 5; i++)
		add(&scene, "event", PERF_TYPE_HARDWARE, i);
	begin(&scene);
	table = count_ms(&scene, 100, false);
	for (size_t i = 0; i < 5; i++) {
		const struct stat_cell *cell = &table->cells[i];

		test_case("event %zu", i);
		EXPECT(cell->counted);
		EXPECT(cell->running < cell->enabled);
		/* it counts steadily, so the estimate is what it would have been */
		EXPECT_NEAR(cell->count, (double)(i + 1) * 100e6, 2);
	}
	end(&scene);
}

/* --scale is the default; --no-scale */
TEST(tally_without_scaling_shows_what_was_counted)
{
	struct scene scene = { .target.kind = TARGET_COMMAND, .options.no_scale = true };
	const struct stat_table *table;

	fake_boot(1);
	add(&scene, "a", PERF_TYPE_HARDWARE, 0);
	add(&scene, "b", PERF_TYPE_HARDWARE, 0);
	begin(&scene);
	table = count_ms(&scene, 100, false);
	EXPECT_NEAR(table->cells[0].count, (double)table->cells[0].running, 1);
	EXPECT(table->cells[0].count < 100e6);
	end(&scene);
}

TEST(tally_intervals_are_differences)
{
	struct scene scene = { .target.kind = TARGET_COMMAND };
	const struct stat_table *table;

	fake_boot(2);
	add(&scene, "cycles", PERF_TYPE_HARDWARE, 0);
	begin(&scene);
	EXPECT_NEAR(count_ms(&scene, 10, true)->cells[0].count, 10e6, 1);
	EXPECT_NEAR(count_ms(&scene, 3, true)->cells[0].count, 3e6, 1);
	EXPECT_NEAR(tally_table(scene.tally)->elapsed_ns, 3e6, 1);
	EXPECT_NEAR(count_ms(&scene, 0, false)->cells[0].count, 13e6, 1);

	/* after a reset the next interval begins at zero, and so does the whole */
	fake_run_ms(4);
	clocks.elapsed_ns += 4 * NS_PER_MSEC;
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	tally_reset(scene.tally, &clocks);
	EXPECT_NEAR(count_ms(&scene, 2, true)->cells[0].count, 2e6, 1);
	EXPECT_NEAR(tally_table(scene.tally)->elapsed_ns, 2e6, 1);
	table = count_ms(&scene, 0, false);
	EXPECT_NEAR(table->cells[0].count, 2e6, 1);
	EXPECT_INT(table->cells[0].enabled, 2000000);
	end(&scene);
}

TEST(tally_events_that_do_not_open)
{
	struct scene scene = { .target.kind = TARGET_COMMAND };
	const struct stat_table *table;

	fake_boot(0);
	add(&scene, "cycles", PERF_TYPE_HARDWARE, 0);
	add(&scene, "faults", PERF_TYPE_SOFTWARE, 2);
	begin(&scene);
	table = count_ms(&scene, 5, false);
	EXPECT(!table->column[0].supported);
	EXPECT(!table->cells[0].counted);
	EXPECT(table->column[1].supported);
	EXPECT(table->cells[1].counted);
	end(&scene);
}

TEST(tally_names_what_is_user_only)
{
	static const struct {
		const char *name, *shown;
	} cases[] = {
		{ "cycles", "cycles:u" },
		{ "cycles:p", "cycles:pu" },
		{ "cpu/event=1/", "cpu/event=1/u" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene scene = { .target.kind = TARGET_COMMAND };

		test_case("%s", cases[i].name);
		fake_boot(2);
		fake.paranoid = 2;
		add(&scene, cases[i].name, PERF_TYPE_HARDWARE, 0);
		begin(&scene);
		EXPECT_TEXT(count_ms(&scene, 1, false)->column[0].name, cases[i].shown);
		end(&scene);
	}
}

/* Two events on two PMUs under one name. */
static void add_twins(struct scene *scene)
{
	struct event *one = add(scene, "clockticks", PERF_TYPE_RAW, 1), *two;

	one->several = true;
	one->pmu = "uncore_0";
	two = add(scene, "clockticks", PERF_TYPE_RAW, 2);
	two->several = true;
	two->pmu = "uncore_1";
	two->same_as = 0;
}

/* and with --no-merge they stay apart */
TEST(tally_merges_events_of_one_name)
{
	struct scene scene = { .target.kind = TARGET_COMMAND };
	const struct stat_table *table;

	fake_boot(4);
	add_twins(&scene);
	begin(&scene);
	table = count_ms(&scene, 10, false);
	EXPECT_INT(table->columns, 1);
	EXPECT_NEAR(table->cells[0].count, (2 + 3) * 10e6, 1);
	end(&scene);

	scene = (struct scene){ .target.kind = TARGET_COMMAND, .options.no_merge = true };
	fake_boot(4);
	add_twins(&scene);
	begin(&scene);
	table = count_ms(&scene, 10, false);
	EXPECT_INT(table->columns, 2);
	EXPECT_TEXT(table->column[0].name, "clockticks [uncore_0]");
	EXPECT_TEXT(table->column[1].name, "clockticks [uncore_1]");
	EXPECT_NEAR(table->cells[1].count, 3 * 10e6, 1);
	end(&scene);
}

TEST(tally_every_event_in_every_cgroup)
{
	struct scene scene = { .options.each_cgroup = true };
	const struct stat_table *table;
	char one[] = "one", two[] = "two";

	fake_boot(8);
	add(&scene, "a", PERF_TYPE_HARDWARE, 0);
	add(&scene, "b", PERF_TYPE_HARDWARE, 1);
	on_cpus(&scene, "0-1");
	scene.target.kind = TARGET_CGROUPS;
	*vec_push(&scene.target.cgroups) = (struct target_cgroup){ one, 7 };
	*vec_push(&scene.target.cgroups) = (struct target_cgroup){ two, 8 };
	begin(&scene);
	table = count_ms(&scene, 1, false);
	EXPECT_INT(table->columns, 4);
	EXPECT_TEXT(table->column[1].name, "b");
	EXPECT_TEXT(table->column[1].cgroup, "one");
	EXPECT_TEXT(table->column[2].name, "a");
	EXPECT_TEXT(table->column[2].cgroup, "two");
	EXPECT_INT(table->place[0].cpus, 2);
	for (size_t i = 0; i < 4; i++)
		EXPECT(table->cells[i].counted);
	end(&scene);
}

TEST(tally_threads_and_clocks)
{
	struct scene scene = { .options.by = STAT_BY_THREAD };
	const struct stat_table *table;
	struct event *duration;

	fake_boot(2);
	add(&scene, "faults", PERF_TYPE_SOFTWARE, 2);
	duration = add(&scene, "duration_time", 0, 0);
	duration->kind = EVENT_TOOL;
	duration->tool = TOOL_DURATION_TIME;
	on_threads(&scene, 700, 3);
	begin(&scene);
	table = count_ms(&scene, 4, true);
	EXPECT_INT(table->places, 3);
	EXPECT_INT(table->place[2].tid, 702);
	EXPECT(table->cells[0 * 2 + 1].counted); /* the clock stands at the first place */
	EXPECT(!table->cells[1 * 2 + 1].counted);
	end(&scene);
}

/* ---- several runs ---- */

TEST(mean_and_its_error)
{
	static const double counts[] = { 90, 100, 110 };
	struct stat_mean *mean = stat_mean_new();
	struct event event = { .name = "faults", .unit = "", .scale = 1 };
	struct stat_column column = { &event, "faults", NULL, true };
	const struct stat_table *result;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct stat_place place = { .cpu = -1, .tid = -1, .comm = "" };
		struct stat_cell cell = {
			.count = counts[i], .enabled = 10, .running = 5, .counted = true
		};
		struct stat_table table = { 1, 1, &column, &place, &cell, 1e9 * (double)(i + 1) };

		stat_mean_add(mean, &table);
	}
	result = stat_mean_table(mean);
	EXPECT_NEAR(result->cells[0].count, 100, 1e-9);
	/* deviation 10, over the root of 3: 5.77 % of 100 */
	EXPECT_NEAR(result->cells[0].spread, 5.7735, 1e-3);
	EXPECT_INT(result->cells[0].enabled, 10);
	EXPECT_NEAR(result->elapsed_ns, 2e9, 1);
	stat_mean_free(mean);
}

TEST(mean_of_threads_that_come_and_go)
{
	struct stat_mean *mean = stat_mean_new();
	struct event event = { .name = "faults", .unit = "", .scale = 1 };
	struct stat_column column = { &event, "faults", NULL, true };
	struct stat_place places[] = { { .tid = 5, .comm = "stays" },
				       { .tid = 9, .comm = "goes" } };
	struct stat_cell cells[] = { { .count = 10, .enabled = 1, .running = 1, .counted = true },
				     { .count = 70, .enabled = 1, .running = 1, .counted = true } };
	struct stat_table table = { 1, 2, &column, places, cells, 1e9 };
	const struct stat_table *result;

	stat_mean_add(mean, &table);
	cells[0].count = 20;
	table.places = 1;
	stat_mean_add(mean, &table);
	result = stat_mean_table(mean);
	EXPECT_INT(result->places, 2);
	EXPECT_NEAR(result->cells[0].count, 15, 1e-9);
	EXPECT_NEAR(result->cells[1].count, 70, 1e-9);
	EXPECT_TEXT(result->place[1].comm, "goes");
	stat_mean_free(mean);
}

TEST(passes_count_all_of_the_time)
{
	struct scene scene = { .target.kind = TARGET_COMMAND };
	struct counters_options options = { .sys = &fake_sys, .command = 42 };
	struct tally_clocks ten_ms = { .elapsed_ns = 10 * NS_PER_MSEC };
	const struct stat_table *table;
	struct passes passes;
	struct plan plan;

	fake_boot(2);
	add(&scene, "faults", PERF_TYPE_SOFTWARE, 2);
	for (uint64_t i = 0; i < 5; i++)
		add(&scene, "event", PERF_TYPE_HARDWARE, i);
	plan_make(&plan, &scene.events, &fake_sys);
	EXPECT_INT(plan.passes, 3);
	passes_init(&passes, &scene.events, &scene.target, &scene.options, &plan);
	passes_begin(&passes);
	vec_each (pass, &passes.list) {
		struct counters *counters = counters_open(pass->events, &scene.target, &options,
							  NULL);

		tally_begin(pass->tally, counters);
		EXPECT_INT(counters_enable(counters, NULL), 0);
		fake_run_ms(10);
		EXPECT_INT(counters_read(counters, NULL), 0);
		tally_total(pass->tally, &ten_ms);
		passes_take(&passes, pass);
		counters_close(counters);
	}
	table = passes_table(&passes);
	EXPECT_INT(table->columns, 6);
	for (size_t i = 1; i < 6; i++) {
		test_case("event %zu", i);
		EXPECT_NEAR(table->cells[i].count, (double)i * 10e6, 1);
		EXPECT_INT(table->cells[i].running, table->cells[i].enabled);
	}
	EXPECT_NEAR(table->cells[0].count, 3 * 10e6, 1); /* in every pass, and shown as the mean */
	EXPECT_NEAR(table->elapsed_ns, 10e6, 1);
	passes_fini(&passes);
	plan_fini(&plan);
	end(&scene);
}
