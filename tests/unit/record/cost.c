// SPDX-License-Identifier: Apache-2.0
#include "record/cost.h"
#include "base/mem.h"
#include "test.h"

#include <stdio.h>

/* How much longer programs take is never more than was measured. */
TEST(cost_times_are_rounded_down)
{
	static const struct {
		double share, error;
		const char *times;
	} cases[] = {
		{ 0.9495, 0, "19.0" }, /* 19.8 */
		{ 0.9495, 0.005, "18.0" }, { 0.525, 0.02, "2.0" },
		{ 0.34, 0, "1.5" },	   { 0.01, 0.02, "1.0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[32];

		test_case("%g-%g", cases[i].share, cases[i].error);
		snprintf(text, sizeof(text), "%.1f",
			 sampling_cost_times(cases[i].share, cases[i].error));
		EXPECT_TEXT(text, cases[i].times);
	}
}
