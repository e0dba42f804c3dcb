/* SPDX-License-Identifier: Apache-2.0 */
/* -e and --filter, kept in order: a filter belongs to the events given last before it. */
#ifndef CMD_EVENT_STEPS_H
#define CMD_EVENT_STEPS_H

#include "base/vec.h"
#include "event/event.h"

struct catalog;
struct err;

struct event_step {
	bool is_filter;
	const char *text; /* borrowed from argv */
};
struct event_steps VEC_OF(struct event_step);

void event_steps_add(struct event_steps *steps, const char *text);
int event_steps_add_filter(struct event_steps *steps, const char *text, struct err *err);

/* Adds what they name to the list, which borrows texts from the catalogue. */
int event_steps_parse(const struct event_steps *steps, struct event_list *list,
		      struct catalog *catalog, struct err *err);

#endif
