// SPDX-License-Identifier: Apache-2.0
/*
 * A process with many threads that do a known amount of work when told to.
 *
 *	crowd THREADS [SPAWNERS [PAUSE]]
 *
 * SPAWNERS threads (1) start the others, one every PAUSE (0) microseconds, each of which waits.
 *Words on standard input, a letter each: 's' no more threads are started, 'g' every thread reads
 *CALLS bytes from /dev/zero and touches PAGES fresh pages, 'q' the end.  Each is answered with a
 *line: its letter and the number of threads that there are by then, main and spawners not counted.
 *Without 's' before it, 'g' waits until all are there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CALLS = 10, PAGES = 4, STACK = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long wanted, started, worked, pause_us;
static bool full, go;
static int zero;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void work(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *pages, byte;

	pages = mmap(NULL, (size_t)(PAGES * page), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		fail("mmap");
	for (int i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * page] = 1;
	for (int i = 0; i < CALLS; i++)
		if (read(zero, &byte, 1) != 1)
			fail("/dev/zero");
}

static void *wait_and_work(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	work();
	pthread_mutex_lock(&lock);
	worked++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (;;)
		pause();
	return unused;
}

static bool take_place(void)
{
	bool mine;

	pthread_mutex_lock(&lock);
	mine = !full && started < wanted;
	started += mine;
	pthread_mutex_unlock(&lock);
	return mine;
}

static void *spawn(void *unused)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (take_place()) {
		if (pthread_create(&thread, &attr, wait_and_work, NULL))
			fail("pthread_create");
		if (pause_us)
			usleep((useconds_t)pause_us);
	}
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long n_spawners = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t *spawners = calloc(n_spawners, sizeof(*spawners));
	bool joined = false;
	char letter;

	pause_us = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	zero = open("/dev/zero", O_RDONLY);
	if (!spawners || !n_spawners || zero < 0)
		fail("crowd");
	for (unsigned long i = 0; i < n_spawners; i++)
		if (pthread_create(&spawners[i], NULL, spawn, NULL))
			fail("pthread_create");
	while (read(0, &letter, 1) == 1 && letter != 'q') {
		if (letter != 's' && letter != 'g')
			continue;
		pthread_mutex_lock(&lock);
		full |= letter == 's';
		pthread_mutex_unlock(&lock);
		for (unsigned long i = 0; !joined && i < n_spawners; i++)
			pthread_join(spawners[i], NULL);
		joined = true;
		pthread_mutex_lock(&lock);
		go = letter == 'g';
		pthread_cond_broadcast(&changed);
		while (go && worked < started)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		printf("%c %lu\n", letter, started);
		fflush(stdout);
	}
	free(spawners);
	_exit(0);
}
