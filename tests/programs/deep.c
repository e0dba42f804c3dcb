// SPDX-License-Identifier: Apache-2.0
/* Computes below so many bytes of stack: deep BYTES SECONDS of CPU time. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noinline))

volatile unsigned sink;

static double used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

KEEP static void at_the_bottom(double until)
{
	while (used() < until)
		for (unsigned i = 0; i < 5000; i++)
			sink += i;
}

KEEP static void with_room(size_t bytes, double seconds)
{
	char *room = alloca(bytes);

	memset(room, 1, bytes);
	at_the_bottom(seconds);
	sink += (unsigned)room[bytes / 2];
}

int main(int argc, char **argv)
{
	with_room(argc > 1 ? strtoul(argv[1], NULL, 10) : 1, argc > 2 ? atof(argv[2]) : 1);
	return 0;
}
