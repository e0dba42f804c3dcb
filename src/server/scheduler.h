/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes runs from the queue and has them made, one after the other.
 *
 * A run's way is in the store; the scheduler makes its files, tells the supervisor to start it and
 * notes what comes back.  What the supervisor still holds after a restart of the web side goes on
 * where it was.  It also deletes what was removed and can't be restored any more.
 */
#ifndef SERVER_SCHEDULER_H
#define SERVER_SCHEDULER_H

#include "jobs/protocol.h"
#include <stdint.h>

struct app;
struct err;
struct scheduler;

/* After datadir_recover(), before link_run(): it listens to `began` and `ended`. */
struct scheduler *scheduler_new(struct app *app);
int scheduler_start(struct scheduler *scheduler, struct err *err);
void scheduler_free(struct scheduler *scheduler); /* ends its thread */

/* There may be something to do: a run was added, moved, restored. */
void scheduler_kick(struct scheduler *scheduler);

/* To a run that is starting or running; what the supervisor does with it is told by its end. */
int scheduler_cancel(struct scheduler *scheduler, int64_t run, struct err *err);
int scheduler_control(struct scheduler *scheduler, int64_t run, enum run_control action,
		      struct err *err);

#endif
