// SPDX-License-Identifier: Apache-2.0
#include "record/ticker.h"
#include "base/clock.h"
#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC };
}

int ticker_open(struct ticker *ticker, int64_t start_ns, int64_t interval_ns, struct err *err)
{
	struct itimerspec when = { .it_interval = timespec_of(interval_ns) };

	*ticker = (struct ticker){ .fd = -1, .start_ns = start_ns, .interval_ns = interval_ns };
	if (interval_ns <= 0)
		return err_set(err, EINVAL, "an interval must be longer than nothing");
	ticker->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (ticker->fd < 0)
		return err_set(err, errno, "timer: %s", strerror(errno));

	when.it_value = timespec_of(start_ns + interval_ns);
	if (timerfd_settime(ticker->fd, TFD_TIMER_ABSTIME, &when, NULL)) {
		int code = errno;

		ticker_close(ticker);
		return err_set(err, code, "timer: %s", strerror(code));
	}
	return 0;
}

int ticker_take(struct ticker *ticker)
{
	uint64_t due;

	if (read(ticker->fd, &due, sizeof(due)) != sizeof(due))
		return 0;
	ticker->seen++;
	ticker->missed += due - 1;
	return 1;
}

void ticker_close(struct ticker *ticker)
{
	if (ticker->fd >= 0)
		close(ticker->fd);
	ticker->fd = -1;
}
