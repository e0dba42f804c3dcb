// SPDX-License-Identifier: Apache-2.0
/* What the store knows, as states and events: runs, sessions, the queue. */
#include "base/buf.h"
#include "base/json.h"
#include "server/live_inside.h"
#include "server/trouble.h"
#include "store/datadir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void add_ids(struct buf *json, const char *key, const struct queue *queue, bool waiting)
{
	buf_printf(json, "\"%s\":[", key);
	vec_each (entry, queue) {
		if (entry->waits != waiting)
			continue;
		if (json->data[json->len - 1] != '[')
			buf_putc(json, ',');
		buf_printf(json, "%" PRId64, entry->run);
	}
	buf_putc(json, ']');
}

/* Why nothing is taken from it; null: nothing keeps it. */
static void add_trouble(struct live *live, struct buf *json)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json into = json_to(out);

	trouble_write(&into, NULL, live->dir);
	fclose(out);
	buf_add(json, text, strcspn(text, "\n"));
	free(text);
}

static void queue_json(struct live *live, struct buf *json)
{
	struct queue queue = { 0 };

	store_queue(live->store, &queue, NULL);
	buf_putc(json, '{');
	add_ids(json, "items", &queue, true);
	buf_putc(json, ',');
	add_ids(json, "running", &queue, false);
	buf_puts(json, ",\"trouble\":");
	add_trouble(live, json);
	buf_putc(json, '}');
	vec_free(&queue);
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
	struct live_run *going = live_find_run(live, what->id);
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
	else if (what->kind != TOPIC_RUN && live_is_over(run.state) && (!going || going->over_ns))
		show_end(live, client, topic, what->id, run_state_name(run.state));
	arena_free(&arena);
}

void live_show_topic(void *user, struct hub_client *client, const char *topic)
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

/* Runs come into the queue, move in it, and leave it by their states: told is what comes of it. */
static void tell_queue(struct live *live)
{
	struct buf json = { 0 };

	if (!hub_wanted(live->hub, "queue")) {
		hub_skip(live->hub, "queue");
		buf_free(&live->queue);
		return;
	}
	queue_json(live, &json);
	if (strcmp(buf_text(&json), buf_text(&live->queue)))
		hub_publish(live->hub, "queue", "queue", json.data);
	buf_free(&live->queue);
	live->queue = json;
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

void live_note_state(struct live *live, int64_t id, enum run_state state)
{
	struct live_run *run = live_find_run(live, id);

	if (!run && (state == RUN_STARTING || state == RUN_RUNNING || state == RUN_PROCESSING))
		run = *vec_push(&live->runs) = live_run_new(id);
	if (run)
		run->state = state;
}

/* The files that it holds open take room on the disk until it lets go of them. */
static void forget_soon(struct live *live, int64_t id)
{
	struct live_run *run = live_find_run(live, id);

	if (run && run->over_ns)
		run->over_ns = LIVE_LONG_AGO;
}

static void tell_run(struct live *live, const struct change *change)
{
	struct arena arena = { 0 };
	struct run run;

	if (store_run_get(live->store, change->id, &arena, &run, NULL)) {
		live_note_state(live, change->id, RUN_CANCELLED);
		forget_soon(live, change->id);
		tell_run_gone(live, change);
	} else {
		live_note_state(live, run.id, run.state);
		tell_run_on(live, &run, TOPIC_RUN, run.id);
		tell_run_on(live, &run, TOPIC_SESSION, run.session);
	}
	arena_free(&arena);
}

void live_tell_changes(struct live *live)
{
	struct changes changes = { 0 };
	int trouble = datadir_trouble(live->dir, NULL);
	bool queue = trouble != live->trouble;
	size_t count;

	live->trouble = trouble;

	do {
		changes.len = 0;
		store_changes(live->store, live->change, LIVE_CHANGES, &changes, NULL);
		vec_each (change, &changes) {
			live->change = change->number;
			queue |= change->kind == STORE_QUEUE || change->kind == STORE_RUN;
			if (change->kind == STORE_RUN) {
				tell_run(live, change);
			} else if (change->kind == STORE_SESSION) {
				tell_change(live, TOPIC_SESSIONS, 0, change);
				tell_change(live, TOPIC_SESSION, change->id, change);
			}
		}
		count = changes.len;
	} while (count == LIVE_CHANGES);
	if (queue)
		tell_queue(live);
	vec_free(&changes);
}
