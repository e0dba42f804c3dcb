// SPDX-License-Identifier: Apache-2.0
/*
 * A program that is limited by one thing, for about so many milliseconds (800):
 *
 *	limits cpu|calls|faults|processes|idle|locks|onethread [MILLISECONDS]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static atomic_bool over;

static void take_turn(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine && !over)
		pthread_cond_wait(&changed, &lock);
	turn = !mine;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *other_player(void *unused)
{
	while (!over)
		take_turn(1);
	return unused;
}

/* Works for a moment, so that it is met by a sample, and then waits. */
static void *bystander(void *unused)
{
	for (int i = 0; i < 4; i++)
		spin(1);
	while (!over)
		sleep_a_little();
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "cpu";
	int64_t end = now_ms() + (argc > 2 ? atol(argv[2]) : 800);
	uint64_t x = 88172645463325252u;
	pthread_t threads[3] = { 0 };
	int count = !strcmp(what, "onethread") ? 3 : !strcmp(what, "locks");

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, count > 1 ? bystander : other_player, NULL);
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
		else if (!strcmp(what, "locks"))
			take_turn(0);
		else if (!strcmp(what, "onethread"))
			x = spin(x);
		else
			return 2;
	}
	over = true;
	pthread_cond_broadcast(&changed);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return x == 0; /* never 0, but the compiler does not know */
}
