/* SPDX-License-Identifier: Apache-2.0 */
/* Time: CLOCK_MONOTONIC for everything that is measured, in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC  1000000000LL
#define NS_PER_MSEC 1000000LL

static inline int64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

#endif
