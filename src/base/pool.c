// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"
#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	pthread_mutex_t lock; /* guards all below, and the tasks' states and links */
	pthread_cond_t work, done;
	struct pool_task *first, **last; /* the queue */
	unsigned workers;		 /* that there may be, the caller among them */
	unsigned started, sleeping;
	bool ending;
	struct worker threads[POOL_WORKERS_MAX];
};

static unsigned usable_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

struct pool *pool_new(unsigned workers)
{
	struct pool *pool = mem_alloc(sizeof(*pool));

	if (!workers)
		workers = usable_cpus();
	pool->workers = workers < POOL_WORKERS_MAX ? workers : POOL_WORKERS_MAX;
	pool->last = &pool->first;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->done, NULL);
	return pool;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i].thread, NULL);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

bool pool_has_threads(const struct pool *pool)
{
	return pool->workers > 1;
}

static struct pool_task *take_first(struct pool *pool)
{
	struct pool_task *task = pool->first;

	pool->first = task->next;
	if (!pool->first)
		pool->last = &pool->first;
	task->state = POOL_RUNNING;
	return task;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	while (!pool->ending) {
		struct pool_task *task;

		if (!pool->first) {
			pool->sleeping++;
			pthread_cond_wait(&pool->work, &pool->lock);
			pool->sleeping--;
			continue;
		}
		task = take_first(pool);
		pthread_mutex_unlock(&pool->lock);
		task->run(task, worker->number);
		pthread_mutex_lock(&pool->lock);
		task->state = POOL_DONE;
		pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Signals stay the business of those who expect them. */
static void start_one(struct pool *pool)
{
	struct worker *worker = &pool->threads[pool->started];
	sigset_t all, before;

	*worker = (struct worker){ .pool = pool, .number = pool->started + 1 };
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&worker->thread, NULL, work, worker))
		pool->workers = pool->started + 1; /* as many as the system gives */
	else
		pool->started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_hand_in(struct pool *pool, struct pool_task *task)
{
	pthread_mutex_lock(&pool->lock);
	task->next = NULL;
	task->state = POOL_QUEUED;
	*pool->last = task;
	pool->last = &task->next;
	if (pool->sleeping)
		pthread_cond_signal(&pool->work);
	else if (pool->started + 1 < pool->workers)
		start_one(pool);
	pthread_mutex_unlock(&pool->lock);
}

static void unqueue(struct pool *pool, struct pool_task *task)
{
	struct pool_task **at = &pool->first;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (!*at)
		pool->last = at;
}

void pool_take_back(struct pool *pool, struct pool_task *task)
{
	bool own;

	pthread_mutex_lock(&pool->lock);
	own = task->state == POOL_QUEUED;
	if (own)
		unqueue(pool, task);
	while (task->state == POOL_RUNNING)
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	if (own)
		task->run(task, 0);
	task->state = POOL_IDLE;
}
