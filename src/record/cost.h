/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sample costs on this machine, found out by taking some of ourselves.
 */
#ifndef RECORD_COST_H
#define RECORD_COST_H

#include "event/event.h"
#include "record/sampleattr.h"

struct err;

struct sampling_cost {
	double ns;	 /* that the sampled program loses to one sample; negative: can't be told */
	double error_ns; /* two standard errors of that */
	double bytes;	 /* that one takes in the file */
	size_t samples;	 /* that this was found out from */
	double rate;	 /* samples a second that were requested for it; 0: a period */
	double share;	 /* of the CPU that samples took at that rate; known if ns is */
};

/* Of a CPU's time, the least that samples take at so many a second. */
double sampling_cost_share(const struct sampling_cost *cost, double rate);

/* By how much of its time a program takes longer, of whose CPU so much goes to samples. */
double sampling_cost_slowdown(double share);

/*
 * The same as a factor, to be told to people.  Where samples take nearly all of the CPU, a
 * hundredth more of it doubles the factor: so it is that of the least share that was measured,
 * rounded down.
 */
double sampling_cost_times(double share, double error);

/*
 * Spins for half a second or so on one CPU, with and without sampling in turns.  -ENOTSUP for
 * events that do not come by themselves while a program computes (tracepoints, faults).  On a
 * machine that leaves us no CPU for half a millisecond what a sample costs can't be told.
 */
int sampling_cost_measure(struct sampling_cost *cost, const struct event_list *list, size_t index,
			  const struct sampling_choice *choice, struct err *err);

/* How often an event happens a second on the whole machine at present; negative: can't be said. */
double sampling_event_rate(const struct event *event);

#endif
