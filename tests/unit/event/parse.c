// SPDX-License-Identifier: Apache-2.0
#include "event/parse.h"
#include "event/catalog.h"
#include "event/modifier.h"
#include "test.h"

#include <errno.h>

/* A machine without sysfs or tracefs: the generic names only, whatever the host has. */
static const struct catalog_options bare = { .sysfs = "/nowhere", .data_dir = "/nowhere" };

struct fixture {
	struct catalog *catalog;
	struct event_list list;
	struct err err;
};

static int parse(struct fixture *f, const char *text)
{
	f->catalog = catalog_new(&bare);
	return event_list_parse(&f->list, f->catalog, text, &f->err);
}

static void done(struct fixture *f)
{
	event_list_free(&f->list);
	catalog_free(f->catalog);
}

TEST(event_parse_generic_names)
{
	static const struct {
		const char *text;
		int type;
		uint64_t config;
		enum event_kind kind;
	} cases[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, EVENT_HARDWARE },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, EVENT_HARDWARE },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		  EVENT_HARDWARE },
		{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		  EVENT_HARDWARE },
		{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, EVENT_HARDWARE },
		{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, EVENT_SOFTWARE },
		{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, EVENT_SOFTWARE },
		{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, EVENT_SOFTWARE },
		{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES,
		  EVENT_SOFTWARE },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, EVENT_CACHE },
		{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x00000, EVENT_CACHE },
		{ "L1-dcache", PERF_TYPE_HW_CACHE, 0x00000, EVENT_CACHE },
		{ "l1d-misses-read", PERF_TYPE_HW_CACHE, 0x10000, EVENT_CACHE },
		{ "l1-d-write-miss", PERF_TYPE_HW_CACHE, 0x10100, EVENT_CACHE },
		{ "L1-icache-speculative-load", PERF_TYPE_HW_CACHE, 0x00201, EVENT_CACHE },
		{ "LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, EVENT_CACHE },
		{ "branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005, EVENT_CACHE },
		{ "node-prefetches", PERF_TYPE_HW_CACHE, 0x00206, EVENT_CACHE },
		{ "r1a8", PERF_TYPE_RAW, 0x1a8, EVENT_RAW },
		{ "r53003C", PERF_TYPE_RAW, 0x53003c, EVENT_RAW },
		{ "1:2", PERF_TYPE_SOFTWARE, 2, EVENT_RAW },
		{ "4:0x1a8", PERF_TYPE_RAW, 0x1a8, EVENT_RAW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(parse(&f, cases[i].text), 0);
		EXPECT_INT(f.list.events.len, 1);
		EXPECT_INT(f.list.events.data[0].attr.base.type, cases[i].type);
		EXPECT_INT(f.list.events.data[0].attr.base.config, cases[i].config);
		EXPECT_INT(f.list.events.data[0].kind, cases[i].kind);
		EXPECT_TEXT(f.list.events.data[0].name, cases[i].text);
		done(&f);
	}
}

TEST(event_parse_units)
{
	struct fixture f = { 0 };
	const struct event *event;

	EXPECT_INT(parse(&f, "task-clock,faults,duration_time,system_time"), 0);
	event = f.list.events.data;
	EXPECT_TEXT(event[0].unit, "msec");
	EXPECT_NEAR(event[0].scale, 1e-6, 1e-12);
	EXPECT_TEXT(event[1].unit, "");
	EXPECT_NEAR(event[1].scale, 1, 0);
	EXPECT_INT(event[2].tool, TOOL_DURATION_TIME);
	EXPECT_TEXT(event[2].unit, "ns");
	EXPECT_INT(event[3].tool, TOOL_SYSTEM_TIME);
	done(&f);
}

TEST(event_parse_modifiers)
{
	/* What perf 6.1 puts into the attr (perf stat -vv): user, kernel, hv, host, guest, precise.
	 */
	static const struct {
		const char *text;
		const char *excluded; /* letters of what is excluded */
		int precise;
		bool explicit_modes;
	} cases[] = {
		{ "cycles", "G", 0, false },	  { "cycles:u", "khG", 0, true },
		{ "cycles:k", "uh", 0, true },	  { "cycles:uk", "hG", 0, true },
		{ "cycles:h", "uk", 0, true },	  { "cycles:G", "H", 0, true },
		{ "cycles:H", "G", 0, true },	  { "cycles:GH", "", 0, true },
		{ "cycles:uGH", "kh", 0, true },  { "cycles:p", "G", 1, false },
		{ "cycles:ppp", "G", 3, false },  { "cycles:upp", "khG", 2, true },
		{ "cycles:I", "I", 0, false },	  { "cycles:Gp", "H", 1, true },
		{ "{cycles}:u", "khG", 0, true }, { "{cycles:u}:k", "hG", 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_event_attr *attr;
		struct fixture f = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(parse(&f, cases[i].text), 0);
		attr = &f.list.events.data[0].attr.base;
		EXPECT_BOOL(attr->exclude_user, strchr(cases[i].excluded, 'u'));
		EXPECT_BOOL(attr->exclude_kernel, strchr(cases[i].excluded, 'k'));
		EXPECT_BOOL(attr->exclude_hv, strchr(cases[i].excluded, 'h'));
		EXPECT_BOOL(attr->exclude_host, strchr(cases[i].excluded, 'H'));
		EXPECT_BOOL(attr->exclude_guest, strchr(cases[i].excluded, 'G'));
		EXPECT_BOOL(attr->exclude_idle, strchr(cases[i].excluded, 'I'));
		EXPECT_INT(attr->precise_ip, cases[i].precise);
		EXPECT_BOOL(f.list.events.data[0].explicit_modes, cases[i].explicit_modes);
		done(&f);
	}
}

TEST(event_parse_flags)
{
	struct fixture f = { 0 };
	const struct event *event;

	EXPECT_INT(parse(&f, "cycles:P,cycles:S,cycles:D,cycles:W,cycles:e,cycles:b,cs:"), 0);
	event = f.list.events.data;
	EXPECT(event[0].precise_max && !event[1].precise_max);
	EXPECT(event[1].sample_read && !event[0].sample_read);
	EXPECT(event[2].attr.base.pinned && !event[0].attr.base.pinned);
	EXPECT(event[3].weak && !event[0].weak);
	EXPECT(event[4].attr.base.exclusive && !event[0].attr.base.exclusive);
	EXPECT(event[5].use_bpf && !event[0].use_bpf);
	EXPECT_TEXT(event[6].name, "cs:");
	done(&f);
}

TEST(event_parse_groups)
{
	struct fixture f = { 0 };
	const struct event *event;

	EXPECT_INT(parse(&f, " cs , {cycles:u, instructions}:S,faults,g{branches,cs}"), 0);
	EXPECT_INT(f.list.events.len, 6);
	event = f.list.events.data;
	EXPECT_TEXT(event[0].name, "cs");
	EXPECT_INT(event[0].leader, 0);
	EXPECT_INT(event[1].leader, 1);
	EXPECT_INT(event[2].leader, 1);
	EXPECT_INT(event[3].leader, 3);
	EXPECT_INT(event[4].leader, 4);
	EXPECT_INT(event[5].leader, 4);
	EXPECT(event[1].sample_read && event[2].sample_read && !event[3].sample_read);
	EXPECT(event[1].attr.base.exclude_kernel && !event[2].attr.base.exclude_kernel);
	EXPECT_TEXT(event[1].name, "cycles:u");
	EXPECT_TEXT(event[2].name, "instructions");
	EXPECT_INT(event[2].same_as, 2);
	done(&f);
}

TEST(event_parse_terms_of_generic_events)
{
	struct fixture f = { 0 };
	const struct event *event;

	EXPECT_INT(parse(&f, "cycles/name='a,b',period=1000/u,cs/freq=99,no-inherit/,faults//k,"
			     "cycles/call-graph=dwarf,stack-size=8192,time=0/"),
		   0);
	event = f.list.events.data;
	EXPECT_TEXT(event[0].name, "a,b");
	EXPECT_INT(event[0].attr.base.sample_period, 1000);
	EXPECT(!event[0].attr.base.freq && event[0].own_period);
	EXPECT(event[0].attr.base.exclude_kernel);
	EXPECT_INT(event[1].attr.base.sample_freq, 99);
	EXPECT(event[1].attr.base.freq);
	EXPECT_INT(event[1].sampling.inherit, CHOICE_NO);
	EXPECT_TEXT(event[2].name, "faults//k");
	EXPECT(event[2].attr.base.exclude_user);
	EXPECT_TEXT(event[3].sampling.call_graph, "dwarf");
	EXPECT_INT(event[3].sampling.stack_size, 8192);
	EXPECT_INT(event[3].sampling.time, CHOICE_NO);
	done(&f);
}

TEST(event_parse_errors)
{
	static const struct {
		const char *text, *words, *mark;
	} cases[] = {
		{ "", "missing here", "\n  \n  ^" },
		{ "cs,", "missing here", "\n  cs,\n     ^" },
		{ ",cs", "missing here", "\n  ,cs\n  ^" },
		{ "cs,,cs", "missing here", "\n  cs,,cs\n     ^" },
		{ "faults,cyclse:u", "unknown event 'cyclse'", "\n         ^~~~~~\n" },
		{ "faluts:uk", "did you mean: faults", "\n  ^~~~~~\n" },
		{ "CYCLES", "did you mean: cycles", "^~~~~~" },
		{ "cs:uu", "repeated modifier", "\n  cs:uu\n      ^" },
		{ "cs:pppp", "repeated modifier", "\n        ^" },
		{ "cs:z", "repeated modifier", "\n  cs:z\n     ^" },
		{ "{cs,faults", "no } at its end", "\n  ^" },
		{ "cs}", "expected ','", "\n    ^" },
		{ "{cs}}", "expected ','", "\n      ^" },
		{ "{{cs}}", "missing here", "\n   ^" },
		{ "{}", "missing here", "\n   ^" },
		{ "{cs}:uq", "repeated modifier", "\n  {cs}:uq\n        ^" },
		{ "cycles/name=x", "no / at their end", "\n        ^" },
		{ "cycles/bogus=1/", "no term 'bogus'", "\n         ^~~~~~~" },
		{ "cycles/bogus=1/", "there are config ", " name period freq " },
		{ "cycles/period=x/", "wants a number", "\n         ^~~~~~~~" },
		{ "cycles/period=/", "value is missing", "\n                ^" },
		{ "cycles/,/", "term is missing", "\n         ^" },
		{ "cycles/period=1,/", "term is missing", "\n                  ^" },
		{ "cycles/inherit=2/", "at most 1", "^~~~~~~~~" },
		{ "cycles/period=99999999999999999999/", "wants a number", NULL },
		{ "5000000000:1", "32 bits", NULL },
		{ "iTLB-store-misses", "unknown event", NULL },
		{ "L1-dcache-load-load", "unknown event", NULL },
		{ "nopmu/event=1/", "unknown event 'nopmu'", "\n  ^~~~~" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f = { 0 };

		test_case("%s", cases[i].text);
		EXPECT(parse(&f, cases[i].text) < 0);
		EXPECT_INT(f.list.events.len, 0);
		EXPECT_CONTAINS(f.err.text, cases[i].words);
		if (cases[i].mark)
			EXPECT_CONTAINS(f.err.text, cases[i].mark);
		done(&f);
	}
}

TEST(event_parse_error_in_a_long_text)
{
	struct fixture f = { 0 };
	char text[4000] = "";

	for (int i = 0; i < 300; i++)
		strcat(text, "cycles,");
	strcat(text, "brnach-misses");
	EXPECT_INT(parse(&f, text), -EINVAL);
	EXPECT_CONTAINS(f.err.text, ",brnach-misses\n");
	EXPECT_CONTAINS(f.err.text, " ^~~~~~~~~~~~~\n");
	EXPECT_CONTAINS(f.err.text, "did you mean: branch-misses");
	done(&f);
}

TEST(event_parse_keeps_what_was_there_when_it_fails)
{
	struct fixture f = { 0 };
	struct err err = { 0 };

	EXPECT_INT(parse(&f, "cs"), 0);
	EXPECT_INT(event_list_parse(&f.list, f.catalog, "faults,bogus", &err), -EINVAL);
	EXPECT_INT(f.list.events.len, 1);
	EXPECT_INT(event_list_parse(&f.list, f.catalog, "{faults,cs}", &err), 0);
	EXPECT_INT(f.list.events.data[2].leader, 1);
	done(&f);
}

TEST(modifiers_name_the_mode)
{
	static const struct {
		const char *name;
		bool no_user, no_kernel;
		const char *want;
	} cases[] = {
		{ "cpu-clock", false, false, "cpu-clock" },
		{ "cpu-clock", false, true, "cpu-clock:u" },
		{ "cpu-clock", true, false, "cpu-clock:k" },
		{ "cpu-clock:u", false, true, "cpu-clock:u" },
		{ "cycles:ppp", false, true, "cycles:pppu" },
		{ "cpu/config=1/", false, true, "cpu/config=1/u" },
		{ "cpu/config=1/k", true, false, "cpu/config=1/k" },
		{ "sched:sched_switch", false, true, "sched:sched_switch:u" },
		{ "mem:0x1000:w", false, true, "mem:0x1000:w:u" },
		{ "cpu-clock:k", true, true, "cpu-clock:k" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr attr = { .exclude_user = cases[i].no_user,
						.exclude_kernel = cases[i].no_kernel };
		char *name = modifiers_name(cases[i].name, &attr);

		EXPECT_TEXT(name, cases[i].want);
		free(name);
	}
}
