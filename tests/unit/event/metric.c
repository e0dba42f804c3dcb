// SPDX-License-Identifier: Apache-2.0
#include "event/metric.h"
#include "test.h"

#define READ_MISS(cache) (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static struct event hardware(uint64_t config)
{
	return (struct event){ .kind = EVENT_HARDWARE,
			       .attr.base = { .type = PERF_TYPE_HARDWARE, .config = config },
			       .scale = 1 };
}

static struct event cache(uint64_t config)
{
	return (struct event){ .kind = EVENT_CACHE,
			       .attr.base = { .type = PERF_TYPE_HW_CACHE, .config = config },
			       .scale = 1 };
}

static struct event software(uint64_t config)
{
	bool clock = config <= PERF_COUNT_SW_TASK_CLOCK;

	return (struct event){ .kind = EVENT_SOFTWARE,
			       .attr.base = { .type = PERF_TYPE_SOFTWARE, .config = config },
			       .scale = clock ? 1e-6 : 1 };
}

/* The only figure of `what` beside `other`. */
static struct metric beside(struct event what, double count, struct event other, double other_count)
{
	struct metric_source sources[] = { { &other, other_count, true }, { &what, count, true } };
	struct metric metrics[METRIC_MAX];

	EXPECT_INT(metric_of(metrics, sources, 2, 1, 2e9), 1);
	return metrics[0];
}

TEST(metric_shares_and_ratios)
{
	const struct {
		struct event event, other;
		double count, other_count, value;
		const char *unit;
	} cases[] = {
		{ hardware(PERF_COUNT_HW_INSTRUCTIONS), hardware(PERF_COUNT_HW_CPU_CYCLES), 3000,
		  2000, 1.5, "insn per cycle" },
		{ hardware(PERF_COUNT_HW_BRANCH_MISSES),
		  hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), 25, 1000, 2.5, "of all branches" },
		{ hardware(PERF_COUNT_HW_CACHE_MISSES), hardware(PERF_COUNT_HW_CACHE_REFERENCES),
		  50, 200, 25, "of all cache refs" },
		{ hardware(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
		  hardware(PERF_COUNT_HW_CPU_CYCLES), 600, 1000, 60, "frontend cycles idle" },
		{ hardware(PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
		  hardware(PERF_COUNT_HW_CPU_CYCLES), 300, 1000, 30, "backend cycles idle" },
		{ cache(READ_MISS(L1D)), cache(PERF_COUNT_HW_CACHE_L1D), 1, 8, 12.5,
		  "of all L1-dcache accesses" },
		{ cache(READ_MISS(L1I)), cache(PERF_COUNT_HW_CACHE_L1I), 1, 8, 12.5,
		  "of all L1-icache accesses" },
		{ cache(READ_MISS(LL)), cache(PERF_COUNT_HW_CACHE_LL), 1, 8, 12.5,
		  "of all LL-cache accesses" },
		{ cache(READ_MISS(DTLB)), cache(PERF_COUNT_HW_CACHE_DTLB), 1, 8, 12.5,
		  "of all dTLB cache accesses" },
		{ cache(READ_MISS(ITLB)), cache(PERF_COUNT_HW_CACHE_ITLB), 1, 8, 12.5,
		  "of all iTLB cache accesses" },
		{ hardware(PERF_COUNT_HW_CPU_CYCLES), software(PERF_COUNT_SW_TASK_CLOCK), 3.3e9,
		  1e9, 3.3, "GHz" },
		{ software(PERF_COUNT_SW_TASK_CLOCK), software(PERF_COUNT_SW_PAGE_FAULTS), 3e9, 1,
		  1.5, "CPUs utilized" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct metric metric = beside(cases[i].event, cases[i].count, cases[i].other,
					      cases[i].other_count);

		test_case("%s", cases[i].unit);
		EXPECT_TEXT(metric.unit, cases[i].unit);
		EXPECT(metric.known);
		EXPECT_NEAR(metric.value, cases[i].value, 1e-9);
	}
}

TEST(metric_rates_take_the_unit_that_fits)
{
	static const struct {
		double faults, value;
		const char *unit;
	} cases[] = {
		{ 0, 0, "/sec" },	 { 10, 5, "/sec" },	{ 2000, 1000, "/sec" },
		{ 3000, 1.5, "K/sec" },	 { 5e6, 2.5, "M/sec" }, { 7e9, 3.5, "G/sec" },
		{ 7e12, 3500, "G/sec" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct metric metric = beside(software(PERF_COUNT_SW_PAGE_FAULTS), cases[i].faults,
					      software(PERF_COUNT_SW_TASK_CLOCK), 2e9);

		test_case("%g faults in 2 s", cases[i].faults);
		EXPECT_TEXT(metric.unit, cases[i].unit);
		EXPECT_NEAR(metric.value, cases[i].value, 1e-9);
	}
}

TEST(metric_wants_the_same_modifiers)
{
	struct event cycles = hardware(PERF_COUNT_HW_CPU_CYCLES), user_cycles = cycles;
	struct event instructions = hardware(PERF_COUNT_HW_INSTRUCTIONS), user = instructions;
	struct metric metrics[METRIC_MAX];

	user.attr.base.exclude_kernel = 1;
	user_cycles.attr.base.exclude_kernel = 1;

	struct metric_source sources[] = {
		{ &cycles, 1000, true },
		{ &user_cycles, 100, true },
		{ &instructions, 2000, true },
		{ &user, 50, true },
	};

	EXPECT_INT(metric_of(metrics, sources, 4, 2, 0), 1);
	EXPECT_NEAR(metrics[0].value, 2.0, 1e-9);
	EXPECT_INT(metric_of(metrics, sources, 4, 3, 0), 1);
	EXPECT_NEAR(metrics[0].value, 0.5, 1e-9);

	/* without cycles in its own mode there is none, though others were counted */
	sources[1].counted = false;
	EXPECT_INT(metric_of(metrics, sources, 4, 3, 0), 1);
	EXPECT(!metrics[0].known);
}

TEST(metric_of_cores_of_two_kinds)
{
	const uint64_t big = UINT64_C(4) << 32, little = UINT64_C(10) << 32;
	struct event cycles = hardware(big | PERF_COUNT_HW_CPU_CYCLES);
	struct metric metric;

	metric = beside(hardware(big | PERF_COUNT_HW_INSTRUCTIONS), 3000, cycles, 2000);
	EXPECT_BOOL(metric.known, true);
	EXPECT_NEAR(metric.value, 1.5, 1e-9);
	metric = beside(hardware(little | PERF_COUNT_HW_INSTRUCTIONS), 3000, cycles, 2000);
	EXPECT_BOOL(metric.known, false);
}

TEST(metric_is_never_made_of_what_was_not_counted)
{
	struct event cycles = hardware(PERF_COUNT_HW_CPU_CYCLES);
	struct event instructions = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	struct event faults = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct event clock = software(PERF_COUNT_SW_TASK_CLOCK);
	struct metric_source sources[] = {
		{ &cycles, 1000, false },
		{ &instructions, 2000, true },
		{ &faults, 7, true },
		{ &clock, 1e9, false },
	};
	struct metric metrics[METRIC_MAX];

	EXPECT_INT(metric_of(metrics, sources, 4, 1, 1e9), 1);
	EXPECT(!metrics[0].known);
	EXPECT_TEXT(metrics[0].unit, "insn per cycle");
	EXPECT_INT(metric_of(metrics, sources, 4, 2, 1e9), 0);
	EXPECT_INT(metric_of(metrics, sources, 4, 0, 1e9), 1);
	EXPECT(!metrics[0].known);
	EXPECT_INT(metric_of(metrics, sources, 4, 3, 0), 1); /* elapsed is not known */
	EXPECT(!metrics[0].known);
}

TEST(metric_stalled_cycles_come_second)
{
	struct event cycles = hardware(PERF_COUNT_HW_CPU_CYCLES);
	struct event instructions = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	struct event front = hardware(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	struct event back = hardware(PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	struct metric_source sources[] = {
		{ &cycles, 1000, true },
		{ &instructions, 400, true },
		{ &front, 100, true },
		{ &back, 300, true },
	};
	struct metric metrics[METRIC_MAX];

	EXPECT_INT(metric_of(metrics, sources, 4, 1, 0), 2);
	EXPECT_TEXT(metrics[1].unit, "stalled cycles per insn");
	EXPECT_NEAR(metrics[1].value, 0.75, 1e-9); /* the larger of both */
}

TEST(metric_tones)
{
	static const struct {
		double misses;
		enum metric_tone tone;
	} cases[] = {
		{ 5, METRIC_PLAIN },
		{ 6, METRIC_FAIR },
		{ 11, METRIC_POOR },
		{ 21, METRIC_BAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%g %%", cases[i].misses);
		EXPECT_INT(beside(hardware(PERF_COUNT_HW_BRANCH_MISSES), cases[i].misses,
				  hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), 100)
				   .tone,
			   cases[i].tone);
	}
}

TEST(metric_alone)
{
	static const struct {
		const char *unit;
		bool alone;
	} cases[] = {
		{ "GHz", true },
		{ "insn per cycle", true },
		{ "K/sec", false },
		{ "CPUs utilized", false },
		{ "of all branches", true },
		{ "/sec", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct metric metric = { .unit = cases[i].unit };

		test_case("%s", cases[i].unit);
		EXPECT_BOOL(metric_stands_alone(&metric), cases[i].alone);
	}
}

TEST(metric_of_a_time_is_no_rate)
{
	struct event clock = software(PERF_COUNT_SW_TASK_CLOCK);
	struct event time = { .kind = EVENT_TOOL, .scale = 1 };
	struct metric_source sources[] = { { &clock, 1e9, true }, { &time, 2e9, true } };
	struct metric metrics[METRIC_MAX];

	EXPECT_INT(metric_of(metrics, sources, 2, 1, 2e9), 0);
}
