/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling others of a run's end by POST, where its form asks for that.
 *
 * The web side may be taken over, and a form is anybody's who may run: only addresses that begin
 * with one of the server's configuration are told, and without any the process can't connect at
 * all.  Plain http and addresses in numbers only: names are not looked up here.
 */
#ifndef SERVER_WEBHOOK_H
#define SERVER_WEBHOOK_H

#include <stdint.h>

struct app;
struct err;
struct webhook;

struct webhook *webhook_new(struct app *app);
void webhook_free(struct webhook *webhook); /* what was not told yet is not told */

/* Whether a form may ask for this; -EACCES or -EINVAL in words. */
int webhook_check(const struct app *app, const char *url, struct err *err);

/* The run has ended: tells whom it wants to be told, soon.  Nothing where it wants nobody. */
void webhook_tell(struct app *app, int64_t run);

#endif
