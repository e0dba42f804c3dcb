// SPDX-License-Identifier: Apache-2.0
#include "record/plan.h"
#include "fakekernel.h"
#include "live.h"
#include "record/trial.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

/*
 * Events as letters: s software, h hardware, g a group's first and m its further members, w a weak
 * group's first, x its members.
 */
static void add_events(struct event_list *list, const char *letters)
{
	uint32_t leader = 0;

	for (uint32_t i = 0; letters[i]; i++) {
		bool software = letters[i] == 's';
		struct event *event = live_event(list, "event",
						 software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
						 software ? 0 : i % 10);

		if (letters[i] == 'g' || letters[i] == 'w')
			leader = i;
		if (letters[i] == 'm' || letters[i] == 'x')
			event->leader = leader;
		event->weak = letters[i] == 'w' || letters[i] == 'x';
	}
}

/* The passes as digits, '-' for no counter, '!' for a group too large, '?' for unavailable. */
static const char *shape(const struct plan *plan)
{
	static char text[64];
	size_t n = 0;

	vec_each (event, &plan->events)
		text[n++] = event->need == PLAN_NO_COUNTER    ? '-'
			    : event->need == PLAN_TOO_LARGE   ? '!'
			    : event->need == PLAN_UNAVAILABLE ? '?'
							      : (char)('0' + event->pass);
	text[n] = '\0';
	return text;
}

TEST(plan_passes)
{
	static const struct {
		int counters;
		const char *events, *shape;
		uint32_t passes;
	} cases[] = {
		{ 4, "ss", "--", 1 },
		{ 0, "shs", "-?-", 1 },
		{ 4, "hhhh", "0000", 1 },
		{ 4, "hhhhh", "00001", 2 },
		{ 2, "hhhhh", "00112", 3 },
		{ 4, "hhgmmh", "001110", 2 }, /* a group stays whole, what follows fills the gap */
		{ 4, "gmmgmm", "000111", 2 },
		{ 2, "gmmh", "!!!0", 1 },
		{ 2, "wxxh", "0011", 2 },
		{ 1, "gs", "0-", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct plan plan;

		test_case("%s on %d", cases[i].events, cases[i].counters);
		fake_boot(cases[i].counters);
		add_events(&list, cases[i].events);
		plan_make(&plan, &list, &fake_sys);
		EXPECT_TEXT(shape(&plan), cases[i].shape);
		EXPECT_INT(plan.passes, cases[i].passes);
		EXPECT_INT(plan.general, cases[i].counters);
		EXPECT_INT(fake_open_fds(), 0);
		vec_each (event, &plan.events)
			EXPECT_BOOL(event->shares,
				    cases[i].passes > 1 && event->need == PLAN_COUNTER);
		plan_fini(&plan);
		event_list_free(&list);
		fake_shutdown();
	}
}

TEST(plan_pinned_event_keeps_its_counter)
{
	struct event_list list = { 0 };
	struct plan plan;

	fake_boot(2);
	add_events(&list, "hhh");
	list.events.data[1].attr.base.pinned = 1;
	plan_make(&plan, &list, &fake_sys);
	EXPECT_BOOL(plan.events.data[0].shares, true);
	EXPECT_BOOL(plan.events.data[1].shares, false);
	EXPECT_INT(plan.needed, 3);
	plan_fini(&plan);
	event_list_free(&list);
	fake_shutdown();
}

TEST(plan_without_permission_for_the_kernel)
{
	struct event_list list = { 0 };
	struct plan plan;

	fake_boot(2);
	fake.paranoid = 2;
	add_events(&list, "hhh");
	list.events.data[1].explicit_modes = true;
	plan_make(&plan, &list, &fake_sys);
	EXPECT_TEXT(shape(&plan), "0?0");
	EXPECT_INT(plan.events.data[1].error, EACCES);
	plan_fini(&plan);
	event_list_free(&list);
	fake_shutdown();
}

/* Two kinds of cores: each has counters of its own, and generic events name theirs. */
TEST(plan_pmus_of_hybrid_cpus)
{
	static const struct {
		uint32_t type[2];
		uint64_t pmu[2]; /* upper half of a generic event's config */
		bool same;
	} cases[] = {
		{ { PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE }, { 4, 4 }, true },
		{ { PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE }, { 4, 10 }, false },
		{ { PERF_TYPE_HW_CACHE, PERF_TYPE_HARDWARE }, { 10, 10 }, true },
		{ { PERF_TYPE_HW_CACHE, PERF_TYPE_HARDWARE }, { 4, 10 }, false },
		{ { PERF_TYPE_HARDWARE, 10 }, { 4, 0 }, false },
		{ { PERF_TYPE_HARDWARE, PERF_TYPE_RAW }, { 0, 0 }, true },
		{ { PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE }, { 0, 0 }, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event events[2] = { 0 };
		struct trial trial;

		test_case("row %zu", i);
		fake_boot(4);
		for (int k = 0; k < 2; k++) {
			events[k].attr.base.type = cases[i].type[k];
			events[k].attr.base.config = cases[i].pmu[k] << 32;
		}
		trial_init(&trial, &fake_sys);
		EXPECT_BOOL(trial_same_pmu(&trial, &events[0], &events[1]), cases[i].same);
		EXPECT_BOOL(trial_same_pmu(&trial, &events[1], &events[0]), cases[i].same);
		trial_fini(&trial);
		fake_shutdown();
	}
}

TEST(plan_pick_remaps_groups)
{
	struct event_list list = { 0 }, picked = { 0 };
	struct plan_origin origin = { 0 };
	struct plan plan;

	fake_boot(2);
	add_events(&list, "hshgmh");
	EXPECT_INT(cpuset_parse(&list.events.data[3].cpus, "0-1", NULL), 0);
	plan_make(&plan, &list, &fake_sys);
	EXPECT_TEXT(shape(&plan), "0-0112");
	plan_pick(&plan, 1, &list, &picked, &origin);
	EXPECT_INT(picked.events.len, 3);
	EXPECT_INT(origin.data[0], 1);
	EXPECT_INT(origin.data[2], 4);
	EXPECT_INT(picked.events.data[0].leader, 0);
	EXPECT_INT(picked.events.data[1].leader, 1);
	EXPECT_INT(picked.events.data[2].leader, 1);
	EXPECT_INT(picked.events.data[2].same_as, 2);
	EXPECT_INT(picked.events.data[1].cpus.len, 2);
	event_list_free(&picked);
	vec_free(&origin);
	plan_fini(&plan);
	event_list_free(&list);
	fake_shutdown();
}

/* Whatever this machine has, the plan must hold: software needs nothing, and what is said to fit at
 * once does. */
TEST(plan_on_this_machine)
{
	struct event_list list = { 0 };
	struct plan plan;

	add_events(&list, "sshhgm");
	plan_make(&plan, &list, NULL);
	EXPECT_INT(plan.events.data[0].need, PLAN_NO_COUNTER);
	EXPECT_INT(plan.events.data[1].need, PLAN_NO_COUNTER);
	if (!plan.general)
		EXPECT_TEXT(shape(&plan), "--????");
	plan_fini(&plan);
	event_list_free(&list);
}
