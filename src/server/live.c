// SPDX-License-Identifier: Apache-2.0
#include "server/live.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "jobs/protocol.h"
#include "server/live_run.h"
#include "store/datadir.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#define LOOK_NS (90 * NS_PER_MSEC)  /* between two looks */
#define SLOW_NS (500 * NS_PER_MSEC) /* while nobody is there and nothing is made */
#define KEEP_NS (60 * NS_PER_SEC)   /* what a run has shown, after its end */
#define CHANGES 500		    /* in one question to the store */
#define QUEUE	10000		    /* runs of it that are told */
#define BUSY	(1u << RUN_STARTING | 1u << RUN_RUNNING)

struct live {
	struct datadir *dir;
	struct store *store;
	struct hub *hub;
	live_run_writer *write_run;
	/* Between hub_begin and hub_end: */
	int64_t change; /* the last one told */
	VEC(struct live_run *) runs;
	/* The thread: */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t hurry;
	bool started, stopping;
};

static struct live_run *find_run(const struct live *live, int64_t id)
{
	vec_each (run, &live->runs)
		if ((*run)->id == id)
			return *run;
	return NULL;
}

static bool is_over(enum run_state state)
{
	return state >= RUN_DONE;
}

/* JSON */

static char *run_json(struct live *live, const struct run *run)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	fputs("{\"run\":", out);
	live->write_run(&json, run);
	fputs("}", out);
	fclose(out);
	return text;
}

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static void add_ids(struct buf *json, const char *key, const struct runs *runs, bool queued)
{
	buf_printf(json, "\"%s\":[", key);
	vec_each (run, runs) {
		if ((run->state == RUN_QUEUED) != queued)
			continue;
		if (json->data[json->len - 1] != '[')
			buf_putc(json, ',');
		buf_printf(json, "%" PRId64, run->id);
	}
	buf_putc(json, ']');
}

static void queue_json(struct live *live, struct buf *json)
{
	struct run_filter filter = { .page.limit = QUEUE, .states = 1u << RUN_QUEUED | BUSY };
	struct arena arena = { 0 };
	struct runs runs = { 0 };

	store_run_list(live->store, &filter, &arena, &runs, NULL);
	if (runs.len)
		qsort(runs.data, runs.len, sizeof(*runs.data), by_place);
	buf_putc(json, '{');
	add_ids(json, "items", &runs, true);
	buf_putc(json, ',');
	add_ids(json, "running", &runs, false);
	buf_putc(json, '}');
	vec_free(&runs);
	arena_free(&arena);
}

/* States, for those who join */

static void show(struct live *live, struct hub_client *client, const char *topic, const char *name,
		 const char *json)
{
	struct hub_event *event = hub_event_new(live->hub, topic, name, json);

	hub_snapshot(client, event);
	hub_event_put(event);
}

static void show_end(struct live *live, struct hub_client *client, const char *topic, int64_t id,
		     const char *state)
{
	struct buf json = { 0 };

	live_write_end(&json, id, state);
	show(live, client, topic, "end", json.data);
	buf_free(&json);
}

static void show_run(struct live *live, struct hub_client *client, const char *topic,
		     const struct live_topic *what)
{
	struct live_run *going = find_run(live, what->id);
	struct arena arena = { 0 };
	struct run run;
	int rc = store_run_get(live->store, what->id, &arena, &run, NULL);

	if (what->kind == TOPIC_RUN && !rc) {
		char *json = run_json(live, &run);

		show(live, client, topic, "run", json);
		free(json);
	} else if (going && what->kind != TOPIC_RUN) {
		live_run_show(going, live->hub, client, what->kind);
	}
	if (rc)
		show_end(live, client, topic, what->id, "unknown");
	else if (what->kind != TOPIC_RUN && is_over(run.state) && (!going || going->over_ns))
		show_end(live, client, topic, what->id, run_state_name(run.state));
	arena_free(&arena);
}

static void show_topic(void *user, struct hub_client *client, const char *topic)
{
	struct live *live = user;
	struct live_topic what;
	struct buf json = { 0 };

	/* Whoever comes shall not wait for the slow pace. */
	pthread_cond_signal(&live->hurry);
	if (!live_topic_parse(topic, &what))
		return;
	if (what.kind == TOPIC_QUEUE) {
		queue_json(live, &json);
		show(live, client, topic, "queue", json.data);
		buf_free(&json);
	} else if (what.kind >= TOPIC_RUN) {
		show_run(live, client, topic, &what);
	}
}

/* Changes of the store */

static void tell_change(struct live *live, enum live_topic_kind kind, int64_t id,
			const struct change *change)
{
	char topic[HUB_TOPIC], json[120];

	snprintf(json, sizeof(json), "{\"kind\":\"%s\",\"id\":%" PRId64 ",\"change\":%" PRId64 "}",
		 change->kind == STORE_RUN ? "run" : "session", change->id, change->number);
	hub_publish(live->hub, live_topic_name(topic, kind, id), "change", json);
}

static void tell_queue(struct live *live)
{
	struct buf json = { 0 };

	if (!hub_wanted(live->hub, "queue")) {
		hub_skip(live->hub, "queue");
		return;
	}
	queue_json(live, &json);
	hub_publish(live->hub, "queue", "queue", json.data);
	buf_free(&json);
}

static void tell_run_on(struct live *live, const struct run *run, enum live_topic_kind kind,
			int64_t id)
{
	char topic[HUB_TOPIC], *json;

	if (!hub_wanted(live->hub, live_topic_name(topic, kind, id))) {
		hub_skip(live->hub, topic);
		return;
	}
	json = run_json(live, run);
	hub_publish(live->hub, topic, "run", json);
	free(json);
}

static void tell_run_gone(struct live *live, const struct change *change)
{
	char topic[HUB_TOPIC];
	struct buf json = { 0 };

	live_write_end(&json, change->id, "unknown");
	hub_publish(live->hub, live_topic_name(topic, TOPIC_RUN, change->id), "end", json.data);
	buf_free(&json);
	tell_change(live, TOPIC_SESSIONS, 0, change);
}

/* The state of a run that is followed, or is to be from now on. */
static void note_state(struct live *live, int64_t id, enum run_state state)
{
	struct live_run *run = find_run(live, id);

	if (!run && (state == RUN_STARTING || state == RUN_RUNNING || state == RUN_PROCESSING))
		run = *vec_push(&live->runs) = live_run_new(id);
	if (run)
		run->state = state;
}

static void tell_run(struct live *live, const struct change *change)
{
	struct arena arena = { 0 };
	struct run run;

	if (store_run_get(live->store, change->id, &arena, &run, NULL)) {
		note_state(live, change->id, RUN_CANCELLED);
		tell_run_gone(live, change);
	} else {
		note_state(live, run.id, run.state);
		tell_run_on(live, &run, TOPIC_RUN, run.id);
		tell_run_on(live, &run, TOPIC_SESSION, run.session);
	}
	arena_free(&arena);
}

static void tell_changes(struct live *live)
{
	struct changes changes = { 0 };
	size_t count;

	do {
		changes.len = 0;
		store_changes(live->store, live->change, CHANGES, &changes, NULL);
		vec_each (change, &changes) {
			live->change = change->number;
			if (change->kind == STORE_QUEUE) {
				tell_queue(live);
			} else if (change->kind == STORE_RUN) {
				tell_run(live, change);
			} else {
				tell_change(live, TOPIC_SESSIONS, 0, change);
				tell_change(live, TOPIC_SESSION, change->id, change);
			}
		}
		count = changes.len;
	} while (count == CHANGES);
	vec_free(&changes);
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
	if (run->over_ns && now_ns - run->over_ns > KEEP_NS) {
		let_go(live, run);
		return false;
	}
	if (run->over_ns)
		return true;
	live_run_open(run, live->dir);
	if (is_over(run->state)) {
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
	tell_changes(live);
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

	if (!find_run(live, id) && !store_run_get(live->store, id, &arena, &run, NULL))
		note_state(live, id, run.state);
	arena_free(&arena);
	if (!find_run(live, id))
		err_set(err, ESTALE, "run %" PRId64 " is not being made", id);
	return find_run(live, id);
}

int live_tree_feed(struct live *live, int64_t id, const struct msg_live_tree *growth,
		   struct err *err)
{
	struct live_event *event = NULL;
	struct live_run *run;
	int rc;

	hub_begin(live->hub);
	run = run_to_feed(live, id, err);
	if (run)
		event = live_run_event(run, growth->event, err);
	rc = event ? live_tree_merge(&event->tree, growth, err) : -err->code;
	hub_end(live->hub);
	return rc;
}

int live_heat_feed(struct live *live, int64_t id, const struct msg_live_heat *growth,
		   struct err *err)
{
	struct live_event *event = NULL;
	struct live_run *run;
	int rc;

	hub_begin(live->hub);
	run = run_to_feed(live, id, err);
	if (run)
		event = live_run_event(run, growth->event, err);
	rc = event ? live_heat_merge(&event->heat, growth, err) : -err->code;
	hub_end(live->hub);
	return rc;
}

/* The thread */

struct live *live_new(struct datadir *dir, struct hub *hub, live_run_writer *write_run)
{
	struct live *live = mem_alloc(sizeof(*live));
	pthread_condattr_t monotonic;

	live->dir = dir;
	live->store = datadir_store(dir);
	live->hub = hub;
	live->write_run = write_run;
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&live->hurry, &monotonic);
	pthread_condattr_destroy(&monotonic);
	hub_set_source(hub, show_topic, live);
	return live;
}

/* Changes before the start are nobody's news; runs that go on are. */
static int catch_up(struct live *live, struct err *err)
{
	struct run_filter filter = { .states = BUSY | 1u << RUN_PROCESSING };
	struct changes changes = { 0 };
	struct arena arena = { 0 };
	struct runs runs = { 0 };
	int rc;

	do {
		changes.len = 0;
		rc = store_changes(live->store, live->change, CHANGES, &changes, err);
		if (changes.len)
			live->change = vec_last(&changes)->number;
	} while (!rc && changes.len);
	if (!rc)
		rc = store_run_list(live->store, &filter, &arena, &runs, err);
	vec_each (run, &runs)
		note_state(live, run->id, run->state);
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
	pthread_cond_destroy(&live->hurry);
	pthread_mutex_destroy(&live->lock);
	free(live);
}
