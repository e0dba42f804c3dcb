/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which samples a question is about, and what they weigh: the one pass that every view begins with.
 */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include "profile/profile.h"

struct err;

/* A NULL, an empty list or a false is a filter that was not given. */
struct profile_filter {
	uint16_t event;
	uint64_t time_from, time_to; /* [from, to); to 0: no end */
	const char *comms;	     /* "redis-server,bash" */
	const char *pids, *tids;     /* "12,34" */
	const char *cpus;	     /* "0-3,8" */
	const char *objects;  /* "libc.so.6,[kernel.kallsyms]": of the leaf; base names too */
	const char *keep;     /* regular expression: stacks that hold such a function */
	const char *keep_too; /* the same once more */
	const char *drop;     /* stacks that hold none */
	const char *keep_raw; /* as `keep`, by the names that the linker knows */
	bool listed;	      /* keep and drop go by the names of lists: MATCH_LISTED */
	bool busy;	      /* without what idle CPUs do */
};

/* A filter made ready: rows [first, last) of an event, and a byte of yes or no for each thread, CPU
 * and stack. */
struct sieve {
	size_t first, last;
	uint16_t event;
	uint8_t *threads, *cpus, *stacks; /* NULL: all of them */
};

/* On failure (a bad expression or list) *sieve needs no sieve_free. */
int sieve_make(struct sieve *sieve, const struct profile *profile,
	       const struct profile_filter *filter, struct err *err);
void sieve_free(struct sieve *sieve);

/* A byte for each stack: its leaf is a function in which a CPU waits for work.  Free it. */
uint8_t *profile_idle_stacks(const struct profile *profile);

static inline bool sieve_takes(const struct sieve *sieve, const struct profile *profile, size_t row)
{
	const struct profile_samples *rows = &profile->samples;

	return rows->event[row] == sieve->event &&
	       (!sieve->threads || sieve->threads[rows->thread[row]]) &&
	       (!sieve->cpus || sieve->cpus[rows->cpu[row]]) &&
	       (!sieve->stacks || sieve->stacks[rows->stack[row]]);
}

/* What every stack weighs by itself, in samples and in the event's own count. */
struct stack_weights {
	size_t len; /* of both: the profile's stacks */
	uint64_t *samples, *weight;
	uint64_t total_samples, total_weight;
};

/* On failure (a bad expression or list) *weights needs no stack_weights_free. */
int profile_weigh(const struct profile *profile, const struct profile_filter *filter,
		  struct stack_weights *weights, struct err *err);
void stack_weights_free(struct stack_weights *weights);

/* The first row at or after `time`. */
size_t profile_row_at(const struct profile *profile, uint64_t time);

#endif
