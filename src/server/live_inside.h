/* SPDX-License-Identifier: Apache-2.0 */
/* What live.c and live_store.c share. */
#ifndef SERVER_LIVE_INSIDE_H
#define SERVER_LIVE_INSIDE_H

#include "base/buf.h"
#include "server/live.h"
#include "server/live_run.h"
#include <pthread.h>

#define LIVE_CHANGES  500	/* in one question to the store */
#define LIVE_LONG_AGO INT64_MIN /* when a run ended that is not to be shown any longer */

struct live {
	struct datadir *dir;
	struct store *store;
	struct hub *hub;
	live_run_writer *write_run;
	/* Between hub_begin and hub_end: */
	int64_t change;	  /* the last one told */
	struct buf queue; /* as it was told */
	int trouble;	  /* of datadir_trouble(), as it was told */
	VEC(struct live_run *) runs;
	/* The thread: */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t hurry;
	bool started, stopping;
};

static inline bool live_is_over(enum run_state state)
{
	return state >= RUN_DONE;
}

/* All of it between hub_begin and hub_end. */
struct live_run *live_find_run(const struct live *live, int64_t id);
/* The state of a run that is followed, or is to be from now on. */
void live_note_state(struct live *live, int64_t id, enum run_state state);
/* Publishes what has changed in the store since the last time. */
void live_tell_changes(struct live *live);
/* A hub_source: the state of any topic. */
void live_show_topic(void *user, struct hub_client *client, const char *topic);

#endif
