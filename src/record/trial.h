/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking the kernel what its counters can do, by opening events on this thread for a moment.
 */
#ifndef RECORD_TRIAL_H
#define RECORD_TRIAL_H

#include "event/event.h"
#include "event/open.h"

struct trial {
	const struct perf_sys *sys;
	bool user_only; /* the kernel's part is not for us; the counters needed are the same */
	VEC(uint32_t) cpu_types; /* PMU types known to be the CPU's own */
	VEC(uint32_t) other_types;
};

struct trial_group VEC_OF(const struct event *);

void trial_init(struct trial *trial, const struct perf_sys *sys);
void trial_fini(struct trial *trial);

/* 0, or the negative errno value of opening it alone. */
int trial_open_one(struct trial *trial, const struct event *event);

/* Whether all of them are counted at the same time.  They must be of the same PMU. */
bool trial_fits(struct trial *trial, const struct trial_group *group);

/* Whether two events compete for the same counters. */
bool trial_same_pmu(struct trial *trial, const struct event *a, const struct event *b);

/* How many counters the CPU's own PMU has: those that take (nearly) any event, and those for
 * cycles, instructions and reference cycles only. */
void trial_size(struct trial *trial, int *general, int *fixed);

#endif
