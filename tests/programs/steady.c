// SPDX-License-Identifier: Apache-2.0
/*
 * The same work every time: touches PAGES fresh pages (4096), then computes for ROUNDS million
 *steps (100) in user mode.  Nothing else is asked of the kernel, so faults and time hardly vary.
 *
 *	steady [PAGES [ROUNDS]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t compute(long rounds)
{
	uint64_t x = 88172645463325252u;

	for (long i = 0; i < rounds * 1000000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 4096, rounds = argc > 2 ? atol(argv[2]) : 100;
	long size = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, (size_t)((pages + 1) * size), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, (size_t)((pages + 1) * size), MADV_NOHUGEPAGE); /* a fault a page */
	for (long i = 0; i < pages; i++)
		memory[i * size] = 1;
	return compute(rounds) == 0; /* never 0, but the compiler does not know */
}
