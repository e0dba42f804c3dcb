// SPDX-License-Identifier: Apache-2.0
#include "event/tracepoint.h"
#include "event/catalog.h"
#include "event/parse.h"
#include "fake.h"
#include "test.h"

#include <errno.h>

static struct catalog *boot(void)
{
	struct catalog_options options = { .sysfs = "/nowhere", .data_dir = "/nowhere" };

	fake_machine();
	fake_file("/t/events/enable", "0\n");
	fake_file("/t/events/sched/enable", "0\n");
	fake_file("/t/events/sched/sched_switch/id", "372\n");
	fake_file("/t/events/sched/sched_switch/format",
		  "name: sched_switch\nID: 372\nformat:\n"
		  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:const char * name;\toffset:32;\tsize:8;\tsigned:0;\n"
		  "\tfield:__data_loc char[] what;\toffset:40;\tsize:4;\tsigned:0;\n"
		  "\nprint fmt: \"%s\", REC->prev_comm\n");
	fake_file("/t/events/sched/sched_wakeup/id", "373\n");
	fake_file("/t/events/scheduler-x/go/id", "400\n");
	fake_file("/t/events/ftrace/print/format", "");
	fake_file("/t/events/probe_libc/malloc/id", "1500\n");
	fake_file("/t/dynamic_events", "p:probe_libc/malloc /lib/libc.so.6:0x1000\n");
	options.tracefs = fake_path("/t");
	return catalog_new(&options);
}

TEST(tracepoint_names_and_patterns)
{
	static const struct {
		const char *text, *names; /* by spaces */
	} cases[] = {
		{ "sched:sched_switch", "sched:sched_switch" },
		{ "sched:sched_switch:u", "sched:sched_switch:u" },
		{ "sched:*", "sched:sched_switch sched:sched_wakeup" },
		{ "sched*:*:k", "sched:sched_switch sched:sched_wakeup scheduler-x:go" },
		{ "*:*switch", "sched:sched_switch" },
		{ "scheduler-x:go", "scheduler-x:go" },
		{ "{sched:sched_s*,cs}", "sched:sched_switch cs" },
		{ "sched:sched_switch/call-graph=dwarf/", "sched:sched_switch/call-graph=dwarf/" },
	};
	struct catalog *catalog = boot();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct err err = { 0 };
		char names[500] = "";

		test_case("%s", cases[i].text);
		EXPECT_TEXT(event_list_parse(&list, catalog, cases[i].text, &err) ? err.text : "",
			    "");
		vec_each (event, &list.events) {
			strcat(names, *names ? " " : "");
			strcat(names, event->name);
		}
		EXPECT_TEXT(names, cases[i].names);
		EXPECT_INT(list.events.data[0].attr.base.type, PERF_TYPE_TRACEPOINT);
		event_list_free(&list);
	}
	catalog_free(catalog);
	fake_remove();
}

TEST(tracepoint_probe_is_told_apart)
{
	struct catalog *catalog = boot();
	struct event_list list = { 0 };

	EXPECT_INT(event_list_parse(&list, catalog, "probe_libc:malloc,sched:sched_wakeup", NULL),
		   0);
	EXPECT_INT(list.events.data[0].kind, EVENT_PROBE);
	EXPECT_INT(list.events.data[0].attr.base.config, 1500);
	EXPECT_INT(list.events.data[1].kind, EVENT_TRACEPOINT);
	event_list_free(&list);
	catalog_free(catalog);
	fake_remove();
}

TEST(tracepoint_unknown_gives_the_nearest)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "sched:sched_swich", "did you mean: sched:sched_switch" },
		{ "..:y", "unknown event" },
		{ "sched:../../x", "unknown event" },
		{ "ftrace:print", "unknown event" },
		{ "nosuch:*", "unknown event" },
		{ "sched:sched_switch/event=1/", "no term 'event'" },
	};
	struct catalog *catalog = boot();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(event_list_parse(&list, catalog, cases[i].text, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].words);
		event_list_free(&list);
	}
	catalog_free(catalog);
	fake_remove();
}

TEST(tracepoint_without_tracefs_says_so)
{
	struct catalog_options options = { .sysfs = "/nowhere",
					   .data_dir = "/nowhere",
					   .tracefs = "/nowhere" };
	struct catalog *catalog = catalog_new(&options);
	struct event_list list = { 0 };
	struct err err = { 0 };

	EXPECT_INT(event_list_parse(&list, catalog, "sched:sched_switch", &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "/nowhere can't be read by this user");
	event_list_free(&list);
	catalog_free(catalog);
}

TEST(tracepoint_fields_of_a_format)
{
	struct catalog *catalog = boot();
	char *fields = tracepoint_fields(catalog, "sched:sched_switch");

	EXPECT_TEXT(fields, "prev_comm prev_pid name what");
	free(fields);
	EXPECT(tracepoint_fields(catalog, "sched:nothing") == NULL);
	fields = tracepoint_format_fields("\tfield:;\n\tfield:x\n\tfield:];\n\tfield:int a;");
	EXPECT_TEXT(fields, "a");
	free(fields);
	catalog_free(catalog);
	fake_remove();
}

TEST(tracepoint_filter_is_for_tracepoints)
{
	struct catalog *catalog = boot();
	struct event_list list = { 0 };
	struct err err = { 0 };

	EXPECT_INT(event_list_set_filter(&list, "a==1", &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "has to follow");
	EXPECT_INT(event_list_parse(&list, catalog, "cs", &err), 0);
	EXPECT_INT(event_list_set_filter(&list, "a==1", &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "cs is none");
	EXPECT_INT(event_list_parse(&list, catalog, "sched:*", &err), 0);
	EXPECT_INT(event_list_set_filter(&list, "prev_pid==1", &err), 0);
	EXPECT_INT(event_list_set_filter(&list, "prev_prio<9", &err), 0);
	EXPECT(list.events.data[0].filter == NULL);
	EXPECT_TEXT(list.events.data[1].filter, "(prev_pid==1) && (prev_prio<9)");
	EXPECT_TEXT(list.events.data[2].filter, "(prev_pid==1) && (prev_prio<9)");
	event_list_free(&list);
	catalog_free(catalog);
	fake_remove();
}

TEST(breakpoint_addresses_lengths_and_access)
{
	static const struct {
		const char *text;
		uint64_t address;
		int length, type;
		bool user_only;
	} cases[] = {
		{ "mem:0x1000", 0x1000, 4, 3, false },	    { "mem:4096/8", 4096, 8, 3, false },
		{ "mem:0x1000/8:rw", 0x1000, 8, 3, false }, { "mem:0x1000:x", 0x1000, 8, 4, false },
		{ "mem:0x1000/1:w:u", 0x1000, 1, 2, true }, { "mem:0x1000:u", 0x1000, 4, 3, true },
	};
	struct catalog *catalog = boot();
	struct event_list list = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct event *event;

		test_case("%s", cases[i].text);
		EXPECT_INT(event_list_parse(&list, catalog, cases[i].text, NULL), 0);
		event = vec_last(&list.events);
		EXPECT_INT(event->attr.base.type, PERF_TYPE_BREAKPOINT);
		EXPECT_INT(event->attr.base.bp_addr, cases[i].address);
		EXPECT_INT(event->attr.base.bp_len, cases[i].length);
		EXPECT_INT(event->attr.base.bp_type, cases[i].type);
		EXPECT_BOOL(event->attr.base.exclude_kernel, cases[i].user_only);
	}
	EXPECT_INT(event_list_parse(&list, catalog, "mem:0x1000/9", &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "1 to 8 bytes");
	EXPECT_INT(event_list_parse(&list, catalog, "mem:main", &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "mem:ADDRESS");
	EXPECT_INT(event_list_parse(&list, catalog, "mem:0x1000:rr", &err), -EINVAL);
	event_list_free(&list);
	catalog_free(catalog);
	fake_remove();
}
