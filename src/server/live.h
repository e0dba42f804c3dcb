/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is going on, as events of the hub: changes of sessions, runs and the queue, and of a run
 * that is being made its counters, its output, the growing flame tree and the heatmap.
 *
 * A thread looks ten times a second at the store's changes and at what was appended to the run's
 * files.  Trees and heatmaps are fed by the analyser, whose messages are checked here: it may have
 * been taken over.  docs/stream.md has topics and events.  State of a run is kept until a minute
 * after its end; from then on its results are asked for as those of any other.
 */
#ifndef SERVER_LIVE_H
#define SERVER_LIVE_H

#include <stdint.h>

struct datadir;
struct err;
struct hub;
struct json;
struct live;
struct msg_live_heat;
struct msg_live_lanes;
struct msg_live_tree;
struct run;
struct store;

/* Writes a run as GET /api/v1/runs/ID has it. */
typedef void live_run_writer(struct json *json, const struct run *run);

struct live *live_new(struct datadir *dir, struct hub *hub, live_run_writer *write_run);
/* Starts its thread, after datadir_recover(). */
int live_start(struct live *live, struct err *err);
void live_free(struct live *live); /* ends the thread */

/* One look at store and files, as the thread does it; for tests. */
void live_look(struct live *live, int64_t now_ns);

/*
 * What the analyser of a run tells.  -EPROTO when it is not what the protocol allows, -E2BIG when
 * it is too much for a page, -ESTALE when the run is over: then nothing of the message is taken,
 * and in the last two cases the job should go on without being shown.
 */
int live_tree_feed(struct live *live, int64_t run, const struct msg_live_tree *growth,
		   struct err *err);
int live_lanes_feed(struct live *live, int64_t run, const struct msg_live_lanes *growth,
		    struct err *err);
int live_heat_feed(struct live *live, int64_t run, const struct msg_live_heat *growth,
		   struct err *err);

#endif
