/* SPDX-License-Identifier: Apache-2.0 */
/* Time in nanoseconds: CLOCK_MONOTONIC for everything that is measured, the wall for people. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
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

static inline int64_t clock_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* A condition that waits by this clock: no jump of the wall's makes it longer. */
static inline void clock_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

/* The time to give to pthread_cond_timedwait() for one of those. */
static inline struct timespec clock_after(int64_t ns)
{
	int64_t until = clock_now_ns() + ns;

	return (struct timespec){ .tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC };
}

static inline struct timespec clock_in(int seconds)
{
	return clock_after(seconds * NS_PER_SEC);
}

#endif
