/* SPDX-License-Identifier: Apache-2.0 */
/* What hub.c and hub_client.c share. */
#ifndef SERVER_HUB_INSIDE_H
#define SERVER_HUB_INSIDE_H

#include "base/vec.h"
#include "server/hub.h"
#include <pthread.h>

struct hub_event {
	unsigned refs; /* atomic */
	uint64_t number;
	size_t id_size; /* of the line with its id, the first of its bytes */
	size_t size;
	char bytes[];
};

/* A queue of events: data[head] is the oldest. */
struct hub_queue {
	struct hub_item {
		struct hub_event *event;
		size_t from;  /* bytes of it that are sent or left out */
		bool counted; /* in `bytes` */
	} * data;
	size_t len, cap, head;
	size_t bytes;
};

struct hub_topic {
	char name[HUB_TOPIC];
	struct hub_queue history;
	uint64_t lost; /* the highest number that the history does not have any more */
	int64_t followed_ns, published_ns; /* last; 0: never */
	VEC(struct hub_client *) followers;
};

struct hub_client {
	struct hub *hub;
	uint64_t id;
	int64_t person; /* whose it is */
	struct hub_sleep sleep;
	unsigned refs; /* under the hub's lock, as all of it */
	bool resting, ended;
	struct hub_queue queue;
	int64_t read_ns; /* when it read last, or when something began to wait */
	int64_t sent_ns; /* when something was queued last */
	VEC(struct hub_topic *) topics;
};

struct hub {
	uint64_t epoch;
	struct hub_limits limits;
	hub_source *source;
	void *source_user;
	pthread_mutex_t step; /* hub_begin() to hub_end(); taken before `lock` */
	pthread_mutex_t lock; /* all below, and the clients */
	bool stopped;
	uint64_t number;    /* of the last event */
	uint64_t forgotten; /* the highest number of a topic that is not there any more */
	uint64_t clients_made, dropped;
	VEC(struct hub_topic *) topics;
	VEC(struct hub_client *) clients;
};

struct hub_event *hub_event_get(struct hub_event *event);
/* topic may be NULL. */
struct hub_event *hub_event_make(struct hub *hub, uint64_t number, const char *topic,
				 const char *name, const char *json);

void hub_queue_push(struct hub_queue *queue, const struct hub_item *item); /* takes a reference */
void hub_queue_shift(struct hub_queue *queue);
void hub_queue_clear(struct hub_queue *queue);
static inline bool hub_queue_empty(const struct hub_queue *queue)
{
	return queue->head == queue->len;
}

/* With the lock held. */
struct hub_topic *hub_topic_get(struct hub *hub, const char *name); /* made if it is missing */
struct hub_topic *hub_topic_find(struct hub *hub, const char *name);
/* What a client asked for itself is not counted against it. */
void hub_client_push(struct hub_client *client, const struct hub_item *item);
void hub_client_drop(struct hub_client *client, const char *reason);
void hub_client_tick(struct hub_client *client, int64_t now_ns);
void hub_client_end(struct hub_client *client);

#endif
