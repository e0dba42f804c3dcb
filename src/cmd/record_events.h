/* SPDX-License-Identifier: Apache-2.0 */
/* The events that `record` samples, and how often. */
#ifndef CMD_RECORD_EVENTS_H
#define CMD_RECORD_EVENTS_H

#include "base/buf.h"
#include "cmd/record_options.h"
#include "event/event.h"

struct catalog;
struct err;

/*
 * Parses -e and --filter, or takes cycles, or cpu-clock where there is no PMU.  Sets the rate in
 * options->choice to what the kernel allows.  What the user should know goes to *notes.
 */
int record_events(struct event_list *list, struct catalog *catalog, struct record_options *options,
		  struct buf *notes, struct err *err);

#endif
