// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "server/hub_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

uint64_t hub_client_id(const struct hub_client *client)
{
	return client->id;
}

static void put(struct hub_client *client)
{
	if (--client->refs)
		return;
	vec_free(&client->topics);
	free(client);
}

static void unfollow(struct hub_client *client, struct hub_topic *topic)
{
	vec_drop(&topic->followers, client);
	topic->followed_ns = clock_now_ns();
}

static void unfollow_all(struct hub_client *client)
{
	vec_each (topic, &client->topics)
		unfollow(client, *topic);
	client->topics.len = 0;
}

void hub_client_free(struct hub_client *client)
{
	struct hub *hub;

	if (!client)
		return;
	hub = client->hub;
	pthread_mutex_lock(&hub->lock);
	unfollow_all(client);
	hub_queue_clear(&client->queue);
	vec_drop(&hub->clients, client);
	client->ended = true;
	client->resting = false; /* nobody is there to be woken */
	put(client);
	pthread_mutex_unlock(&hub->lock);
}

struct hub_client *hub_client_get(struct hub *hub, uint64_t id, int64_t person)
{
	struct hub_client *found = NULL;

	pthread_mutex_lock(&hub->lock);
	vec_each (client, &hub->clients)
		if ((*client)->id == id && (*client)->person == person)
			found = *client;
	if (found)
		found->refs++;
	pthread_mutex_unlock(&hub->lock);
	return found;
}

void hub_client_put(struct hub_client *client)
{
	struct hub *hub = client->hub;

	pthread_mutex_lock(&hub->lock);
	put(client);
	pthread_mutex_unlock(&hub->lock);
}

static void wake(struct hub_client *client)
{
	if (!client->resting)
		return;
	client->resting = false;
	client->sleep.wake(client->sleep.user);
}

static void push(struct hub_client *client, const struct hub_item *item)
{
	int64_t now_ns = clock_now_ns();

	if (hub_queue_empty(&client->queue))
		client->read_ns = now_ns;
	client->sent_ns = now_ns;
	hub_queue_push(&client->queue, item);
	wake(client);
}

/* Bytes that are no event: for the browser's own use. */
static void push_text(struct hub_client *client, const char *text)
{
	size_t size = strlen(text);
	struct hub_event *event = mem_alloc(sizeof(*event) + size);

	*event = (struct hub_event){ .refs = 1, .size = size };
	memcpy(event->bytes, text, size);
	push(client, &(struct hub_item){ event });
	hub_event_put(event);
}

static void push_rest(struct hub_client *client, struct hub_event *event, size_t from)
{
	push(client, &(struct hub_item){ event, from });
	hub_event_put(event);
}

static bool person_full(const struct hub *hub, int64_t person)
{
	size_t count = 0;

	vec_each (client, &hub->clients)
		count += (*client)->person == person;
	return person && count >= hub->limits.of_person;
}

bool hub_person_full(struct hub *hub, int64_t person)
{
	bool full;

	pthread_mutex_lock(&hub->lock);
	full = person_full(hub, person);
	pthread_mutex_unlock(&hub->lock);
	return full;
}

struct hub_client *hub_client_new(struct hub *hub, int64_t person, const struct hub_sleep *sleep)
{
	struct hub_client *client = NULL;

	pthread_mutex_lock(&hub->lock);
	if (!hub->stopped && hub->clients.len < hub->limits.clients && !person_full(hub, person)) {
		client = mem_alloc(sizeof(*client));
		client->hub = hub;
		client->sleep = *sleep;
		client->person = person;
		client->refs = 1;
		/* Numbers of two epochs differ, and are exact in JavaScript. */
		client->id = (hub->epoch << 24) + ++hub->clients_made;
		client->read_ns = client->sent_ns = clock_now_ns();
		*vec_push(&hub->clients) = client;
		push_text(client, "retry: 1000\n\n");
	}
	pthread_mutex_unlock(&hub->lock);
	return client;
}

void hub_client_end(struct hub_client *client)
{
	client->ended = true;
	unfollow_all(client);
	wake(client);
}

/* What it has begun to read it gets to the end, or the next event could not be told from it. */
void hub_client_drop(struct hub_client *client, const char *reason)
{
	struct hub_queue *queue = &client->queue;
	struct hub_event *event, *begun = NULL;
	size_t from = 0;
	char json[200];

	if (!hub_queue_empty(queue) && queue->data[queue->head].from) {
		begun = hub_event_get(queue->data[queue->head].event);
		from = queue->data[queue->head].from;
	}
	hub_queue_clear(queue);
	if (begun)
		push_rest(client, begun, from);

	snprintf(json, sizeof(json), "{\"reason\":\"%s\"}", reason);
	event = hub_event_make(client->hub, 0, NULL, "dropped", json);
	push_rest(client, event, event->id_size);
	client->hub->dropped++;
	hub_client_end(client);
}

void hub_recheck(struct hub *hub)
{
	pthread_mutex_lock(&hub->lock);
	vec_each (one, &hub->clients) {
		struct hub_client *client = *one;

		if (!client->ended && client->sleep.holds &&
		    !client->sleep.holds(client->sleep.user))
			hub_client_drop(client, "nobody is signed in any more");
	}
	pthread_mutex_unlock(&hub->lock);
}

void hub_drop(struct hub_client *client, const char *reason)
{
	pthread_mutex_lock(&client->hub->lock);
	if (!client->ended)
		hub_client_drop(client, reason);
	pthread_mutex_unlock(&client->hub->lock);
}

void hub_client_push(struct hub_client *client, const struct hub_item *item)
{
	if (client->ended)
		return;
	push(client, item);
	if (client->queue.bytes > client->hub->limits.queue_bytes)
		hub_client_drop(client,
				"this client reads too slowly: too much was waiting for it");
}

void hub_client_tick(struct hub_client *client, int64_t now_ns)
{
	const struct hub_limits *limits = &client->hub->limits;

	if (client->ended)
		return;
	if (!hub_queue_empty(&client->queue)) {
		if (now_ns - client->read_ns > limits->queue_ns)
			hub_client_drop(client, "this client has not read for too long");
	} else if (now_ns - client->sent_ns > limits->alive_ns) {
		push_text(client, ":\n\n"); /* a comment */
	}
}

void hub_snapshot(struct hub_client *client, struct hub_event *event)
{
	pthread_mutex_lock(&client->hub->lock);
	hub_client_push(client, &(struct hub_item){ event, event->id_size });
	pthread_mutex_unlock(&client->hub->lock);
}

void hub_tell(struct hub_client *client, const char *name, const char *json, bool with_id)
{
	struct hub *hub = client->hub;
	struct hub_event *event;

	pthread_mutex_lock(&hub->lock);
	event = hub_event_make(hub, hub->number, NULL, name, json);
	hub_client_push(client, &(struct hub_item){ event, with_id ? 0 : event->id_size });
	pthread_mutex_unlock(&hub->lock);
	hub_event_put(event);
}

static size_t take(struct hub_queue *queue, char *into, size_t size)
{
	size_t taken = 0;

	while (taken < size && !hub_queue_empty(queue)) {
		struct hub_item *item = &queue->data[queue->head];
		size_t left = item->event->size - item->from;
		size_t part = left < size - taken ? left : size - taken;

		memcpy(into + taken, item->event->bytes + item->from, part);
		taken += part;
		item->from += part;
		if (part == left)
			hub_queue_shift(queue);
	}
	return taken;
}

ssize_t hub_client_read(struct hub_client *client, char *into, size_t size)
{
	ssize_t taken;

	pthread_mutex_lock(&client->hub->lock);
	taken = take(&client->queue, into, size);
	if (taken) {
		client->read_ns = clock_now_ns();
	} else if (client->ended) {
		taken = -1;
	} else {
		client->resting = true;
		client->sleep.rest(client->sleep.user);
	}
	pthread_mutex_unlock(&client->hub->lock);
	return taken;
}

/* The number of an id of this epoch that was given out; UINT64_MAX for all others. */
static uint64_t id_number(const struct hub *hub, const char *id)
{
	uint64_t epoch, number;
	int end = -1;

	if (sscanf(id, "%20" SCNu64 "-%20" SCNu64 "%n", &epoch, &number, &end) != 2 || id[end])
		return UINT64_MAX;
	return epoch == hub->epoch && number <= hub->number ? number : UINT64_MAX;
}

/* Joining: events that were missed, of all topics, in the order of their numbers. */
struct missed VEC_OF(struct hub_event *);

static void add_missed(struct missed *missed, const struct hub_topic *topic, uint64_t since)
{
	const struct hub_queue *history = &topic->history;

	for (size_t i = history->head; i < history->len; i++)
		if (history->data[i].event->number > since)
			*vec_push(missed) = hub_event_get(history->data[i].event);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = (*(struct hub_event *const *)a)->number;
	uint64_t y = (*(struct hub_event *const *)b)->number;

	return (x > y) - (x < y);
}

static bool is_followed(const struct hub_client *client, const struct hub_topic *topic)
{
	vec_each (known, &client->topics)
		if (*known == topic)
			return true;
	return false;
}

static void follow(struct hub_client *client, struct hub_topic *topic)
{
	if (is_followed(client, topic))
		return;
	*vec_push(&client->topics) = topic;
	*vec_push(&topic->followers) = client;
}

/* False where the history does not reach back so far. */
static bool find_missed(struct hub *hub, const struct hub_wish *wish, struct missed *missed)
{
	struct hub_topic *topic;
	uint64_t since;
	bool known;

	pthread_mutex_lock(&hub->lock);
	topic = hub_topic_get(hub, wish->topic);
	since = id_number(hub, wish->since);
	known = since != UINT64_MAX && since >= topic->lost;
	if (known)
		add_missed(missed, topic, since);
	pthread_mutex_unlock(&hub->lock);
	return known;
}

/* The state comes before it follows: to give it may mean to publish what was held back. */
static void join_one(struct hub_client *client, const struct hub_wish *wish, struct missed *missed)
{
	struct hub *hub = client->hub;

	if (wish->gone)
		return;
	if (!find_missed(hub, wish, missed) && hub->source)
		hub->source(hub->source_user, client, wish->topic);
	pthread_mutex_lock(&hub->lock);
	if (!client->ended)
		follow(client, hub_topic_get(hub, wish->topic));
	pthread_mutex_unlock(&hub->lock);
}

static size_t count_new(const struct hub_client *client, const struct hub_wish *wishes,
			size_t count)
{
	size_t fresh = 0;

	for (size_t i = 0; i < count; i++) {
		bool known = false;

		vec_each (topic, &client->topics)
			known |= !strcmp((*topic)->name, wishes[i].topic);
		fresh += !known;
	}
	return fresh;
}

int hub_join(struct hub_client *client, const struct hub_wish *wishes, size_t count, bool first)
{
	struct hub *hub = client->hub;
	struct missed missed = { 0 };

	pthread_mutex_lock(&hub->lock);
	if (client->topics.len + count_new(client, wishes, count) > hub->limits.topics) {
		pthread_mutex_unlock(&hub->lock);
		return -E2BIG;
	}
	pthread_mutex_unlock(&hub->lock);

	for (size_t i = 0; i < count; i++)
		join_one(client, &wishes[i], &missed);

	if (missed.len)
		qsort(missed.data, missed.len, sizeof(*missed.data), by_number);
	pthread_mutex_lock(&hub->lock);
	vec_each (event, &missed) {
		hub_client_push(client,
				&(struct hub_item){ *event, first ? 0 : (*event)->id_size });
		hub_event_put(*event);
	}
	pthread_mutex_unlock(&hub->lock);
	vec_free(&missed);
	return 0;
}

void hub_leave(struct hub_client *client, const char *name)
{
	struct hub *hub = client->hub;
	struct hub_topic *topic;

	pthread_mutex_lock(&hub->lock);
	topic = hub_topic_find(hub, name);
	if (topic && is_followed(client, topic)) {
		unfollow(client, topic);
		vec_drop(&client->topics, topic);
	}
	pthread_mutex_unlock(&hub->lock);
}

void hub_followed(struct hub_client *client, struct strlist *topics)
{
	pthread_mutex_lock(&client->hub->lock);
	vec_each (topic, &client->topics)
		strlist_add(topics, (*topic)->name);
	pthread_mutex_unlock(&client->hub->lock);
}
