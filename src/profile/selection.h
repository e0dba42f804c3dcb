/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples that filters leave of a profile, row by row and of all events, with the frames that
 * are to be shown: what writers of samples go through.
 */
#ifndef PROFILE_SELECTION_H
#define PROFILE_SELECTION_H

#include "profile/calltree.h"

#define ALL_EVENTS UINT16_MAX

struct selection_options {
	struct profile_filter filter; /* its event is not looked at */
	uint16_t event;		      /* or ALL_EVENTS */
	struct calltree_options stacks;
};

struct selection {
	const struct profile *profile;
	struct profile_stacks stacks; /* as they are shown */
	uint8_t *used;		      /* by such stack: samples end in it, or came through it */
	/* Texts for files: valid UTF-8. */
	char **names;		     /* by function: readable; NULL where no stack has it */
	char **paths;		     /* by object */
	char **comms;		     /* by thread */
	struct weight_pair *totals;  /* by event */
	struct weight_pair *threads; /* by thread */
	size_t rows;		     /* that are taken */
	uint64_t first_time, last_time;

	struct sieve sieve;
	uint16_t event;
	uint32_t *map; /* the profile's stacks to those that are shown; NULL: they are the same */
};

/* On failure (a bad expression or list) *selection needs no selection_free. */
int selection_make(struct selection *selection, const struct profile *profile,
		   const struct selection_options *options, struct err *err);
void selection_free(struct selection *selection);

static inline bool selection_takes(const struct selection *s, size_t row)
{
	const struct profile_samples *rows = &s->profile->samples;

	return row >= s->sieve.first && row < s->sieve.last &&
	       (s->event == ALL_EVENTS || s->event == rows->event[row]) &&
	       (!s->sieve.threads || s->sieve.threads[rows->thread[row]]) &&
	       (!s->sieve.cpus || s->sieve.cpus[rows->cpu[row]]) &&
	       (!s->sieve.stacks || s->sieve.stacks[rows->stack[row]]) &&
	       (!s->map || s->map[rows->stack[row]] != NO_NODE);
}

/* The stack that is shown for a row which is taken. */
static inline uint32_t selection_stack(const struct selection *s, size_t row)
{
	uint32_t stack = s->profile->samples.stack[row];

	return s->map ? s->map[stack] : stack;
}

/* The sampled address of a row; NULL where none is known, or frames were moved about. */
static inline const struct profile_leaf *selection_leaf(const struct selection *s, size_t row)
{
	uint32_t leaf = s->profile->samples.leaf[row];
	const struct profile_leaf *facts;

	if (s->map || leaf >= s->profile->leaves.len)
		return NULL;
	facts = &s->profile->leaves.data[leaf];
	return leaf || facts->offset ? facts : NULL;
}

/* The CPU of a row, or -1 where the recording does not tell. */
static inline int32_t selection_cpu(const struct selection *s, size_t row)
{
	uint16_t cpu = s->profile->samples.cpu[row];

	return cpu == UINT16_MAX ? -1 : cpu;
}

/* Whether nobody said to which process a thread belongs. */
static inline bool thread_is_unknown(const struct profile_thread *thread)
{
	return thread->generation == GENERATION_UNKNOWN;
}

#endif
