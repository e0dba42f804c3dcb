// SPDX-License-Identifier: Apache-2.0
#include "base/timerange.h"
#include "base/err.h"
#include "base/vec.h"
#include "test.h"

#include <errno.h>

#define S UINT64_C(1000000000)

TEST(time_ranges)
{
	const struct time_range whole = { 100 * S, 200 * S };
	static const struct {
		const char *text;
		uint64_t start, end;
	} cases[] = {
		{ "110,120.5", 110 * S, 120 * S + S / 2 },
		{ ",120", 0, 120 * S },
		{ "110,", 110 * S, 0 },
		{ "110.000000001,", 110 * S + 1, 0 },
		{ "10s-20s", 110 * S, 120 * S },
		{ "10-20", 110 * S, 120 * S },
		{ "10s-", 110 * S, 0 },
		{ "-500ms", 100 * S, 100 * S + S / 2 },
		{ "10%-20%", 110 * S, 120 * S },
		{ "50%-100%", 150 * S, 200 * S },
		{ "10%/2", 110 * S, 120 * S },
		{ "25%", 100 * S, 125 * S },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct time_range range;
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(time_range_parse(&range, cases[i].text, &whole, &err), 0);
		EXPECT_INT(range.start, cases[i].start);
		EXPECT_INT(range.end, cases[i].end);
	}
}

TEST(time_ranges_that_are_none)
{
	static const char *const cases[] = { "",      "x",     "20,10",	 "20s-10s", "5",
					     "110.5", "1,2,3", "10%-5%", "10%/0",   "10%-200%",
					     "1s-2x", "a-b",   "10;20" };
	const struct time_range whole = { 100 * S, 200 * S };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct time_range range;
		struct err err = { 0 };

		test_case("%s", cases[i]);
		EXPECT_INT(time_range_parse(&range, cases[i], &whole, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, "--time");
	}
}

TEST(time_ranges_of_a_recording_without_times)
{
	struct time_range range;
	struct err err = { 0 };

	EXPECT_INT(time_range_parse(&range, "1s-2s", NULL, &err), -ENODATA);
	EXPECT_INT(time_range_parse(&range, "10%-20%", NULL, &err), -ENODATA);
	EXPECT_INT(time_range_parse(&range, "1,2", NULL, &err), 0);
}
