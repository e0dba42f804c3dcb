// SPDX-License-Identifier: Apache-2.0
#include "event/pmu.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "fake.h"
#include "test.h"

#include <stdio.h>

#define DEVICES "/sys/bus/event_source/devices/"

struct machine {
	struct catalog *catalog;
	struct event_list list;
	struct err err;
};

static void device(const char *name, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), DEVICES "%s/%s", name, file);
	fake_file(path, text);
}

static void core_pmu(const char *name, const char *type)
{
	device(name, "type", type);
	device(name, "format/event", "config:0-7,32-35\n");
	device(name, "format/umask", "config:8-15\n");
	device(name, "format/edge", "config:18\n");
	device(name, "format/ldlat", "config1:0-15\n");
	device(name, "format/newer", "config3:4-7\n");
	device(name, "format/broken", "config9:1\n");
	device(name, "format/too_wide", "config:60-70\n");
	device(name, "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	device(name, "events/wants", "event=0x2,umask=?\n");
}

static void uncore_pmu(const char *name, const char *type, const char *cpumask)
{
	device(name, "type", type);
	device(name, "cpumask", cpumask);
	device(name, "format/event", "config:0-7\n");
	device(name, "format/umask", "config:8-15\n");
	device(name, "events/cas_count_read", "event=0x04,umask=0x03\n");
	device(name, "events/cas_count_read.scale", "6.103515625e-5\n");
	device(name, "events/cas_count_read.unit", "MiB\n");
	device(name, "events/cas_count_read.snapshot", "1\n");
}

/* A desktop's: one core PMU, two memory controllers. */
static struct machine boot(void)
{
	struct machine m = { 0 };
	struct catalog_options options = { .data_dir = "/nowhere", .tracefs = "/nowhere" };

	fake_machine();
	core_pmu("cpu", "4\n");
	uncore_pmu("uncore_imc_0", "20\n", "0\n");
	uncore_pmu("uncore_imc_1", "21\n", "0,8\n");
	uncore_pmu("uncore_imc_free_running", "22\n", "0\n");
	device("nonsense", "type", "x\n");
	options.sysfs = fake_path("/sys");
	m.catalog = catalog_new(&options);
	return m;
}

static int parse(struct machine *m, const char *text)
{
	event_list_free(&m->list);
	m->list = (struct event_list){ 0 };
	m->err = (struct err){ 0 };
	return event_list_parse(&m->list, m->catalog, text, &m->err);
}

static void halt(struct machine *m)
{
	event_list_free(&m->list);
	catalog_free(m->catalog);
	fake_remove();
}

TEST(pmu_terms_fill_their_bits)
{
	static const struct {
		const char *text;
		uint64_t config, config1, config3;
	} cases[] = {
		{ "cpu/event=0x3c/", 0x3c, 0, 0 },
		{ "cpu/event=0x1c7,umask=8/", 0x1000008c7, 0, 0 },
		{ "cpu/event=0xfff/", 0xf000000ff, 0, 0 },
		{ "cpu/event=1,edge/", 0x40001, 0, 0 },
		{ "cpu/event=1,edge=0,edge=1/", 0x40001, 0, 0 },
		{ "cpu/ldlat=30/", 0, 30, 0 },
		{ "cpu/newer=5/", 0, 0, 0x50 },
		{ "cpu/mem-loads/", 0x1cd, 3, 0 },
		{ "cpu/mem-loads,ldlat=30/", 0x1cd, 30, 0 },
		{ "cpu/ldlat=30,mem-loads/", 0x1cd, 30, 0 },
		{ "cpu/MEM-LOADS/", 0x1cd, 3, 0 },
		{ "mem-loads", 0x1cd, 3, 0 },
		{ "cpu/r1a8/", 0x1a8, 0, 0 },
		{ "cpu/config=0x1a8,config1=7/", 0x1a8, 7, 0 },
		{ "cpu/wants,umask=0x7/", 0x702, 0, 0 },
		{ "cpu//", 0, 0, 0 },
	};
	struct machine m = boot();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct event *event;

		test_case("%s", cases[i].text);
		EXPECT_TEXT(parse(&m, cases[i].text) ? m.err.text : "", "");
		EXPECT_INT(m.list.events.len, 1);
		event = m.list.events.data;
		EXPECT_INT(event->attr.base.type, 4);
		EXPECT_INT(event->attr.base.config, cases[i].config);
		EXPECT_INT(event->attr.base.config1, cases[i].config1);
		EXPECT_INT(event->attr.config3, cases[i].config3);
		EXPECT_INT(event->kind, EVENT_PMU);
		EXPECT_TEXT(event->name, cases[i].text);
		EXPECT(event->attr.base.exclude_guest);
	}
	halt(&m);
}

TEST(pmu_errors_name_the_terms)
{
	static const struct {
		const char *text, *words, *mark;
	} cases[] = {
		{ "cpu/event=1,umsk=2/", "its terms are edge event ldlat newer umask config",
		  "\n              ^~~~~~" },
		{ "cpu/nothing/", "its events are mem-loads wants", "\n      ^~~~~~~" },
		{ "cpu/event=0x1000/", "event= is at most 0xfff", "\n      ^~~~~~~~~~~~" },
		{ "cpu/event/", "several bits and wants a value", "\n      ^~~~~" },
		{ "cpu/event=abc/", "event= wants a number", NULL },
		{ "cpu/wants/", "wants umask=NUMBER too", "\n      ^~~~~" },
		{ "cpu/broken=1/", "no term or event 'broken'", NULL },
		{ "cpuu/event=1/", "unknown event 'cpuu'", "this machine's PMUs: " },
		{ "nonsense/event=1/", "unknown event 'nonsense'", NULL },
	};
	struct machine m = boot();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].text);
		EXPECT(parse(&m, cases[i].text) < 0);
		EXPECT_CONTAINS(m.err.text, cases[i].words);
		if (cases[i].mark)
			EXPECT_CONTAINS(m.err.text, cases[i].mark);
	}
	halt(&m);
}

/* A PMU with a hundred events: the message is cut, the mark under the text is not. */
TEST(pmu_error_of_a_large_pmu_keeps_its_mark)
{
	struct machine m = boot();
	char path[100];

	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "events/an-event-with-a-rather-long-name-%d", i);
		device("cpu", path, "event=1\n");
		snprintf(path, sizeof(path), "format/a-term-with-a-rather-long-name-%d", i);
		device("cpu", path, "config2:0\n");
	}
	EXPECT(parse(&m, "cpu/nothing/") < 0);
	EXPECT_CONTAINS(m.err.text, " ...\n  cpu/nothing/\n      ^~~~~~~");
	halt(&m);
}

TEST(pmu_one_name_for_several)
{
	static const char *const spellings[] = {
		"uncore_imc/cas_count_read/",
		"imc/cas_count_read/",
		"uncore_imc_*[01]/cas_count_read/",
	};
	struct machine m = boot();
	const struct event *event;

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		test_case("%s", spellings[i]);
		EXPECT_INT(parse(&m, spellings[i]), 0);
		EXPECT_INT(m.list.events.len, 2);
		event = m.list.events.data;
		EXPECT_INT(event[0].attr.base.type, 20);
		EXPECT_INT(event[1].attr.base.type, 21);
		EXPECT_INT(event[1].attr.base.config, 0x304);
		EXPECT_INT(event[1].same_as, 0);
		EXPECT_TEXT(event[1].name, spellings[i]);
		EXPECT_TEXT(event[1].pmu, "uncore_imc_1");
		EXPECT(event[1].cpu_wide_only && event[1].several && event[1].snapshot);
		EXPECT_INT(event[1].cpus.len, 2);
		EXPECT_INT(event[1].cpus.data[1], 8);
		EXPECT_TEXT(event[1].unit, "MiB");
		EXPECT_NEAR(event[1].scale, 6.103515625e-5, 1e-12);
		EXPECT(!event[1].attr.base.exclude_guest);
	}
	EXPECT_INT(parse(&m, "uncore_imc_1/cas_count_read/"), 0);
	EXPECT_INT(m.list.events.len, 1);
	EXPECT(!m.list.events.data[0].several);
	halt(&m);
}

TEST(pmu_groups_over_several_pmus_are_split)
{
	struct machine m = boot();
	const struct event *event;

	EXPECT_INT(parse(&m, "cs,{uncore_imc/event=1/,uncore_imc/event=2/}:S"), 0);
	EXPECT_INT(m.list.events.len, 5);
	event = m.list.events.data;
	EXPECT_TEXT(event[1].pmu, "uncore_imc_0");
	EXPECT_INT(event[1].attr.base.config, 1);
	EXPECT_INT(event[1].leader, 1);
	EXPECT_TEXT(event[2].pmu, "uncore_imc_0");
	EXPECT_INT(event[2].attr.base.config, 2);
	EXPECT_INT(event[2].leader, 1);
	EXPECT_TEXT(event[3].pmu, "uncore_imc_1");
	EXPECT_INT(event[3].leader, 3);
	EXPECT_INT(event[3].same_as, 1);
	EXPECT_INT(event[4].leader, 3);
	EXPECT_INT(event[4].same_as, 2);
	EXPECT(event[4].sample_read);
	halt(&m);
}

TEST(pmu_hybrid_cores_count_each_for_itself)
{
	struct machine m = { 0 };
	struct catalog_options options = { .data_dir = "/nowhere", .tracefs = "/nowhere" };
	const struct event *event;

	fake_machine();
	core_pmu("cpu_atom", "10\n");
	core_pmu("cpu_core", "4\n");
	device("cpu_atom", "cpus", "8-9\n");
	device("cpu_core", "cpus", "0-7\n");
	options.sysfs = fake_path("/sys");
	m.catalog = catalog_new(&options);

	EXPECT_INT(parse(&m, "cycles:u"), 0);
	EXPECT_INT(m.list.events.len, 2);
	event = m.list.events.data;
	EXPECT_TEXT(event[0].name, "cpu_atom/cycles/");
	EXPECT_TEXT(event[1].name, "cpu_core/cycles/");
	EXPECT_INT(event[0].attr.base.type, PERF_TYPE_HARDWARE);
	EXPECT_INT(event[0].attr.base.config, (uint64_t)10 << 32);
	EXPECT_INT(event[0].cpus.data[0], 8);
	EXPECT(event[0].attr.base.exclude_kernel && event[1].attr.base.exclude_kernel);
	EXPECT(!event[0].cpu_wide_only);
	EXPECT_INT(event[1].same_as, 1);

	EXPECT_INT(parse(&m, "{cycles,instructions}"), 0);
	event = m.list.events.data;
	EXPECT_INT(event[1].leader, 0);
	EXPECT_TEXT(event[1].name, "cpu_atom/instructions/");
	EXPECT_INT(event[3].leader, 2);
	EXPECT_TEXT(event[3].name, "cpu_core/instructions/");
	halt(&m);
}

TEST(pmu_names_match)
{
	EXPECT(pmu_matches("uncore_imc", "uncore_imc_0"));
	EXPECT(pmu_matches("imc", "uncore_imc_12"));
	EXPECT(pmu_matches("arm_cmn", "arm_cmn_1c000"));
	EXPECT(pmu_matches("uncore_i*", "uncore_iio_free_running"));
	EXPECT(!pmu_matches("uncore_imc", "uncore_imc_free_running"));
	EXPECT(!pmu_matches("uncore_im", "uncore_imc_0"));
	EXPECT(!pmu_matches("cpu", "cpu_core"));
	EXPECT(!pmu_matches("cpu", "cpu_ab"));
}
