/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular ticks without drift: a timer on absolute CLOCK_MONOTONIC time.
 *
 * Tick n is due at start + n * interval whatever happened before.  When the reader comes late, the
 * ticks it missed are counted and said, and the next one is on time again.
 */
#ifndef RECORD_TICKER_H
#define RECORD_TICKER_H

#include <stdint.h>

struct err;

struct ticker {
	int fd; /* a timerfd, for poll */
	int64_t start_ns, interval_ns;
	uint64_t seen, missed;
};

/* start_ns is what the ticks are counted from, and may lie in the past. */
int ticker_open(struct ticker *ticker, int64_t start_ns, int64_t interval_ns, struct err *err);
/* Takes what is due after poll said readable; 1 if a tick is due, 0 if not. */
int ticker_take(struct ticker *ticker);
void ticker_close(struct ticker *ticker);

#endif
