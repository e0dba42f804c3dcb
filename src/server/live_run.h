/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is being made, as its topics show it.  All of it between hub_begin and hub_end. */
#ifndef SERVER_LIVE_RUN_H
#define SERVER_LIVE_RUN_H

#include "server/live_files.h"
#include "server/live_lanes.h"
#include "server/live_topic.h"
#include "server/live_tree.h"
#include "store/store.h"

struct datadir;
struct hub_event;

struct live_event {
	struct live_tree tree;
	struct live_heat heat;
	struct live_lanes lanes;
	/* What those get who come now; NULL: it has to be written first. */
	struct hub_event *tree_state, *heat_state, *lanes_state;
};

struct live_run {
	int64_t id;
	enum run_state state;
	int64_t over_ns; /* when its end was told; 0: it goes on */
	struct live_series series;
	bool names_told;
	struct live_output output;
	VEC(struct live_event) events;
	struct hub_event *series_state, *output_state;
};

struct live_run *live_run_new(int64_t id);
void live_run_free(struct live_run *run);

/* The event of that number, the next new one included; NULL with words. */
struct live_event *live_run_event(struct live_run *run, uint64_t number, struct err *err);

/* Opens files that it has by now. */
void live_run_open(struct live_run *run, struct datadir *dir);
/* Publishes what is new in its files and trees. */
void live_run_tell(struct live_run *run, struct hub *hub);
/* And then that nothing more will come. */
void live_run_tell_end(struct live_run *run, struct hub *hub);
/* Gives a client what one of its topics has shown until now. */
void live_run_show(struct live_run *run, struct hub *hub, struct hub_client *client,
		   enum live_topic_kind kind);

/* `end` as JSON, of any run. */
void live_write_end(struct buf *out, int64_t run, const char *state);

#endif
