// SPDX-License-Identifier: Apache-2.0
/* Options of stat that stand for events, on machines whose sysfs is made up. */
#include "cmd/stat_events.h"
#include "base/buf.h"
#include "base/err.h"
#include "cmd/stat_options.h"
#include "event/catalog.h"
#include "event/metric.h"
#include "fake.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

static void device(const char *name, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", name, file);
	fake_file(path, text);
}

static void pmu(const char *name, const char *type, const char *const *events)
{
	device(name, "type", type);
	device(name, "format/event", "config:0-7\n");
	device(name, "format/umask", "config:8-15\n");
	for (; *events; events++) {
		char file[100];

		snprintf(file, sizeof(file), "events/%s", *events);
		device(name, file, "event=0x00,umask=0x04\n");
	}
}

/* The names of the events that the options stand for, with commas; groups in braces. */
static int names_of(const struct stat_options *options, struct buf *into, struct err *err)
{
	struct catalog_options where = { .data_dir = "/nowhere",
					 .tracefs = "/nowhere",
					 .sysfs = fake_path("/sys") };
	struct catalog *catalog = catalog_new(&where);
	struct event_list list = { 0 };
	int rc = stat_events(&list, catalog, options, false, err);

	buf_clear(into);
	for (size_t i = 0; i < list.events.len && !rc; i++)
		buf_printf(into, "%s%s%s", i ? "," : "", list.events.data[i].name,
			   list.events.data[i].same_as != i ? "+" : "");
	event_list_free(&list);
	catalog_free(catalog);
	return rc;
}

static void expect_names(const struct stat_options *options, const char *want)
{
	struct buf names = { 0 };
	struct err err = { 0 };

	EXPECT_INT(names_of(options, &names, &err), 0);
	EXPECT_TEXT(buf_text(&names), want);
	buf_free(&names);
}

static void expect_refused(const struct stat_options *options, const char *why)
{
	struct buf names = { 0 };
	struct err err = { 0 };

	EXPECT_INT(names_of(options, &names, &err), -ENODEV);
	EXPECT_CONTAINS(err.text, why);
	buf_free(&names);
}

/* -g, --group: one group, which the first of them leads */
TEST(stat_group)
{
	for (int group = 0; group < 2; group++) {
		struct stat_options options = { .group = group };
		struct catalog_options where = { .data_dir = "/nowhere", .tracefs = "/nowhere" };
		struct catalog *catalog = catalog_new(&where);
		struct event_list list = { 0 };
		struct err err = { 0 };

		EXPECT_INT(stat_events(&list, catalog, &options, false, &err), 0);
		EXPECT(list.events.len > 3);
		for (size_t i = 0; i < list.events.len; i++)
			EXPECT_INT(list.events.data[i].leader, group ? 0 : i);
		event_list_free(&list);
		catalog_free(catalog);
	}
}

/* --topdown and --td-level */
TEST(stat_topdown)
{
	static const char *const first[] = { "slots",
					     "topdown-retiring",
					     "topdown-bad-spec",
					     "topdown-fe-bound",
					     "topdown-be-bound",
					     NULL };
	static const char *const second[] = { "topdown-heavy-ops", "topdown-br-mispredict",
					      "topdown-fetch-lat", "topdown-mem-bound", NULL };
	struct stat_options options = { .topdown = true };

	fake_machine();
	pmu("msr", "9\n", (const char *const[]){ "tsc", NULL });
	expect_refused(&options, "slots");

	pmu("cpu", "4\n", first);
	expect_names(&options,
		     "cpu/slots/,cpu/topdown-retiring/,cpu/topdown-bad-spec/,cpu/topdown-fe-bound/,"
		     "cpu/topdown-be-bound/");
	options.topdown_level = 2;
	expect_refused(&options, "only level 1");

	pmu("cpu", "4\n", second);
	options.topdown_level = 1;
	expect_names(&options,
		     "cpu/slots/,cpu/topdown-retiring/,cpu/topdown-bad-spec/,cpu/topdown-fe-bound/,"
		     "cpu/topdown-be-bound/");
	options.topdown_level = 0;
	expect_names(&options,
		     "cpu/slots/,cpu/topdown-retiring/,cpu/topdown-bad-spec/,cpu/topdown-fe-bound/,"
		     "cpu/topdown-be-bound/,cpu/topdown-heavy-ops/,cpu/topdown-br-mispredict/,"
		     "cpu/topdown-fetch-lat/,cpu/topdown-mem-bound/");
	fake_remove();
}

/* -T */
TEST(stat_transactions)
{
	struct stat_options options = { .transaction = true };

	fake_machine();
	pmu("cpu", "4\n", (const char *const[]){ "mem-loads", NULL });
	expect_refused(&options, "cycles-t");
	pmu("cpu", "4\n", (const char *const[]){ "cycles-t", "tx-start", NULL });
	expect_names(&options, "task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/");
	pmu("cpu", "4\n", (const char *const[]){ "cycles-ct", "el-start", NULL });
	expect_names(&options, "task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/,"
			       "cpu/el-start/,cpu/cycles-ct/");
	fake_remove();
}

/* --smi-cost */
TEST(stat_smi_cost)
{
	struct stat_options options = { .smi_cost = true };

	fake_machine();
	pmu("cpu", "4\n", (const char *const[]){ "mem-loads", NULL });
	expect_refused(&options, "freeze_on_smi is not supported");
	device("cpu", "freeze_on_smi", "0\n");
	expect_refused(&options, "msr/aperf/");
	pmu("msr", "9\n", (const char *const[]){ "aperf", "smi", NULL });
	expect_names(&options, "msr/aperf/,msr/smi/,cycles");
	fake_remove();
}

/* --cputype and --hybrid-merge */
TEST(stat_cores_of_two_kinds)
{
	struct stat_options options = { 0 };

	fake_machine();
	pmu("cpu_atom", "10\n", (const char *const[]){ "mem-loads", NULL });
	pmu("cpu_core", "4\n", (const char *const[]){ "mem-loads", NULL });
	device("cpu_atom", "cpus", "8-9\n");
	device("cpu_core", "cpus", "0-7\n");
	event_steps_add(&options.steps, "cs,{cycles,instructions}");
	expect_names(&options, "cs,cpu_atom/cycles/,cpu_atom/instructions/,"
			       "cpu_core/cycles/,cpu_core/instructions/");
	options.cpu_type = "core";
	expect_names(&options, "cs,cpu_core/cycles/,cpu_core/instructions/");
	options.cpu_type = "giant";
	expect_refused(&options, "no cpu_giant");
	options.cpu_type = NULL;
	options.hybrid_merge = true;
	expect_names(&options, "cs,cycles,instructions,cycles+,instructions+");
	stat_options_release(&options);
	fake_remove();
}

static void expect_figure(const char *name, double count, const char *other, double whole,
			  const char *unit, double value)
{
	struct event events[2] = { { .name = name, .scale = 1, .attr.base.type = 9 },
				   { .name = other, .scale = 1, .attr.base.type = 9 } };
	struct metric_source sources[2] = { { &events[0], count, true },
					    { &events[1], whole, true } };
	struct metric metric[METRIC_MAX];

	if (!strcmp(other, "cycles"))
		events[1].attr.base = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE };
	test_case("%s", name);
	EXPECT_INT(metric_of(metric, sources, 2, 0, 1e9), 1);
	EXPECT_TEXT(metric[0].unit, unit);
	EXPECT_NEAR(metric[0].value, value, 1e-9);
}

TEST(stat_figures_of_these)
{
	expect_figure("cpu/topdown-retiring/", 30, "cpu/slots/", 120, "retiring", 25);
	expect_figure("cpu/topdown-be-bound/", 60, "cpu/slots/", 120, "backend bound", 50);
	expect_figure("cpu/cycles-t/", 10, "cycles", 40, "transactional cycles", 25);
	expect_figure("cpu/tx-start/", 4, "cpu/cycles-t/", 100, "cycles / transaction", 25);
	expect_figure("msr/aperf/", 200, "cycles", 150, "SMI cycles%", 25);
}
