/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that do pieces of work for one other, who hands them in and wants them back in order.
 *
 * Nobody waits for a piece that was not begun: whoever wants it back does it then.  So nothing is
 * slower for a machine that has something else to do, and without threads everything still works.
 * A thread is started when there is work that nobody is free for, and ends with the pool.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>

#define POOL_WORKERS_MAX 8

struct pool;

enum pool_state {
	POOL_IDLE, /* nobody's: new, or done and taken back */
	POOL_QUEUED,
	POOL_RUNNING,
	POOL_DONE,
};

/* Part of the caller's struct, which stays where it is until it is taken back. */
struct pool_task {
	/* Worker 0 is who takes back, the threads are 1 to POOL_WORKERS_MAX - 1. */
	void (*run)(struct pool_task *task, unsigned worker);
	struct pool_task *next;
	enum pool_state state; /* the pool's */
};

/* For so many workers, the caller among them; 0: one for each CPU that we may use. */
struct pool *pool_new(unsigned workers);
/* Every task has been taken back. */
void pool_free(struct pool *pool);

/* Whether there can be anybody but the caller. */
bool pool_has_threads(const struct pool *pool);

void pool_hand_in(struct pool *pool, struct pool_task *task);
/* Returns when the task has been done, by whomever. */
void pool_take_back(struct pool *pool, struct pool_task *task);

#endif
