// SPDX-License-Identifier: Apache-2.0
/*
 * Spends its CPU time in three functions, 60, 30 and 10 per cent of it by its own clock, and prints
 * how much each took: split [MILLISECONDS].
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Done in each function itself, by the same code. */
#define WORK(rounds)                                           \
	for (volatile unsigned i = 0; i < (rounds); i = i + 1) \
		;

__attribute__((noinline)) static void most(unsigned rounds)
{
	WORK(rounds)
}

__attribute__((noinline)) static void some(unsigned rounds)
{
	WORK(rounds)
}

__attribute__((noinline)) static void little(unsigned rounds)
{
	WORK(rounds)
}

/* Pieces of all lengths: equal ones would keep step with whoever samples them. */
static unsigned next_rounds(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return 50000 + (state >> 8) % 900000;
}

int main(int argc, char **argv)
{
	static const double shares[] = { 0.6, 0.3, 0.1 };
	static void (*const work[])(unsigned rounds) = { most, some, little };
	uint64_t whole = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000u;
	uint64_t spent[3] = { 0 }, total = 0;

	while (total < whole) {
		size_t next = 0;

		/* Whoever is furthest behind its share goes next. */
		for (size_t i = 1; i < 3; i++)
			if ((double)spent[i] / shares[i] < (double)spent[next] / shares[next])
				next = i;
		unsigned rounds = next_rounds();
		uint64_t began = cpu_ns();

		work[next](rounds);
		spent[next] += cpu_ns() - began;
		total = spent[0] + spent[1] + spent[2];
	}
	printf("most %.4f some %.4f little %.4f\n", (double)spent[0] / (double)total,
	       (double)spent[1] / (double)total, (double)spent[2] / (double)total);
	return 0;
}
