// SPDX-License-Identifier: Apache-2.0
#include "server/live_run.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/content.h"

#include <errno.h>
#include <inttypes.h>

struct live_run *live_run_new(int64_t id)
{
	struct live_run *run = mem_alloc(sizeof(*run));

	run->id = id;
	run->state = RUN_RUNNING;
	run->series.fd = run->output.fd = -1;
	return run;
}

static void forget(struct hub_event **state)
{
	hub_event_put(*state);
	*state = NULL;
}

void live_run_free(struct live_run *run)
{
	if (!run)
		return;
	vec_each (event, &run->events) {
		live_tree_free(&event->tree);
		live_heat_free(&event->heat);
		live_lanes_free(&event->lanes);
		forget(&event->tree_state);
		forget(&event->heat_state);
		forget(&event->lanes_state);
	}
	vec_free(&run->events);
	live_series_free(&run->series);
	live_output_free(&run->output);
	forget(&run->series_state);
	forget(&run->output_state);
	free(run);
}

struct live_event *live_run_event(struct live_run *run, uint64_t number, struct err *err)
{
	if (number > run->events.len) {
		err_set(err, EPROTO, "live data of event %" PRIu64 ", but there are %zu", number,
			run->events.len);
		return NULL;
	}
	if (number >= LIVE_EVENTS) {
		err_set(err, E2BIG, "more than %d events are not shown while they are sampled",
			LIVE_EVENTS);
		return NULL;
	}
	return number < run->events.len ? &run->events.data[number] : vec_push(&run->events);
}

void live_run_open(struct live_run *run, struct datadir *dir)
{
	struct arena arena = { 0 };
	struct file_rows rows = { 0 };
	struct file_row opened;

	if (run->series.fd < 0 || run->output.fd < 0)
		content_list(dir, run->id, &arena, &rows, NULL);
	vec_each (row, &rows) {
		if (run->series.fd < 0 && !strcmp(row->kind, "series"))
			run->series.fd = content_open(dir, row->id, &arena, &opened, NULL);
		if (run->output.fd < 0 && !strcmp(row->kind, "output"))
			run->output.fd = content_open(dir, row->id, &arena, &opened, NULL);
	}
	vec_free(&rows);
	arena_free(&arena);
}

/* Telling: what nobody wants is not even written. */

static bool is_wanted(const struct live_run *run, struct hub *hub, enum live_topic_kind kind)
{
	char topic[HUB_TOPIC];

	if (hub_wanted(hub, live_topic_name(topic, kind, run->id)))
		return true;
	hub_skip(hub, topic);
	return false;
}

static void publish(const struct live_run *run, struct hub *hub, enum live_topic_kind kind,
		    const char *name, struct buf *json)
{
	char topic[HUB_TOPIC];

	hub_publish(hub, live_topic_name(topic, kind, run->id), name, json->data);
	buf_free(json);
}

static void tell_series(struct live_run *run, struct hub *hub)
{
	bool names = !run->names_told;
	struct buf json = { 0 };

	live_series_read(&run->series);
	if (!live_series_has_news(&run->series) && !(names && run->series.names.len))
		return;
	forget(&run->series_state);
	if (is_wanted(run, hub, TOPIC_COUNTERS)) {
		live_series_write(&run->series, run->id, names, &json);
		publish(run, hub, TOPIC_COUNTERS, names ? "points-snapshot" : "points", &json);
	}
	run->names_told = true;
	live_series_told(&run->series);
}

static void tell_output(struct live_run *run, struct hub *hub)
{
	struct buf json = { 0 };

	if (!live_output_read(&run->output))
		return;
	forget(&run->output_state);
	if (is_wanted(run, hub, TOPIC_OUTPUT)) {
		live_output_write(&run->output, run->id, false, &json);
		publish(run, hub, TOPIC_OUTPUT, "output", &json);
	}
	run->output.told = run->output.bytes;
}

static void tell_tree(struct live_run *run, struct hub *hub, size_t number)
{
	struct live_event *event = &run->events.data[number];
	bool whole = live_tree_is_new(&event->tree);
	struct buf json = { 0 };

	if (!live_tree_has_news(&event->tree))
		return;
	forget(&event->tree_state);
	if (is_wanted(run, hub, TOPIC_TREE)) {
		live_tree_write(&event->tree, run->id, number, whole, &json);
		publish(run, hub, TOPIC_TREE, whole ? "tree-snapshot" : "tree", &json);
	}
	live_tree_told(&event->tree);
}

static void tell_heat(struct live_run *run, struct hub *hub, size_t number)
{
	struct live_event *event = &run->events.data[number];
	bool whole = !event->heat.told;
	struct buf json = { 0 };

	if (!event->heat.changed.len)
		return;
	forget(&event->heat_state);
	if (is_wanted(run, hub, TOPIC_HEAT)) {
		live_heat_write(&event->heat, run->id, number, whole, &json);
		publish(run, hub, TOPIC_HEAT, whole ? "heat-snapshot" : "heat", &json);
	}
	live_heat_told(&event->heat);
}

static void tell_lanes(struct live_run *run, struct hub *hub, size_t number)
{
	struct live_event *event = &run->events.data[number];
	bool whole = !event->lanes.told;
	struct buf json = { 0 };

	if (!live_lanes_has_news(&event->lanes))
		return;
	forget(&event->lanes_state);
	if (is_wanted(run, hub, TOPIC_LANES)) {
		live_lanes_write(&event->lanes, run->id, number, event->heat.start_ns, whole,
				 &json);
		publish(run, hub, TOPIC_LANES, whole ? "lanes-snapshot" : "lanes", &json);
	}
	live_lanes_told(&event->lanes);
}

void live_run_tell(struct live_run *run, struct hub *hub)
{
	tell_series(run, hub);
	tell_output(run, hub);
	for (size_t i = 0; i < run->events.len; i++) {
		tell_tree(run, hub, i);
		tell_heat(run, hub, i);
		tell_lanes(run, hub, i);
	}
}

void live_write_end(struct buf *out, int64_t run, const char *state)
{
	buf_printf(out, "{\"run\":%" PRId64 ",\"state\":\"%s\"}", run, state);
}

void live_run_tell_end(struct live_run *run, struct hub *hub)
{
	uint64_t before;

	do { /* a look reads so much and no more */
		before = run->output.bytes;
		live_run_tell(run, hub);
	} while (run->output.bytes != before);
	for (enum live_topic_kind kind = TOPIC_COUNTERS; kind < TOPICS; kind++) {
		struct buf json = { 0 };

		live_write_end(&json, run->id, run_state_name(run->state));
		publish(run, hub, kind, "end", &json);
	}
}

/* Showing: the text is made for the first who comes, and kept until something changes. */

static struct hub_event *make_state(const struct live_run *run, struct hub *hub,
				    enum live_topic_kind kind, const char *name, struct buf *json)
{
	char topic[HUB_TOPIC];
	struct hub_event *state = hub_event_new(hub, live_topic_name(topic, kind, run->id), name,
						json->data);

	buf_free(json);
	return state;
}

static void show_series(struct live_run *run, struct hub *hub, struct hub_client *client)
{
	struct buf json = { 0 };

	tell_series(run, hub);
	if (!run->names_told)
		return;
	if (!run->series_state) {
		live_series_write(&run->series, run->id, true, &json);
		run->series_state = make_state(run, hub, TOPIC_COUNTERS, "points-snapshot", &json);
	}
	hub_snapshot(client, run->series_state);
}

static void show_output(struct live_run *run, struct hub *hub, struct hub_client *client)
{
	struct buf json = { 0 };

	tell_output(run, hub);
	if (!run->output_state) {
		live_output_write(&run->output, run->id, true, &json);
		run->output_state = make_state(run, hub, TOPIC_OUTPUT, "output-snapshot", &json);
	}
	hub_snapshot(client, run->output_state);
}

static void show_tree(struct live_run *run, struct hub *hub, struct hub_client *client,
		      size_t number)
{
	struct live_event *event = &run->events.data[number];
	struct buf json = { 0 };

	tell_tree(run, hub, number);
	if (!event->tree_state) {
		live_tree_write(&event->tree, run->id, number, true, &json);
		event->tree_state = make_state(run, hub, TOPIC_TREE, "tree-snapshot", &json);
	}
	hub_snapshot(client, event->tree_state);
}

static void show_heat(struct live_run *run, struct hub *hub, struct hub_client *client,
		      size_t number)
{
	struct live_event *event = &run->events.data[number];
	struct buf json = { 0 };

	tell_heat(run, hub, number);
	if (!event->heat_state) {
		live_heat_write(&event->heat, run->id, number, true, &json);
		event->heat_state = make_state(run, hub, TOPIC_HEAT, "heat-snapshot", &json);
	}
	hub_snapshot(client, event->heat_state);
}

static void show_lanes(struct live_run *run, struct hub *hub, struct hub_client *client,
		       size_t number)
{
	struct live_event *event = &run->events.data[number];
	struct buf json = { 0 };

	tell_lanes(run, hub, number);
	if (!event->lanes_state) {
		live_lanes_write(&event->lanes, run->id, number, event->heat.start_ns, true, &json);
		event->lanes_state = make_state(run, hub, TOPIC_LANES, "lanes-snapshot", &json);
	}
	hub_snapshot(client, event->lanes_state);
}

void live_run_show(struct live_run *run, struct hub *hub, struct hub_client *client,
		   enum live_topic_kind kind)
{
	if (kind == TOPIC_COUNTERS)
		show_series(run, hub, client);
	if (kind == TOPIC_OUTPUT)
		show_output(run, hub, client);
	for (size_t i = 0; i < run->events.len; i++) {
		if (kind == TOPIC_TREE)
			show_tree(run, hub, client, i);
		if (kind == TOPIC_HEAT)
			show_heat(run, hub, client, i);
		if (kind == TOPIC_LANES)
			show_lanes(run, hub, client, i);
	}
}
