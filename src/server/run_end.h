/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is noted when a run begins and ends.  Each may be told twice, after a restart; the second
 * time changes nothing.
 */
#ifndef SERVER_RUN_END_H
#define SERVER_RUN_END_H

#include <stdbool.h>
#include <stdint.h>

struct app;
struct msg_began;
struct msg_ended;
struct run;

/*
 * Both are negative when it could not be noted, since the disk is full or the database locked, and
 * has to be tried again; first: this is not such a try.
 */
int run_began(struct app *app, const struct msg_began *began, bool first);
int run_ended(struct app *app, const struct msg_ended *ended);

/* When it began by CLOCK_MONOTONIC, ns; 0 where that is not known: it was imported, or is queued.
 */
uint64_t run_began_at(const struct run *run);

#endif
