// SPDX-License-Identifier: Apache-2.0
#include "record/ticker.h"
#include "base/clock.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void wait_for(const struct ticker *ticker)
{
	struct pollfd pollfd = { .fd = ticker->fd, .events = POLLIN };

	EXPECT_INT(poll(&pollfd, 1, 5000), 1);
}

/* However late the ticks are looked at, as many are over as intervals have passed since the start.
 */
TEST(ticker_does_not_drift)
{
	const int64_t interval = 2 * NS_PER_MSEC;
	struct ticker ticker;

	EXPECT_INT(ticker_open(&ticker, clock_now_ns(), interval, NULL), 0);
	while (ticker.seen + ticker.missed < 50) {
		int64_t before, after, over;

		wait_for(&ticker);
		before = clock_now_ns() - ticker.start_ns;
		EXPECT_INT(ticker_take(&ticker), 1);
		after = clock_now_ns() - ticker.start_ns;
		over = (int64_t)(ticker.seen + ticker.missed);
		EXPECT(before / interval <= over && over <= after / interval);
		usleep(500); /* work between the ticks delays none of them */
	}
	ticker_close(&ticker);
}

/* Long intervals, so that nothing happens by the way; the clock begins with the machine. */
TEST(ticker_counts_what_was_missed)
{
	int64_t now = clock_now_ns(), interval = now / 11;
	struct ticker ticker;

	EXPECT_INT(ticker_open(&ticker, now, interval, NULL), 0);
	EXPECT_INT(ticker_take(&ticker), 0);
	ticker_close(&ticker);
	EXPECT_INT(ticker_open(&ticker, now - 10 * interval - interval / 2, interval, NULL), 0);
	wait_for(&ticker); /* even what is over already takes the kernel an interrupt */
	EXPECT_INT(ticker_take(&ticker), 1);
	EXPECT_INT(ticker_take(&ticker), 0);
	EXPECT_INT(ticker.seen, 1);
	EXPECT_INT(ticker.missed, 9);
	ticker_close(&ticker);
}

TEST(ticker_starts_in_the_past)
{
	int64_t now = clock_now_ns(), interval = now, left_ns;
	struct itimerspec left;
	struct ticker ticker;

	EXPECT_INT(ticker_open(&ticker, now - interval * 7 / 10, interval, NULL), 0);
	EXPECT_INT(timerfd_gettime(ticker.fd, &left), 0);
	left_ns = left.it_value.tv_sec * NS_PER_SEC + left.it_value.tv_nsec;
	EXPECT(left_ns > 0 && left_ns <= interval * 3 / 10 + 1);
	ticker_close(&ticker);
}

TEST(ticker_needs_an_interval)
{
	struct ticker ticker;
	struct err err = { 0 };

	EXPECT_INT(ticker_open(&ticker, clock_now_ns(), 0, &err), -EINVAL);
	EXPECT_INT(ticker_open(&ticker, clock_now_ns(), -5, &err), -EINVAL);
	ticker_close(&ticker);
}
