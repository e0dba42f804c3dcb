// SPDX-License-Identifier: Apache-2.0
#include "jobs/evloop.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"

#include <errno.h>
#include <poll.h>

struct watch {
	int fd; /* -1: removed meanwhile */
	short events;
	evloop_ready *ready;
	void *user;
};

struct timer {
	int64_t time_ns;
	evloop_due *due; /* NULL: removed or done */
	void *user;
};

struct evloop {
	VEC(struct watch) watches;
	VEC(struct timer) timers;
	VEC(struct pollfd) polled; /* in the order of the watches */
	bool stopped;
};

struct evloop *evloop_new(void)
{
	return mem_alloc(sizeof(struct evloop));
}

void evloop_free(struct evloop *loop)
{
	if (!loop)
		return;
	vec_free(&loop->watches);
	vec_free(&loop->timers);
	vec_free(&loop->polled);
	free(loop);
}

static struct watch *find_watch(struct evloop *loop, int fd)
{
	vec_each (watch, &loop->watches)
		if (watch->fd == fd)
			return watch;
	return NULL;
}

void evloop_watch(struct evloop *loop, int fd, short events, evloop_ready *ready, void *user)
{
	*vec_push(&loop->watches) =
		(struct watch){ .fd = fd, .events = events, .ready = ready, .user = user };
}

void evloop_change(struct evloop *loop, int fd, short events)
{
	struct watch *watch = find_watch(loop, fd);

	if (watch)
		watch->events = events;
}

void evloop_unwatch(struct evloop *loop, int fd)
{
	struct watch *watch = fd < 0 ? NULL : find_watch(loop, fd);

	if (watch)
		watch->fd = -1;
}

static struct timer *find_timer(struct evloop *loop, evloop_due *due, void *user)
{
	vec_each (timer, &loop->timers)
		if (timer->due == due && timer->user == user)
			return timer;
	return NULL;
}

void evloop_at(struct evloop *loop, int64_t time_ns, evloop_due *due, void *user)
{
	struct timer *timer = find_timer(loop, due, user);

	if (!timer)
		timer = vec_push(&loop->timers);
	*timer = (struct timer){ .time_ns = time_ns, .due = due, .user = user };
}

void evloop_never(struct evloop *loop, evloop_due *due, void *user)
{
	struct timer *timer = find_timer(loop, due, user);

	if (timer)
		timer->due = NULL;
}

static void forget_removed(struct evloop *loop)
{
	size_t kept = 0;

	vec_each (watch, &loop->watches)
		if (watch->fd >= 0)
			loop->watches.data[kept++] = *watch;
	loop->watches.len = kept;
	kept = 0;
	vec_each (timer, &loop->timers)
		if (timer->due)
			loop->timers.data[kept++] = *timer;
	loop->timers.len = kept;
}

/* Rounded up, so that what is due is due when we wake. */
static int next_timeout_ms(struct evloop *loop)
{
	int64_t next = INT64_MAX, left;

	vec_each (timer, &loop->timers)
		if (timer->due && timer->time_ns < next)
			next = timer->time_ns;
	if (next == INT64_MAX)
		return -1;
	left = next - clock_now_ns();
	if (left <= 0)
		return 0;
	left = (left + NS_PER_MSEC - 1) / NS_PER_MSEC;
	return left > 3600 * 1000 ? 3600 * 1000 : (int)left;
}

static void call_due(struct evloop *loop)
{
	int64_t now = clock_now_ns();

	for (size_t i = 0, n = loop->timers.len; i < n; i++) {
		struct timer timer = loop->timers.data[i];

		if (!timer.due || timer.time_ns > now)
			continue;
		loop->timers.data[i].due = NULL;
		timer.due(timer.user);
	}
}

static void call_ready(struct evloop *loop)
{
	for (size_t i = 0; i < loop->polled.len && !loop->stopped; i++) {
		struct watch watch = loop->watches.data[i];

		if (loop->polled.data[i].revents && watch.fd == loop->polled.data[i].fd)
			watch.ready(watch.user, loop->polled.data[i].revents);
	}
}

static int wait_once(struct evloop *loop, struct err *err)
{
	forget_removed(loop);
	loop->polled.len = 0;
	vec_each (watch, &loop->watches)
		*vec_push(&loop->polled) = (struct pollfd){ .fd = watch->fd,
							    .events = watch->events };
	if (poll(loop->polled.data, loop->polled.len, next_timeout_ms(loop)) < 0)
		return errno == EINTR ? 0 : err_set(err, errno, "poll: %s", strerror(errno));
	call_ready(loop);
	if (!loop->stopped)
		call_due(loop);
	return 0;
}

int evloop_run(struct evloop *loop, struct err *err)
{
	int rc = 0;

	loop->stopped = false;
	while (!rc && !loop->stopped)
		rc = wait_once(loop, err);
	return rc;
}

void evloop_stop(struct evloop *loop)
{
	loop->stopped = true;
}
