// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_plan.h"
#include "base/buf.h"
#include "cmd/stat_reasons.h"
#include "record/fakekernel.h"
#include "test.h"

static void add(struct event_list *list, const char *name, uint32_t type, uint64_t config)
{
	event_list_add(list, EVENT_HARDWARE, type, config)->name = name;
}

TEST(stat_plan_in_words)
{
	static const struct {
		int counters;
		const char *line;
	} cases[] = {
		{ 4, "  cycles                           a counter of its own\n" },
		{ 4, "3 events need a counter; this CPU has 4 for any event.\n"
		     "All of them are counted all of the time, in one run.\n" },
		{ 2, "  cycles                           takes turns with others; pass 1 of 2\n" },
		{ 2, "  misses                           takes turns with others; pass 2 of 2\n" },
		{ 2, "3 would take turns (multiplexing)" },
		{ 2, "in 2 runs of the command.\n" },
		{ 0, "  cycles                           not available here\n" },
		{ 0, "0 events need a counter.\n" },
		{ 0, "note: cycles, branches, misses: " },
		{ 4,
		  "  faults                           the kernel counts it, without a counter\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct buf out = { 0 };
		struct plan plan;

		test_case("%d counters: %s", cases[i].counters, cases[i].line);
		fake_boot(cases[i].counters);
		add(&list, "faults", PERF_TYPE_SOFTWARE, 2);
		add(&list, "cycles", PERF_TYPE_HARDWARE, 0);
		add(&list, "branches", PERF_TYPE_HARDWARE, 1);
		add(&list, "misses", PERF_TYPE_HARDWARE, 2);
		plan_make(&plan, &list, &fake_sys);
		stat_plan_show(&out, &plan, &list);
		EXPECT_CONTAINS(buf_text(&out), cases[i].line);
		plan_fini(&plan);
		buf_free(&out);
		event_list_free(&list);
		fake_shutdown();
	}
}

TEST(stat_plan_of_a_group_too_large)
{
	struct event_list list = { 0 };
	struct buf out = { 0 };
	struct plan plan;

	fake_boot(2);
	add(&list, "cycles", PERF_TYPE_HARDWARE, 0);
	add(&list, "branches", PERF_TYPE_HARDWARE, 1);
	add(&list, "misses", PERF_TYPE_HARDWARE, 2);
	vec_each (event, &list.events)
		event->leader = 0;
	plan_make(&plan, &list, &fake_sys);
	stat_plan_show(&out, &plan, &list);
	EXPECT_CONTAINS(
		buf_text(&out),
		"  misses                           in a group that needs more counters than");
	EXPECT_CONTAINS(buf_text(&out), "Not all of a group that is too large is counted");
	EXPECT(!strstr(buf_text(&out), "All of them are counted"));
	plan_fini(&plan);
	buf_free(&out);
	event_list_free(&list);
	fake_shutdown();
}

TEST(reasons_are_said_once)
{
	struct reasons reasons = { 0 };
	struct buf out = { 0 };

	reasons_add(&reasons, "no PMU", "cycles");
	reasons_add(&reasons, "no way", "frobs");
	reasons_add(&reasons, "no PMU", "branches");
	reasons_add(&reasons, "no PMU", "cycles");
	reasons_say(&reasons, &out);
	EXPECT_TEXT(buf_text(&out), "note: cycles, branches: no PMU\nnote: frobs: no way\n");

	buf_clear(&out);
	for (int i = 0; i < 7; i++) {
		static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };

		reasons_add(&reasons, "no PMU", names[i]);
	}
	reasons_say(&reasons, &out);
	EXPECT_TEXT(buf_text(&out), "note: a, b, c, d and 3 more: no PMU\n");
	buf_free(&out);
}
