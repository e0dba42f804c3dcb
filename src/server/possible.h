/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this machine can do what a form asks for.  What surely can't work (an event, a CPU, a
 * user, a process that is not there) is refused before it waits in the queue; what is only missing
 * now, as a program that is yet to be built, is a warning.  Each text says what to do about it.
 */
#ifndef SERVER_POSSIBLE_H
#define SERVER_POSSIBLE_H

#include "base/vec.h"
#include <stdbool.h>

struct app;
struct asker;
struct err;
struct form;
struct json_object;

/*
 * What samples were found to cost, by events and call graph.  Found out once: measured again it
 * would be another number each time, and the same form would have another plan.
 */
struct costs;
struct costs *costs_new(void);
void costs_free(struct costs *costs);

struct verdict {
	bool forbidden; /* what is refused may not be, whether it works or not */
	struct strlist refused, warnings, notes;
};

void verdict_fini(struct verdict *verdict);

/* What is to be measured, as the Unix account of who asks sees it. */
void possible_target(struct app *app, const struct form *form, const struct asker *asker,
		     struct verdict *verdict);
/*
 * Its events and rate, with what they come to (cmd/look.h); json_object_put() it.  NULL: they are
 * refused, or the machine does not answer, which is a warning.
 */
struct json_object *possible_plan(struct app *app, const struct form *form,
				  const struct asker *asker, struct verdict *verdict);

/* Both, without trying events out: 0, or -EINVAL with the first reason.  Asks the machine. */
int possible(struct app *app, const struct form *form, const struct asker *asker, struct err *err);

#endif
