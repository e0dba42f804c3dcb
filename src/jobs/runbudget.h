/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a run goes (profile/budget.h), as the supervisor finds out: the kernel counts
 * the states of threads where it may be asked to, else /proc is looked at now and then.
 */
#ifndef JOBS_RUNBUDGET_H
#define JOBS_RUNBUDGET_H

#include "base/buf.h"
#include "base/vec.h"
#include "record/quota.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct evloop;
struct jobgroup;
struct states;

/* A thread as /proc tells of it. */
struct runbudget_thread {
	pid_t pid, tid;
	char name[16];
	uint64_t first_ns, last_ns;			 /* it was seen */
	uint64_t ran_before, queued_before, ran, queued; /* when it was first and last seen */
};

struct runbudget_ids VEC_OF(pid_t);

struct runbudget {
	struct evloop *loop;
	struct states *states; /* NULL: /proc has to do */
	char why[200];
	const struct jobgroup *group;
	struct runbudget_ids roots; /* processes, or one thread */
	bool thread, tree;
	uint64_t begin_ns;
	struct quota quota; /* of the first root */
	VEC(struct runbudget_thread) threads;
};

struct runbudget_target {
	pid_t workload;		      /* it waits for its start; 0: what is there already */
	const struct jobgroup *group; /* that all of it is in; NULL: none */
	const char *who;	      /* process ids with commas, else one thread's */
	bool thread, tree;	      /* also what they have started before */
};

/* Before the start: what takes its time.  states: NULL if they can't be counted, and why. */
void runbudget_prepare(struct runbudget *budget, struct evloop *loop, struct states *states,
		       const char *why);
void runbudget_begin(struct runbudget *budget, const struct runbudget_target *target,
		     uint64_t begin_ns);
/* A last look at what is about to vanish; of no use where the kernel counts. */
void runbudget_look(struct runbudget *budget);
/*
 * Writes it as JSON into *text, or why nothing is known.  The time when the workload
 * ended, by CLOCK_MONOTONIC, or 0 where it is not known.
 */
uint64_t runbudget_end(struct runbudget *budget, uint64_t now_ns, struct buf *text);
/* The same as figures; false: nothing is known, and result->why says it.  Free it. */
struct budget;
bool runbudget_result(struct runbudget *budget, uint64_t now_ns, struct budget *result);
/* Ends it without a result. */
void runbudget_free(struct runbudget *budget);

#endif
