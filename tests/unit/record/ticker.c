// SPDX-License-Identifier: Apache-2.0
#include "record/ticker.h"
#include "base/clock.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static void wait_for(const struct ticker *ticker)
{
	struct pollfd pollfd = { .fd = ticker->fd, .events = POLLIN };

	EXPECT_INT(poll(&pollfd, 1, 5000), 1);
}

TEST(ticker_does_not_drift)
{
	struct ticker ticker;
	int64_t took;

	EXPECT_INT(ticker_open(&ticker, clock_now_ns(), 2 * NS_PER_MSEC, NULL), 0);
	while (ticker.seen + ticker.missed < 50) {
		wait_for(&ticker);
		EXPECT_INT(ticker_take(&ticker), 1);
		usleep(500); /* work between the ticks delays none of them */
	}
	took = clock_now_ns() - ticker.start_ns;
	EXPECT(took >= (int64_t)(ticker.seen + ticker.missed) * 2 * NS_PER_MSEC);
	EXPECT(took <= (int64_t)(ticker.seen + ticker.missed + 5) * 2 * NS_PER_MSEC);
	ticker_close(&ticker);
}

TEST(ticker_counts_what_was_missed)
{
	struct ticker ticker;

	EXPECT_INT(ticker_open(&ticker, clock_now_ns(), 5 * NS_PER_MSEC, NULL), 0);
	EXPECT_INT(ticker_take(&ticker), 0);
	usleep(52000);
	EXPECT_INT(ticker_take(&ticker), 1);
	EXPECT_INT(ticker_take(&ticker), 0);
	EXPECT_INT(ticker.seen, 1);
	EXPECT(ticker.missed >= 9);
	ticker_close(&ticker);
}

TEST(ticker_starts_in_the_past)
{
	int64_t start = clock_now_ns() - 7 * NS_PER_MSEC, late;
	struct ticker ticker;

	EXPECT_INT(ticker_open(&ticker, start, 10 * NS_PER_MSEC, NULL), 0);
	wait_for(&ticker);
	late = clock_now_ns() - start - 10 * NS_PER_MSEC;
	EXPECT(late >= 0 && late < 7 * NS_PER_MSEC);
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
