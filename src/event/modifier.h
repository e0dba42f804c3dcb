/* SPDX-License-Identifier: Apache-2.0 */
/* What may follow an event or a group after a colon: u k h p P G H S D W e I b. */
#ifndef EVENT_MODIFIER_H
#define EVENT_MODIFIER_H

#include "event/event.h"
#include <stdbool.h>
#include <stddef.h>

#define EVENT_MODIFIERS "ukhpPGHSDIWeb" /* as in "cycles:u" */

/* Whether text is "" or a colon with modifiers (or nothing) behind it. */
bool modifiers_follow(const char *text);

/*
 * Checks the letters: each at most once, p up to three times.  Gives the index of the first wrong
 * one, or -1.
 */
int modifiers_check(const char *letters, size_t length);

/* Gives checked letters to an event; a group's come on top of what the event has by itself. */
void modifiers_apply(struct event *event, const char *letters, size_t length, bool of_group);

/* Those at the end of an event's name: "u" of "cycles:u" and of "cpu/cycles/u"; or NULL. */
const char *modifiers_of(const char *name);

/*
 * An event's name with the only mode that it is sampled in (cpu-clock:u), also where it was given
 * without and then allowed less, or told by --all-user.  Free it.
 */
char *modifiers_name(const char *name, const struct perf_event_attr *attr);

#endif
