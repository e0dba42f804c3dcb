// SPDX-License-Identifier: Apache-2.0
#include "record/sampleattr.h"
#include "test.h"

#include <errno.h>
#include <time.h>

#define BASE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct event *one_event(struct event_list *list, uint32_t type)
{
	return event_list_add(
		list, type == PERF_TYPE_TRACEPOINT ? EVENT_TRACEPOINT : EVENT_SOFTWARE, type, 0);
}

/* As `perf evlist -v` shows perf's own for the same flags, our identifier and clock aside. */
TEST(sampleattr_fields_are_perfs)
{
	static const struct {
		const char *label;
		uint32_t type;
		struct sampling_choice choice;
		bool by_cpu;
		uint64_t sample_type;
		bool freq;
		uint64_t rate;
	} cases[] = {
		{ "-F 4000",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 4000 },
		  false,
		  BASE | PERF_SAMPLE_PERIOD,
		  true,
		  4000 },
		{ "-a",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 4000 },
		  true,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU,
		  true,
		  4000 },
		{ "-c 100",
		  PERF_TYPE_SOFTWARE,
		  { .period = 100, .chosen = true },
		  false,
		  BASE,
		  false,
		  100 },
		{ "-g",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 99, .stacks = STACK_FP },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		  true,
		  99 },
		{ "--call-graph dwarf",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 99, .stacks = STACK_DWARF, .stack_size = 8192 },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			  PERF_SAMPLE_STACK_USER,
		  true,
		  99 },
		{ "-b",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 99, .branches = PERF_SAMPLE_BRANCH_ANY },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
		  true,
		  99 },
		{ "tracepoint",
		  PERF_TYPE_TRACEPOINT,
		  { .frequency = 4000 },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		  false,
		  1 },
		/* Here we differ: with the period's field the kernel would deliver every hit. */
		{ "tracepoint -c 10",
		  PERF_TYPE_TRACEPOINT,
		  { .period = 10, .chosen = true },
		  false,
		  BASE | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		  false,
		  10 },
		{ "tracepoint -F 99",
		  PERF_TYPE_TRACEPOINT,
		  { .frequency = 99, .chosen = true },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		  true,
		  99 },
		{ "breakpoint",
		  PERF_TYPE_BREAKPOINT,
		  { .frequency = 4000 },
		  false,
		  BASE,
		  false,
		  1 },
		{ "breakpoint -F 99",
		  PERF_TYPE_BREAKPOINT,
		  { .frequency = 99, .chosen = true },
		  false,
		  BASE | PERF_SAMPLE_PERIOD,
		  true,
		  99 },
		{ "-n",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 99, .no_samples = true },
		  false,
		  BASE | PERF_SAMPLE_PERIOD,
		  false,
		  0 },
		{ "-d",
		  PERF_TYPE_SOFTWARE,
		  { .frequency = 99, .addresses = true },
		  false,
		  BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC,
		  true,
		  99 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = { 0 };
		struct event_attr attr;

		test_case("%s", cases[i].label);
		one_event(&list, cases[i].type);
		sampling_attr(&attr, &list, 0, &cases[i].choice, cases[i].by_cpu);
		EXPECT_INT(attr.base.sample_type, cases[i].sample_type);
		EXPECT_INT(attr.base.freq, cases[i].freq);
		EXPECT_INT(attr.base.sample_period, cases[i].rate);
		EXPECT_INT(attr.base.sample_id_all, 1);
		EXPECT_INT(attr.base.inherit, 1);
		EXPECT_INT(attr.base.mmap, 0);
		event_list_free(&list);
	}
}

TEST(sampleattr_terms_go_before_flags)
{
	struct sampling_choice choice = { .frequency = 99, .stacks = STACK_FP };
	struct event_list list = { 0 };
	struct event *event = one_event(&list, PERF_TYPE_SOFTWARE);
	struct event_attr attr;

	event->sampling.call_graph = "dwarf";
	event->sampling.stack_size = 1024;
	event->own_period = true;
	event->attr.base.sample_period = 5000;
	sampling_attr(&attr, &list, 0, &choice, false);
	EXPECT(attr.base.sample_type & PERF_SAMPLE_STACK_USER);
	EXPECT_INT(attr.base.sample_stack_user, 1024);
	EXPECT_INT(attr.base.sample_period, 5000);
	EXPECT_INT(attr.base.freq, 0);
	EXPECT_INT(attr.base.exclude_callchain_user, 0);
	event_list_free(&list);
}

TEST(sampleattr_read_group_samples_its_leader_only)
{
	struct sampling_choice choice = { .frequency = 99 };
	struct event_list list = { 0 };
	struct event_attr leader, member;

	one_event(&list, PERF_TYPE_SOFTWARE)->sample_read = true;
	one_event(&list, PERF_TYPE_SOFTWARE)->sample_read = true;
	list.events.data[1].leader = 0;
	sampling_attr(&leader, &list, 0, &choice, false);
	sampling_attr(&member, &list, 1, &choice, false);
	EXPECT_INT(leader.base.sample_freq, 99);
	EXPECT_INT(member.base.sample_freq, 0);
	EXPECT_INT(member.base.sample_type, leader.base.sample_type);
	EXPECT(leader.base.sample_type & PERF_SAMPLE_READ);
	EXPECT(leader.base.read_format & PERF_FORMAT_GROUP);
	EXPECT_INT(leader.base.inherit, 0);
	event_list_free(&list);
}

TEST(sampleattr_tracker_has_the_same_ids)
{
	struct sampling_choice choice = { .frequency = 99, .stacks = STACK_DWARF };
	struct event_list list = { 0 };
	struct event_attr attr, tracker;

	one_event(&list, PERF_TYPE_SOFTWARE);
	sampling_attr(&attr, &list, 0, &choice, true);
	sampling_attr_tracker(&tracker, &attr, &choice);
	EXPECT_INT(sampling_id_size(&attr), 24); /* pid and tid, time, cpu */
	EXPECT_INT(sampling_id_size(&tracker), 24);
	EXPECT_INT(tracker.base.config, PERF_COUNT_SW_DUMMY);
	EXPECT(tracker.base.mmap2 && tracker.base.comm && tracker.base.task);
	EXPECT(tracker.base.mmap_data);
	EXPECT(!tracker.base.context_switch);
	event_list_free(&list);
}

/* Beside copies at a high rate the chain by frame pointers costs more than they do. */
TEST(sampleattr_leaves_out_chains_that_cost_much)
{
	static const struct {
		enum stack_mode stacks;
		uint64_t frequency;
		bool left_out;
	} cases[] = { { STACK_DWARF, 4000, false },
		      { STACK_DWARF, 9999, true },
		      { STACK_FP, 9999, false },
		      { STACK_DWARF, 0, false } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sampling_choice choice = { .frequency = cases[i].frequency,
						  .period = 1000,
						  .stacks = cases[i].stacks,
						  .stack_size = 8192 };
		struct event_list list = { 0 };
		struct event_attr attr;

		test_case("%zu", i);
		event_list_add(&list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		sampling_attr(&attr, &list, 0, &choice, false);
		EXPECT_BOOL(attr.base.exclude_callchain_user, cases[i].left_out);
		event_list_free(&list);
	}
}

TEST(sampleattr_chooses_the_size_of_copies_by_the_rate)
{
	EXPECT_INT(sampling_stack_size(99, 16 << 20), 65528);
	EXPECT_INT(sampling_stack_size(499, 16 << 20), 65528);
	EXPECT_INT(sampling_stack_size(999, 16 << 20), 32768);
	EXPECT_INT(sampling_stack_size(4000, 16 << 20), 8192);
	EXPECT_INT(sampling_stack_size(0, 16 << 20), 8192);   /* by period: nobody knows */
	EXPECT_INT(sampling_stack_size(99, 512 << 10), 8192); /* many are to fit into a ring */
}

TEST(sampleattr_parses_stacks)
{
	static const struct {
		const char *text;
		int rc;
		enum stack_mode mode;
		uint32_t size;
	} cases[] = {
		{ "fp", 0, STACK_FP, 8192 },
		{ "dwarf", 0, STACK_DWARF, 8192 },
		{ "dwarf,4096", 0, STACK_DWARF, 4096 },
		{ "dwarf,4001", 0, STACK_DWARF, 4008 },
		{ "dwarf,65528", 0, STACK_DWARF, 65528 },
		{ "lbr", 0, STACK_LBR, 8192 },
		{ "no", 0, STACK_NONE, 8192 },
		{ "dwarf,65529", -EINVAL },
		{ "dwarf,0", -EINVAL },
		{ "dwarf,", -EINVAL },
		{ "dwarf,-1", -EINVAL },
		{ "fp,12", -EINVAL },
		{ "dw", -EINVAL },
		{ "", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sampling_choice choice = { 0 };
		struct err err = { 0 };

		test_case("'%s'", cases[i].text);
		EXPECT_INT(sampling_stacks_parse(&choice, cases[i].text, &err), cases[i].rc);
		if (cases[i].rc)
			continue;
		EXPECT_INT(choice.stacks, cases[i].mode);
		EXPECT_INT(choice.stack_size, cases[i].size);
	}
}

TEST(sampleattr_parses_branches)
{
	uint64_t bits = 0;
	struct err err = { 0 };

	EXPECT_INT(sampling_branches_parse("any_call,u", &bits, &err), 0);
	EXPECT_INT(bits, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	EXPECT_INT(sampling_branches_parse("k", &bits, &err), 0);
	EXPECT_INT(bits, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL);
	EXPECT_INT(sampling_branches_parse("any,nonsense", &bits, &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "nonsense");
}
