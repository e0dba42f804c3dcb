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
 *	hub_end(hub);
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
struct strlist;

struct hub_limits {	       /* 0 is the value behind it */
	size_t history_bytes;  /* of a topic: 1 MiB */
	size_t history_events; /* of a topic: 1,000 */
	int64_t history_ns;    /* a topic that nobody follows is forgotten then: 60 s */
	size_t queue_bytes;    /* that a client may leave unread, snapshots aside: 4 MiB */
	int64_t queue_ns;      /* how long it may read nothing of what waits: 20 s */
	int64_t alive_ns;      /* a sign of life where nothing else was sent: 15 s */
	size_t clients;	       /* 1,000 */
	size_t of_person;      /* of these; the owner (0) may have all: 64 */
	size_t topics;	       /* of a client: 64 */
};

#define HUB_TOPIC 64 /* bytes of a topic's name, with its NUL */

/* Gives the state of a topic to a client that joins, with hub_snapshot(). */
typedef void hub_source(void *user, struct hub_client *client, const char *topic);

/* limits may be NULL. */
struct hub *hub_new(uint64_t epoch, const struct hub_limits *limits);
void hub_set_source(struct hub *hub, hub_source *source, void *user);
/* Ends all streams, so that whoever reads for them lets them go; and no new ones. */
void hub_stop(struct hub *hub);
void hub_free(struct hub *hub); /* no client may be left */

/* What is published or joined in between, and what changes state that snapshots show, is one step
 * for everybody else. */
void hub_begin(struct hub *hub);
void hub_end(struct hub *hub);

/* Between begin and end.  json is an object; "topic" and "at", the event's id, are put into it. */
void hub_publish(struct hub *hub, const char *topic, const char *name, const char *json);
/* The same for a change that nobody is told: who comes back gets a snapshot. */
void hub_skip(struct hub *hub, const char *topic);
/* Whether somebody follows it, or did so a short while ago and may come back. */
bool hub_wanted(struct hub *hub, const char *topic);
/* What time does: clients that do not read, topics that nobody follows, signs of life. */
void hub_tick(struct hub *hub, int64_t now_ns);

/* Somebody was removed or has signed out: asks each client whether it still has the right to
 * follow. */
void hub_recheck(struct hub *hub);

struct hub_stats {
	size_t clients, topics;
	uint64_t published, dropped;
	size_t history_bytes, queued_bytes; /* shared ones are counted wherever they are */
};
struct hub_stats hub_stats(struct hub *hub);

/* An event outside of histories, ready for any number of clients. */
struct hub_event *hub_event_new(struct hub *hub, const char *topic, const char *name,
				const char *json);
void hub_event_put(struct hub_event *event);
/* From a hub_source, or between begin and end. */
void hub_snapshot(struct hub_client *client, struct hub_event *event);

/* Clients */

/* All are called with a lock of the hub held: they must not call it. */
struct hub_sleep {
	void *user;
	void (*rest)(void *user);  /* a read has nothing to give */
	void (*wake)(void *user);  /* and now would have */
	bool (*holds)(void *user); /* it may still be told; NULL: always */
};

/* NULL when there are too many, or it is stopped. */
struct hub_client *hub_client_new(struct hub *hub, int64_t person, const struct hub_sleep *sleep);
/* Whether it is that person who has too many. */
bool hub_person_full(struct hub *hub, int64_t person);
void hub_client_free(struct hub_client *client);
uint64_t hub_client_id(const struct hub_client *client); /* never that of another, ever */

/*
 * Finds a client that somebody else may free at any time; hub_client_put() it.  NULL: that person
 * has none of that id.
 */
struct hub_client *hub_client_get(struct hub *hub, uint64_t id, int64_t person);
void hub_client_put(struct hub_client *client);

struct hub_wish {
	const char *topic;
	const char *since; /* an id; "" or one that is not understood: from its state now */
	bool gone;	   /* there is nothing to follow, and whoever asks may not wait for it */
};

/*
 * Between begin and end: follows topics, first states, then what was missed in its order.
 * -E2BIG with too many topics.  One that is followed already begins anew.  A client's `first`
 * topics leave ids behind with which all of them can be continued; later ones leave none.
 */
int hub_join(struct hub_client *client, const struct hub_wish *wishes, size_t count, bool first);
void hub_leave(struct hub_client *client, const char *topic);
void hub_followed(struct hub_client *client, struct strlist *topics); /* adds their names */

/* One for this client alone; with_id: it has seen everything up to now. */
void hub_tell(struct hub_client *client, const char *name, const char *json, bool with_id);

/* Ends its stream, with a reason for its reader; one word or sentence without quotes. */
void hub_drop(struct hub_client *client, const char *reason);

/* Up to size bytes of what waits; 0, and sleep->rest() before, when nothing does; -1 at the end. */
ssize_t hub_client_read(struct hub_client *client, char *into, size_t size);

#endif
