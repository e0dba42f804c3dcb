/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms between the slashes of "pmu/event=0x3c,umask=1,name=x/".
 *
 * Some mean the same everywhere (name, period, freq, call-graph ...); the rest are the PMU's own.
 */
#ifndef EVENT_TERM_H
#define EVENT_TERM_H

#include "event/event.h"
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;

struct term {
	const char *key;
	const char *text; /* its value; NULL if it has none */
	bool is_number;
	uint64_t number; /* of a number, and 1 where there is no value */
	size_t at;	 /* where it stands in the text that was parsed, and how long it is */
	size_t length;
};

struct terms {
	VEC(struct term) items;
	struct arena *arena; /* the texts' */
};

/* Adds the terms of text; on failure *at is the column in text. */
int terms_parse(struct terms *terms, const char *text, size_t length, size_t *at, struct err *err);
void terms_free(struct terms *terms);

/*
 * Gives a term with a meaning of its own to the event.  1 if it is one, 0 if the PMU has to know
 * it, a negative errno value if its value is wrong.
 */
int term_apply_common(const struct term *term, struct event *event, struct err *err);

/* The keys that term_apply_common knows, a blank before each, for messages. */
void term_put_common(struct buf *out);

#endif
