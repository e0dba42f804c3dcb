// SPDX-License-Identifier: Apache-2.0
/*
 * Computes in a known chain of calls: chain THREADS SECONDS [cpu]
 *
 * main or a thread -> work -> outer -> middle -> inner -> leaf.  At the end one line on standard
 * output tells the CPU time of each thread in ns.  The seconds are those of the clock, or with
 * `cpu` of CPU time: so much is done however busy the machine is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MOST 256
#define KEEP	     __attribute__((noinline))

static double seconds;
static clockid_t measure = CLOCK_MONOTONIC;
static long long used[THREADS_MOST];
volatile unsigned sink;

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

KEEP static unsigned leaf(unsigned value)
{
	for (int i = 0; i < 5000; i++)
		value = value * 1664525 + 1013904223;
	sink += value;
	return value;
}

/* What is done with the result keeps these from being jumps. */
KEEP static unsigned inner(unsigned value)
{
	return leaf(value) + 1;
}

KEEP static unsigned middle(unsigned value)
{
	return inner(value) + 1;
}

KEEP static unsigned outer(unsigned value)
{
	return middle(value) + 1;
}

KEEP static void *work(void *into)
{
	double until = now(measure) + seconds;
	unsigned value = 1;

	while (now(measure) < until)
		value = outer(value);
	*(long long *)into = (long long)(now(CLOCK_THREAD_CPUTIME_ID) * 1e9);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t ids[THREADS_MOST];

	seconds = argc > 2 ? atof(argv[2]) : 1;
	if (argc > 3 && !strcmp(argv[3], "cpu"))
		measure = CLOCK_THREAD_CPUTIME_ID;
	if (threads < 1 || threads > THREADS_MOST)
		return 2;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, &used[i]))
			return 1;
	work(&used[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < threads; i++)
		printf("%lld%c", used[i], i + 1 < threads ? ' ' : '\n');
	return 0;
}
