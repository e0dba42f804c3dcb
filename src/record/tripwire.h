/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that are not recorded but tell that something has happened: --switch-output-event.
 *
 * Each is opened on the recording's target with a ring of its own; one descriptor is readable when
 * any of them was hit.
 */
#ifndef RECORD_TRIPWIRE_H
#define RECORD_TRIPWIRE_H

#include "event/event.h"
#include "record/ring.h"
#include "record/target.h"

struct err;

struct tripwire {
	int fd; /* to be waited for; -1: there is none */
	VEC(struct ring) rings;
};

/* `command`: the program of TARGET_COMMAND, before its exec.  On failure nothing is left open. */
int tripwire_open(struct tripwire *wire, const struct event_list *events,
		  const struct target *target, pid_t command, struct err *err);
/* Whether there were hits since it was asked last. */
bool tripwire_was_hit(struct tripwire *wire);
void tripwire_close(struct tripwire *wire);

#endif
