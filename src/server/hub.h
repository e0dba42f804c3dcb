/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events for many: topics with a history, and clients that follow some of them.
 *
 * An event is rendered once, as server-sent events have it, and shared by the topic's history and
 * by the queues of all that follow it.  It has the next number of the whole hub, and its id is
 * "EPOCH-NUMBER"; an epoch is used by one process only, so an id never comes twice.  Who comes back
 * with an id gets what he missed, or a snapshot where the history does not reach back so far.
 *
 *	hub_begin(hub);			nobody joins while state and events differ
 *	...change what snapshots show
 *	hub_publish(hub, "run:7:tree", "tree", "{\"samples\":12}");
 *	hub_end(hub);			clients wake up, each once
 *
 * Nobody waits for a client: one that does not read loses its queue and is told so, if it ever
 * reads again.  All of it may be called by any thread.
 */
#ifndef SERVER_HUB_H
#define SERVER_HUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hub;
struct hub_client;
struct hub_event;

struct hub_limits {
	size_t history_bytes;  /* of a topic; 0: 1 MiB */
	size_t history_events; /* of a topic; 0: 1,000 */
	int64_t history_ns;    /* a topic that nobody follows is forgotten then; 0: 60 s */
	size_t queue_bytes;    /* that a client may leave unread, snapshots aside; 0: 4 MiB */
	int64_t queue_ns;      /* how long it may not read at all; 0: 20 s */
	size_t clients;	       /* 0: 1,000 */
	size_t topics;	       /* of a client; 0: 64 */
};

#define HUB_TOPIC 64 /* bytes of a topic's name, with its NUL */

/* Gives a topic's state to a client that joins, with hub_snapshot(); called between begin and end.
 */
typedef void hub_source(void *user, struct hub_client *client, const char *topic);

/* limits may be NULL. */
struct hub *hub_new(uint64_t epoch, const struct hub_limits *limits);
void hub_set_source(struct hub *hub, hub_source *source, void *user);
/* Ends all clients' streams, so that whoever reads for them lets them go. */
void hub_stop(struct hub *hub);
/* No client may be left. */
void hub_free(struct hub *hub);

void hub_begin(struct hub *hub);
void hub_end(struct hub *hub);

/* json is an object; the hub puts "topic" and "at", the event's id, into it.  Only between begin
 * and end. */
void hub_publish(struct hub *hub, const char *topic, const char *name, const char *json);
/* Whether anybody would get it. */
bool hub_wanted(struct hub *hub, const char *topic);
/* Frees the topic's history; who follows it goes on doing so. */
void hub_forget(struct hub *hub, const char *topic);
/* What time does: clients that do not read, topics that nobody follows, signs of life. */
void hub_tick(struct hub *hub, int64_t now_ns);

struct hub_stats {
	uint64_t clients, topics, dropped, published;
	size_t history_bytes, queued_bytes; /* shared ones counted wherever they are */
};
struct hub_stats hub_stats(struct hub *hub);

/* An event that is no part of a history, ready for any number of clients. */
struct hub_event *hub_event_new(struct hub *hub, const char *topic, const char *name,
				const char *json);
void hub_event_put(struct hub_event *event);
void hub_snapshot(struct hub_client *client, struct hub_event *event);

/* Clients */

/* Both are called with a lock of the hub held: they must not call it. */
struct hub_sleep {
	void *user;
	void (*rest)(void *user); /* read() had nothing to give */
	void (*wake)(void *user); /* and now has */
};

/* NULL where there are too many. */
struct hub_client *hub_client_new(struct hub *hub, const struct hub_sleep *sleep);
/* Its number: streams of other epochs have other ones. */
uint64_t hub_client_id(const struct hub_client *client);
void hub_client_free(struct hub_client *client);

/*
 * Follows a topic from the id `since` on ("": from its state now), or what it has missed of it.
 * -E2BIG with too many topics.  A topic that it follows already begins anew.
 */
int hub_join(struct hub_client *client, const char *topic, const char *since);
void hub_leave(struct hub_client *client, const char *topic);
/* One more for this client alone; with_id says up to where it has seen everything. */
void hub_tell(struct hub_client *client, const char *name, const char *json, bool with_id);

/* Up to size bytes of what waits; 0 and sleep->rest() when nothing does; -1 at its end. */
ssize_t hub_client_read(struct hub_client *client, char *into, size_t size);

/* Finds a client by its number and keeps it from being freed until hub_client_put(); or NULL. */
struct hub_client *hub_client_get(struct hub *hub, uint64_t id);
void hub_client_put(struct hub_client *client);

#endif
