// SPDX-License-Identifier: Apache-2.0
#include "server/hub.h"
#include "base/clock.h"
#include "server/hub_inside.h"

#include <assert.h>
#include <stdio.h>

static const struct hub_limits usual = {
	.history_bytes = 1 << 20,
	.history_events = 1000,
	.history_ns = 60 * NS_PER_SEC,
	.queue_bytes = 4 << 20,
	.queue_ns = 20 * NS_PER_SEC,
	.alive_ns = 15 * NS_PER_SEC,
	.clients = 1000,
	.of_person = 64,
	.topics = 64,
};

#define OR_USUAL(member)     \
	if (!limits->member) \
	limits->member = usual.member

static void fill_limits(struct hub_limits *limits)
{
	OR_USUAL(history_bytes);
	OR_USUAL(history_events);
	OR_USUAL(history_ns);
	OR_USUAL(queue_bytes);
	OR_USUAL(queue_ns);
	OR_USUAL(alive_ns);
	OR_USUAL(clients);
	OR_USUAL(of_person);
	OR_USUAL(topics);
}

struct hub *hub_new(uint64_t epoch, const struct hub_limits *limits)
{
	struct hub *hub = mem_alloc(sizeof(*hub));

	hub->epoch = epoch;
	if (limits)
		hub->limits = *limits;
	fill_limits(&hub->limits);
	pthread_mutex_init(&hub->step, NULL);
	pthread_mutex_init(&hub->lock, NULL);
	return hub;
}

void hub_set_source(struct hub *hub, hub_source *source, void *user)
{
	hub->source = source;
	hub->source_user = user;
}

void hub_stop(struct hub *hub)
{
	pthread_mutex_lock(&hub->lock);
	hub->stopped = true;
	vec_each (client, &hub->clients)
		hub_client_end(*client);
	pthread_mutex_unlock(&hub->lock);
}

static void topic_free(struct hub_topic *topic)
{
	hub_queue_clear(&topic->history);
	vec_free(&topic->followers);
	free(topic);
}

void hub_free(struct hub *hub)
{
	if (!hub)
		return;
	assert(!hub->clients.len);
	vec_each (topic, &hub->topics)
		topic_free(*topic);
	vec_free(&hub->topics);
	vec_free(&hub->clients);
	pthread_mutex_destroy(&hub->lock);
	pthread_mutex_destroy(&hub->step);
	free(hub);
}

void hub_begin(struct hub *hub)
{
	pthread_mutex_lock(&hub->step);
}

void hub_end(struct hub *hub)
{
	pthread_mutex_unlock(&hub->step);
}

struct hub_topic *hub_topic_find(struct hub *hub, const char *name)
{
	vec_each (topic, &hub->topics)
		if (!strcmp((*topic)->name, name))
			return *topic;
	return NULL;
}

struct hub_topic *hub_topic_get(struct hub *hub, const char *name)
{
	struct hub_topic *topic = hub_topic_find(hub, name);

	if (topic)
		return topic;
	topic = mem_alloc(sizeof(*topic));
	snprintf(topic->name, sizeof(topic->name), "%s", name);
	topic->lost = hub->forgotten;
	*vec_push(&hub->topics) = topic;
	return topic;
}

/* The oldest of a history goes when it is too long; one that is too large for it goes at once. */
static void trim(struct hub_topic *topic, const struct hub_limits *limits)
{
	struct hub_queue *history = &topic->history;

	while (!hub_queue_empty(history) &&
	       (history->bytes > limits->history_bytes ||
		history->len - history->head > limits->history_events)) {
		topic->lost = history->data[history->head].event->number;
		hub_queue_shift(history);
	}
}

void hub_publish(struct hub *hub, const char *name, const char *event_name, const char *json)
{
	struct hub_topic *topic;
	struct hub_item item = { .counted = true };

	/* Numbers are given between begin and end only, so the long work needs no lock. */
	item.event = hub_event_make(hub, hub->number + 1, name, event_name, json);
	pthread_mutex_lock(&hub->lock);
	hub->number++;
	topic = hub_topic_get(hub, name);
	topic->published_ns = clock_now_ns();
	hub_queue_push(&topic->history, &item);
	trim(topic, &hub->limits);
	/* From the end: one that is dropped leaves the list. */
	for (size_t i = topic->followers.len; i-- > 0;)
		hub_client_push(topic->followers.data[i], &item);
	pthread_mutex_unlock(&hub->lock);
	hub_event_put(item.event);
}

void hub_skip(struct hub *hub, const char *name)
{
	struct hub_topic *topic;

	pthread_mutex_lock(&hub->lock);
	hub->number++;
	topic = hub_topic_find(hub, name);
	if (topic) {
		topic->lost = hub->number;
		hub_queue_clear(&topic->history);
	} else {
		hub->forgotten = hub->number;
	}
	pthread_mutex_unlock(&hub->lock);
}

bool hub_wanted(struct hub *hub, const char *name)
{
	const struct hub_topic *topic;
	bool wanted;

	pthread_mutex_lock(&hub->lock);
	topic = hub_topic_find(hub, name);
	wanted = topic && (topic->followers.len ||
			   (topic->followed_ns &&
			    clock_now_ns() - topic->followed_ns < hub->limits.history_ns));
	pthread_mutex_unlock(&hub->lock);
	return wanted;
}

static uint64_t last_number(const struct hub_topic *topic)
{
	const struct hub_queue *history = &topic->history;

	return hub_queue_empty(history) ? topic->lost : vec_last(history)->event->number;
}

static bool is_in_use(const struct hub *hub, const struct hub_topic *topic, int64_t now_ns)
{
	int64_t since_ns = now_ns - hub->limits.history_ns;

	return topic->followers.len || topic->followed_ns > since_ns ||
	       topic->published_ns > since_ns;
}

/* A client that comes back to a topic that is not there gets its state. */
static void forget_topics(struct hub *hub, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < hub->topics.len; i++) {
		struct hub_topic *topic = hub->topics.data[i];

		if (is_in_use(hub, topic, now_ns)) {
			hub->topics.data[kept++] = topic;
			continue;
		}
		if (last_number(topic) > hub->forgotten)
			hub->forgotten = last_number(topic);
		topic_free(topic);
	}
	hub->topics.len = kept;
}

void hub_tick(struct hub *hub, int64_t now_ns)
{
	pthread_mutex_lock(&hub->lock);
	vec_each (client, &hub->clients)
		hub_client_tick(*client, now_ns);
	forget_topics(hub, now_ns);
	pthread_mutex_unlock(&hub->lock);
}

struct hub_stats hub_stats(struct hub *hub)
{
	struct hub_stats stats;

	pthread_mutex_lock(&hub->lock);
	stats = (struct hub_stats){ .clients = hub->clients.len,
				    .topics = hub->topics.len,
				    .published = hub->number,
				    .dropped = hub->dropped };
	vec_each (topic, &hub->topics)
		stats.history_bytes += (*topic)->history.bytes;
	vec_each (client, &hub->clients)
		stats.queued_bytes += (*client)->queue.bytes;
	pthread_mutex_unlock(&hub->lock);
	return stats;
}

struct hub_event *hub_event_new(struct hub *hub, const char *topic, const char *name,
				const char *json)
{
	return hub_event_make(hub, hub->number, topic, name, json);
}
