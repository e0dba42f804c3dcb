// SPDX-License-Identifier: Apache-2.0
#include "server/live.h"
#include "base/clock.h"
#include "base/err.h"
#include "jobs/protocol.h"
#include "server/live_inside.h"
#include "store/datadir.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#define LOOK_NS (90 * NS_PER_MSEC)  /* between two looks */
#define SLOW_NS (500 * NS_PER_MSEC) /* while nobody is there and nothing is made */
#define KEEP_NS (60 * NS_PER_SEC)   /* what a run has shown, after its end */

struct live_run *live_find_run(const struct live *live, int64_t id)
{
	vec_each (run, &live->runs)
		if ((*run)->id == id)
			return *run;
	return NULL;
}

/* Runs */

static void let_go(struct live *live, struct live_run *run)
{
	char topic[HUB_TOPIC];

	for (enum live_topic_kind kind = TOPIC_COUNTERS; kind < TOPICS; kind++)
		hub_skip(live->hub, live_topic_name(topic, kind, run->id));
	live_run_free(run);
}

/* False when it was let go. */
static bool look_at_run(struct live *live, struct live_run *run, int64_t now_ns)
{
	if (run->over_ns && run->over_ns < now_ns - KEEP_NS) {
		let_go(live, run);
		return false;
	}
	if (run->over_ns)
		return true;
	live_run_open(run, live->dir);
	if (live_is_over(run->state)) {
		live_run_tell_end(run, live->hub);
		run->over_ns = now_ns;
	} else {
		live_run_tell(run, live->hub);
	}
	return true;
}

void live_look(struct live *live, int64_t now_ns)
{
	size_t kept = 0;

	hub_begin(live->hub);
	live_tell_changes(live);
	for (size_t i = 0; i < live->runs.len; i++)
		if (look_at_run(live, live->runs.data[i], now_ns))
			live->runs.data[kept++] = live->runs.data[i];
	live->runs.len = kept;
	hub_end(live->hub);
	hub_tick(live->hub, now_ns);
}

/* What the analyser tells */

/* One that is over has been shown to the end. */
static struct live_run *run_to_feed(struct live *live, int64_t id, struct err *err)
{
	struct arena arena = { 0 };
	struct run run;

	if (!live_find_run(live, id) && !store_run_get(live->store, id, &arena, &run, NULL))
		live_note_state(live, id, run.state);
	arena_free(&arena);
	if (!live_find_run(live, id))
		err_set(err, ESTALE, "run %" PRId64 " is not being made", id);
	return live_find_run(live, id);
}

/* Where it goes to; NULL with words. */
static struct live_event *event_to_feed(struct live *live, int64_t id, uint64_t number,
					struct err *err)
{
	struct live_run *run = run_to_feed(live, id, err);

	return run ? live_run_event(run, number, err) : NULL;
}

int live_tree_feed(struct live *live, int64_t id, const struct msg_live_tree *growth,
		   struct err *err)
{
	struct live_event *event;
	int rc;

	hub_begin(live->hub);
	event = event_to_feed(live, id, growth->event, err);
	rc = event ? live_tree_merge(&event->tree, growth, err) : -err->code;
	hub_end(live->hub);
	return rc;
}

int live_heat_feed(struct live *live, int64_t id, const struct msg_live_heat *growth,
		   struct err *err)
{
	struct live_event *event;
	int rc;

	hub_begin(live->hub);
	event = event_to_feed(live, id, growth->event, err);
	rc = event ? live_heat_merge(&event->heat, growth, err) : -err->code;
	hub_end(live->hub);
	return rc;
}

int live_lanes_feed(struct live *live, int64_t id, const struct msg_live_lanes *growth,
		    struct err *err)
{
	struct live_event *event;
	int rc;

	hub_begin(live->hub);
	event = event_to_feed(live, id, growth->event, err);
	rc = event ? live_lanes_merge(&event->lanes, growth, err) : -err->code;
	hub_end(live->hub);
	return rc;
}

/* The thread */

struct live *live_new(struct datadir *dir, struct hub *hub, live_run_writer *write_run)
{
	struct live *live = mem_alloc(sizeof(*live));

	live->dir = dir;
	live->store = datadir_store(dir);
	live->hub = hub;
	live->write_run = write_run;
	pthread_mutex_init(&live->lock, NULL);
	clock_cond_init(&live->hurry);
	hub_set_source(hub, live_show_topic, live);
	return live;
}

/* Changes before the start are nobody's news; runs that go on are. */
static int catch_up(struct live *live, struct err *err)
{
	struct run_filter filter = { .states = 1U << RUN_STARTING | 1U << RUN_RUNNING |
					       1U << RUN_PROCESSING };
	struct changes changes = { 0 };
	struct arena arena = { 0 };
	struct runs runs = { 0 };
	int rc;

	do {
		changes.len = 0;
		rc = store_changes(live->store, live->change, LIVE_CHANGES, &changes, err);
		if (changes.len)
			live->change = vec_last(&changes)->number;
	} while (!rc && changes.len);
	if (!rc)
		rc = store_run_list(live->store, &filter, &arena, &runs, err);
	vec_each (run, &runs)
		live_note_state(live, run->id, run->state);
	vec_free(&changes);
	vec_free(&runs);
	arena_free(&arena);
	return rc;
}

static int64_t pace_ns(struct live *live)
{
	size_t runs;

	hub_begin(live->hub);
	runs = live->runs.len;
	hub_end(live->hub);
	return runs || hub_stats(live->hub).clients ? LOOK_NS : SLOW_NS;
}

static void *live_thread(void *arg)
{
	struct live *live = arg;

	pthread_mutex_lock(&live->lock);
	while (!live->stopping) {
		int64_t next_ns = clock_now_ns();
		struct timespec until;

		pthread_mutex_unlock(&live->lock);
		live_look(live, next_ns);
		next_ns += pace_ns(live);
		until = (struct timespec){ next_ns / NS_PER_SEC, next_ns % NS_PER_SEC };
		pthread_mutex_lock(&live->lock);
		if (!live->stopping)
			pthread_cond_timedwait(&live->hurry, &live->lock, &until);
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

int live_start(struct live *live, struct err *err)
{
	int rc;

	hub_begin(live->hub);
	rc = catch_up(live, err);
	hub_end(live->hub);
	if (rc)
		return rc;
	rc = pthread_create(&live->thread, NULL, live_thread, live);
	if (rc)
		return err_set(err, rc, "the thread for live data: %s", strerror(rc));
	live->started = true;
	return 0;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	pthread_mutex_lock(&live->lock);
	live->stopping = true;
	pthread_cond_signal(&live->hurry);
	pthread_mutex_unlock(&live->lock);
	if (live->started)
		pthread_join(live->thread, NULL);
	hub_set_source(live->hub, NULL, NULL);
	vec_each (run, &live->runs)
		live_run_free(*run);
	vec_free(&live->runs);
	buf_free(&live->queue);
	pthread_cond_destroy(&live->hurry);
	pthread_mutex_destroy(&live->lock);
	free(live);
}
