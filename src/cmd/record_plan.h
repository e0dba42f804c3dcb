/* SPDX-License-Identifier: Apache-2.0 */
/* `record --plan`: what a recording with these flags would come to. */
#ifndef CMD_RECORD_PLAN_H
#define CMD_RECORD_PLAN_H

#include "base/buf.h"
#include "cmd/record_options.h"
#include "event/event.h"

struct catalog;
struct err;
struct json;

/* Gives the exit status, or a negative errno value. */
int record_plan(struct record_options *options, struct catalog *catalog, struct err *err);

/*
 * A note if the rate is so high that programs get much slower by being sampled; found out by
 * sampling ourselves for a moment, which is done for such rates only.
 */
void record_plan_warn(const struct record_options *options, const struct event_list *list,
		      struct buf *notes);

/*
 * The same as members of an object that is open: samples and bytes a second, overhead, each event.
 * known: what samples cost, "NS:ERROR:BYTES,..." of the events in their order, so that it is not
 * measured again; "": not known.
 */
int record_plan_json(struct record_options *options, struct catalog *catalog, const char *known,
		     struct json *json, struct err *err);

#endif
