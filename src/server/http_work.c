// SPDX-License-Identifier: Apache-2.0
/* The threads that run handlers: a few for the quick ones, more as they are needed for others. */
#include "server/http_inside.h"

#include <errno.h>
#include <sodium.h>

struct worker {
	struct http *http;
	struct http_tasks *tasks;
};

void tasks_init(struct http_tasks *tasks, size_t threads_most)
{
	tasks->last = &tasks->first;
	tasks->threads_most = threads_most;
	pthread_cond_init(&tasks->more, NULL);
}

void work_run(struct http_exchange *exchange)
{
	struct err err = { 0 };
	struct request *request = &exchange->request;
	int rc = rights_check(request, &err);

	if (!rc)
		rc = request->route->handle(request, &err);
	if (!rc)
		rights_note_values(request);
	reply_settle(exchange, rc, &err);
	if (exchange_is_secret(exchange))
		sodium_stackzero(STACK_USED);
}

static struct http_exchange *take(struct http_tasks *tasks)
{
	struct http_exchange *exchange = tasks->first;

	tasks->first = exchange->next_task;
	if (!tasks->first)
		tasks->last = &tasks->first;
	tasks->waiting--;
	return exchange;
}

/* Once resumed the exchange is the daemon's again, which may end it at any time. */
static void finish(struct http_exchange *exchange)
{
	work_run(exchange);
	exchange->step = STEP_READY;
	exchange->http->mhd->resume(exchange->connection);
}

static void *worker_thread(void *arg)
{
	struct worker *worker = arg;
	struct http_tasks *tasks = worker->tasks;
	struct http *http = worker->http;

	free(worker);
	pthread_mutex_lock(&http->lock);
	for (;;) {
		if (tasks->first) {
			struct http_exchange *exchange = take(tasks);

			pthread_mutex_unlock(&http->lock);
			finish(exchange);
			pthread_mutex_lock(&http->lock);
		} else if (http->stopping) {
			break;
		} else {
			tasks->idle++;
			pthread_cond_wait(&tasks->more, &http->lock);
			tasks->idle--;
		}
	}
	tasks->threads--;
	pthread_cond_broadcast(&http->changed);
	pthread_mutex_unlock(&http->lock);
	return NULL;
}

/* Called with the lock held. */
static void start_thread(struct http *http, struct http_tasks *tasks)
{
	struct worker *worker = mem_alloc(sizeof(*worker));
	pthread_attr_t attr;
	pthread_t thread;

	*worker = (struct worker){ http, tasks };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attr, worker_thread, worker))
		free(worker);
	else
		tasks->threads++;
	pthread_attr_destroy(&attr);
}

/* Downloads that are long in the making must not keep anybody from signing in. */
static struct http_tasks *tasks_for(struct http *http, unsigned flags)
{
	if (flags & ROUTE_MADE)
		return &http->made;
	return flags & ROUTE_SLOW ? &http->slow : &http->quick;
}

int work_hand_in(struct http_exchange *exchange)
{
	struct http *http = exchange->http;
	struct http_tasks *tasks = tasks_for(http, exchange->request.route->flags);
	int rc = -EBUSY;

	pthread_mutex_lock(&http->lock);
	if (tasks->waiting >= tasks->idle && tasks->threads < tasks->threads_most)
		start_thread(http, tasks);
	if (tasks->threads && tasks->waiting < TASKS_MOST && !http->stopping) {
		exchange->next_task = NULL;
		*tasks->last = exchange;
		tasks->last = &exchange->next_task;
		tasks->waiting++;
		pthread_cond_signal(&tasks->more);
		rc = 0;
	}
	pthread_mutex_unlock(&http->lock);
	return rc;
}

void work_stop(struct http *http)
{
	pthread_mutex_lock(&http->lock);
	pthread_cond_broadcast(&http->quick.more);
	pthread_cond_broadcast(&http->slow.more);
	pthread_cond_broadcast(&http->made.more);
	while (http->quick.threads || http->slow.threads || http->made.threads)
		pthread_cond_wait(&http->changed, &http->lock);
	pthread_mutex_unlock(&http->lock);
}
