// SPDX-License-Identifier: Apache-2.0
/*
 * A program that is limited by one thing, for about so many milliseconds (800):
 *
 *	limits cpu|calls|faults|processes|idle [MILLISECONDS]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY ((size_t)8 << 20)

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((noinline)) static uint64_t spin(uint64_t x)
{
	for (long i = 0; i < 1000000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static void ask_kernel(void)
{
	for (int i = 0; i < 10000; i++)
		syscall(SYS_getppid);
}

static void touch_memory(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, MEMORY, MADV_NOHUGEPAGE); /* a fault a page */
	for (size_t i = 0; i < MEMORY; i += (size_t)page)
		memory[i] = 1;
	munmap(memory, MEMORY);
}

static void start_process(const char *self)
{
	pid_t child = vfork();

	if (!child) {
		execl(self, self, "cpu", "0", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void sleep_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "cpu";
	int64_t end = now_ms() + (argc > 2 ? atol(argv[2]) : 800);
	uint64_t x = 88172645463325252u;

	while (now_ms() < end) {
		if (!strcmp(what, "cpu"))
			x = spin(x);
		else if (!strcmp(what, "calls"))
			ask_kernel();
		else if (!strcmp(what, "faults"))
			touch_memory();
		else if (!strcmp(what, "processes"))
			start_process("/proc/self/exe");
		else if (!strcmp(what, "idle"))
			sleep_a_little();
		else
			return 2;
	}
	return x == 0; /* never 0, but the compiler does not know */
}
