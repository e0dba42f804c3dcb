// SPDX-License-Identifier: Apache-2.0
#include "summary/spread.h"
#include "test.h"

TEST(spread_of_nothing)
{
	struct spread spread = { 0 };

	EXPECT(spread_percentile(&spread, 50) == UINT64_MAX);
	EXPECT(span_mean(&spread.span) == UINT64_MAX);
	EXPECT(span_min(&spread.span) == UINT64_MAX);
	EXPECT(span_max(&spread.span) == UINT64_MAX);
}

TEST(spread_percentiles_are_near)
{
	struct spread spread = { 0 };

	for (uint64_t i = 1; i <= 100000; i++)
		spread_add(&spread, i * 1000, i);
	EXPECT_NEAR((double)spread_percentile(&spread, 50), 50e6, 0.016 * 50e6);
	EXPECT_NEAR((double)spread_percentile(&spread, 95), 95e6, 0.016 * 95e6);
	EXPECT_NEAR((double)spread_percentile(&spread, 99), 99e6, 0.016 * 99e6);
	EXPECT_INT(spread.span.min, 1000);
	EXPECT_INT(spread.span.max, 100000000);
	EXPECT_INT(spread.span.worst_at, 100000);
	EXPECT_INT(span_mean(&spread.span), 50000500);
	spread_free(&spread);
}

TEST(spread_keeps_single_times)
{
	static const uint64_t times[] = { 0,  1,    31,	  32,	      63,
					  64, 1023, 4096, 1ULL << 40, UINT64_MAX - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct spread spread = { 0 };

		test_case("%llu", (unsigned long long)times[i]);
		spread_add(&spread, times[i], 7);
		EXPECT(spread_percentile(&spread, 1) == times[i]);
		EXPECT(spread_percentile(&spread, 99) == times[i]);
		spread_free(&spread);
	}
}

TEST(spread_merges)
{
	struct spread a = { 0 }, b = { 0 }, all = { 0 };

	spread_add(&a, 10, 1);
	spread_add(&b, 500, 2);
	spread_add(&b, 3, 3);
	spread_merge(&all, &a);
	spread_merge(&all, &b);
	EXPECT_INT(all.span.count, 3);
	EXPECT_INT(all.span.total, 513);
	EXPECT_INT(all.span.min, 3);
	EXPECT_INT(all.span.max, 500);
	EXPECT_INT(all.span.worst_at, 2);
	EXPECT_INT(spread_percentile(&all, 50), 10);
	spread_free(&a);
	spread_free(&b);
	spread_free(&all);
}
