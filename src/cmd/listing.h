/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `perfolio list` share: the rows that are shown, and what was found out. */
#ifndef CMD_LISTING_H
#define CMD_LISTING_H

#include "base/err.h"
#include "base/vec.h"
#include "event/catalog.h"
#include "event/event.h"
#include "event/host.h"
#include <stdio.h>

struct listing_kind {
	enum event_kind kind;
	const char *words[3]; /* what selects it on the command line */
	const char *heading;
};

extern const struct listing_kind listing_kinds[]; /* in the order shown; heading NULL at the end */

enum { ROW_UNTESTED = 1 }; /* other states: 0, or a negative errno value */

struct row {
	struct catalog_entry entry;
	int state;		/* whether it can be opened here */
	int whole_state;	/* the same, with the kernel's part: refused more often */
	const char *fields;	/* a tracepoint's, by spaces; NULL if they were not read */
	bool has_event;		/* the grammar took its name */
	struct event_attr attr; /* then: how it is encoded */
	bool cpu_wide_only;
};

struct listing {
	struct catalog *catalog;
	struct arena arena;
	VEC(struct row) rows;
	struct host host; /* for the reasons */
	bool verbose;
	bool no_descriptions;
	const char *cpu;	   /* --cpu: nothing was tested */
	struct err no_tracepoints; /* why none can be seen; code 0 where they can, or aren't asked
				      for */
};

/* Whether a row shows how to spell events, without being one: "cpu/TERM=VALUE,.../". */
bool listing_is_form(const struct row *row);

/* Fills in whether each row can be opened, by opening it. */
void listing_test(struct listing *listing);

/* Why a row can't be opened; "" if it can.  Gives into. */
const char *listing_why(const struct listing *listing, const struct row *row, char *into,
			size_t room);

void listing_print(const struct listing *listing, FILE *out);
void listing_print_json(const struct listing *listing, FILE *out);

#endif
