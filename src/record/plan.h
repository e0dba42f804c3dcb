/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the CPU's counters are enough for a list of events, and how to share them out if not.
 *
 * Found out by trying: events are opened on ourselves as one group, which the kernel refuses when
 * they can never be counted together, and are run for a moment, which shows counters that somebody
 * else (the NMI watchdog) holds.  Nothing is taken from tables.
 */
#ifndef RECORD_PLAN_H
#define RECORD_PLAN_H

#include "event/event.h"
#include "event/open.h"

enum plan_need {
	PLAN_NO_COUNTER,  /* the kernel counts it, always */
	PLAN_COUNTER,	  /* takes a hardware counter */
	PLAN_TOO_LARGE,	  /* of a group that can never be counted as a whole */
	PLAN_UNAVAILABLE, /* can't be opened here; error says why */
};

struct plan_event {
	enum plan_need need;
	int error;     /* a positive errno value for PLAN_UNAVAILABLE */
	bool shares;   /* in a single run it would take turns with others: multiplexing */
	uint32_t pass; /* the run that it belongs to; 0 where it needs no counter */
};

struct plan {
	int general, fixed; /* counters of the CPU's PMU that can be had now; both 0 without one */
	int needed;	    /* events that take one */
	uint32_t passes;    /* runs in which nothing is multiplexed: 1 if all fit at once */
	VEC(struct plan_event) events; /* as in the list */
};

/* sys NULL: the kernel. */
void plan_make(struct plan *plan, const struct event_list *list, const struct perf_sys *sys);
void plan_fini(struct plan *plan);

/*
 * The events of one pass as a list of their own, whose texts are borrowed from `list`.  Events that
 * need no counter are in every pass.  origin[i] is the index in `list` of the i-th.
 */
struct plan_origin VEC_OF(uint32_t);
void plan_pick(const struct plan *plan, uint32_t pass, const struct event_list *list,
	       struct event_list *into, struct plan_origin *origin);

#endif
