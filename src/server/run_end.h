/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is noted when a run begins and ends.  Each may be told twice, after a restart; the second
 * time changes nothing.
 */
#ifndef SERVER_RUN_END_H
#define SERVER_RUN_END_H

#include <stdint.h>

struct app;
struct msg_began;
struct msg_ended;

void run_began(struct app *app, const struct msg_began *began);
/* Negative when it could not be noted, and has to be tried again. */
int run_ended(struct app *app, const struct msg_ended *ended);

#endif
