// SPDX-License-Identifier: Apache-2.0
/*
 * Works at the ends of stacks of many kinds, for the live tests of unwinding, which build it
 * without frame pointers: stacks KIND SECONDS.  KIND is plain, recursion, alloca, plt (stubs, and
 * qsort that calls back), signal (in a handler), threads (each all of these in turn) or all.
 *
 * Each thread keeps a true stack of its own, which lies in its outermost frame and so is in the
 * copy that a sample carries: a mark, how many functions there are, and which.  `stacks names`
 * tells their names in the order of their numbers.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(X)      \
	X(busy)           \
	X(many_registers) \
	X(run_plain)      \
	X(descend)        \
	X(run_recursion)  \
	X(run_alloca) X(compare) X(run_plt) X(on_signal) X(run_signal) X(work) X(work_all)

#define NUMBER(name) NUMBER_##name,
enum { FUNCTIONS(NUMBER) NUMBERS };

#define NAME(name) #name,
static const char *const names[] = { FUNCTIONS(NAME) };

#define MARK                                           \
	{                                              \
		0x7065726675c0ffee, 0x1122334455667788 \
	}

struct true_stack {
	uint64_t mark[2];
	uint32_t depth, numbers[160];
};

static __thread struct true_stack *own;
static volatile uint64_t sink;
static double seconds = 1;
static struct timespec started;

/* Keeps the compiler from turning calls into jumps, and two functions into one. */
#define APART static __attribute__((noinline, noclone))
#define STAY  __asm__ volatile("" ::: "memory")

#define ENTER(name)                                       \
	do {                                              \
		own->numbers[own->depth] = NUMBER_##name; \
		STAY;                                     \
		own->depth++;                             \
		STAY;                                     \
	} while (0)
#define LEAVE                 \
	do {                  \
		STAY;         \
		own->depth--; \
		STAY;         \
	} while (0)

APART uint64_t busy(uint64_t n)
{
	uint64_t x = n | 1;

	ENTER(busy);
	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005u + (x >> 33);
	sink += x;
	LEAVE;
	return x;
}

APART uint64_t many_registers(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			      uint64_t f)
{
	uint64_t x, y, z;

	ENTER(many_registers);
	x = busy(a) + b;
	y = busy(b) + c;
	z = busy(c) + d;
	x ^= y ^ z ^ busy(x + y) ^ a ^ b ^ c ^ d ^ e ^ f;
	LEAVE;
	return x;
}

APART uint64_t run_plain(uint64_t n)
{
	uint64_t x;

	ENTER(run_plain);
	x = many_registers(n, n + 1, n + 2, n + 3, n + 4, n + 5);
	LEAVE;
	return x + 1;
}

APART uint64_t descend(int depth, uint64_t n)
{
	uint64_t x;

	ENTER(descend);
	x = depth ? descend(depth - 1, n + 1) : busy(n);
	LEAVE;
	return x + (uint64_t)depth;
}

APART uint64_t run_recursion(uint64_t n)
{
	uint64_t x;

	ENTER(run_recursion);
	x = descend((int)(n % 100), n);
	LEAVE;
	return x;
}

APART uint64_t run_alloca(uint64_t n)
{
	volatile char *room = __builtin_alloca(n % 4000 + 16);
	uint64_t x;

	ENTER(run_alloca);
	room[n % 16] = 1;
	x = busy(n) + (uint64_t)room[n % 16];
	LEAVE;
	return x;
}

APART int compare(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;

	ENTER(compare);
	busy((uint64_t)(a + b));
	LEAVE;
	return a < b ? -1 : a > b;
}

APART uint64_t run_plt(uint64_t n)
{
	int numbers[8];

	ENTER(run_plt);
	for (int i = 0; i < 8; i++)
		numbers[i] = (int)((n * 7 + (uint64_t)i * 5) % 11);
	qsort(numbers, 8, sizeof(numbers[0]), compare);
	/* Many short calls through stubs: samples fall into them. */
	for (int i = 0; i < 3000; i++)
		sink += strtoul("12", NULL, 10) + (uint64_t)abs(rand());
	LEAVE;
	return (uint64_t)numbers[0];
}

APART void on_signal(int number)
{
	ENTER(on_signal);
	busy((uint64_t)number);
	LEAVE;
}

APART uint64_t run_signal(uint64_t n)
{
	ENTER(run_signal);
	raise(SIGUSR1);
	LEAVE;
	return n;
}

static const struct {
	const char *kind;
	uint64_t (*run)(uint64_t n);
} kinds[] = { { "plain", run_plain },
	      { "recursion", run_recursion },
	      { "alloca", run_alloca },
	      { "plt", run_plt },
	      { "signal", run_signal } };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

APART uint64_t work(const char *kind, uint64_t n)
{
	uint64_t x = 0;

	ENTER(work);
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kind, kinds[i].kind))
			x = kinds[i].run(n);
	LEAVE;
	return x + 1;
}

static double elapsed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - started.tv_sec) +
	       (double)(now.tv_nsec - started.tv_nsec) / 1e9;
}

APART void work_all(const char *kind)
{
	ENTER(work_all);
	for (uint64_t n = 0; elapsed() < seconds; n++)
		work(strcmp(kind, "all") ? kind : kinds[n % KINDS].kind, n);
	LEAVE;
}

static void *thread(void *kind)
{
	struct true_stack stack = { .mark = MARK };

	own = &stack;
	work_all(kind);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, (void *)"all");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "all";

	seconds = argc > 2 ? atof(argv[2]) : 1;
	clock_gettime(CLOCK_MONOTONIC, &started);
	signal(SIGUSR1, on_signal);
	if (!strcmp(kind, "names"))
		for (int i = 0; i < NUMBERS; i++)
			puts(names[i]);
	else if (!strcmp(kind, "threads"))
		run_threads();
	else
		thread((void *)kind);
	return sink == 42;
}
