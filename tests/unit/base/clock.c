// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "test.h"

#include <unistd.h>

TEST(clock_goes_forward_in_nanoseconds)
{
	int64_t before = clock_now_ns(), after;

	usleep(20000);
	after = clock_now_ns();
	EXPECT(after - before >= 20 * NS_PER_MSEC);
	EXPECT(after - before < 60 * NS_PER_SEC);
}
