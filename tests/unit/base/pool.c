// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

struct piece {
	struct pool_task task; /* first: a task is its piece */
	unsigned runs, worker;
	bool begun;
	uint64_t made;
};

static void make(struct pool_task *task, unsigned worker)
{
	struct piece *piece = (struct piece *)task;

	piece->runs++;
	piece->worker = worker;
	for (uint64_t i = 0; i < 20000; i++)
		piece->made = piece->made * 6364136223846793005u + i;
}

static void run_rounds(unsigned workers, unsigned *by_threads)
{
	struct pool *pool = pool_new(workers);
	struct piece pieces[16] = { 0 }, alone = { 0 };

	make(&alone.task, 0);
	*by_threads = 0;
	for (unsigned i = 0; i < 400; i++) {
		struct piece *piece = &pieces[i % 16];

		if (i >= 16) {
			pool_take_back(pool, &piece->task);
			EXPECT_INT(piece->runs, 1);
			EXPECT(piece->made == alone.made);
			EXPECT(piece->worker <
			       (workers < POOL_WORKERS_MAX ? workers : POOL_WORKERS_MAX));
			*by_threads += piece->worker > 0;
		}
		*piece = (struct piece){ .task.run = make };
		pool_hand_in(pool, &piece->task);
	}
	for (unsigned i = 400; i < 416; i++)
		pool_take_back(pool, &pieces[i % 16].task);
	pool_free(pool);
}

TEST(pool_gives_back_what_was_done_once)
{
	unsigned by_threads;

	run_rounds(4, &by_threads);
	run_rounds(100, &by_threads);
}

TEST(pool_works_without_threads)
{
	unsigned by_threads;

	run_rounds(1, &by_threads);
	EXPECT_INT(by_threads, 0);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void wait_at_gate(struct pool_task *task, unsigned worker)
{
	make(task, worker);
	__atomic_store_n(&((struct piece *)task)->begun, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

/* With its only thread held up, the pool's caller does the rest, in any order. */
TEST(pool_waits_for_nobody_who_has_not_begun)
{
	struct pool *pool = pool_new(2);
	struct piece held = { .task.run = wait_at_gate }, others[3] = { 0 };

	EXPECT(pool_has_threads(pool));
	pthread_mutex_lock(&gate);
	pool_hand_in(pool, &held.task);
	while (!__atomic_load_n(&held.begun, __ATOMIC_ACQUIRE))
		sched_yield();
	for (size_t i = 0; i < 3; i++) {
		others[i].task.run = make;
		pool_hand_in(pool, &others[i].task);
	}
	for (size_t i = 3; i--;) {
		pool_take_back(pool, &others[i].task);
		EXPECT_INT(others[i].worker, 0);
		EXPECT_INT(others[i].runs, 1);
	}
	pthread_mutex_unlock(&gate);
	pool_take_back(pool, &held.task);
	EXPECT_INT(held.worker, 1);
	pool_free(pool);
	pool_free(NULL);
}
