/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every picture of a profile needs, made once for a profile that is asked again and again:
 * readable names, the hottest lines, the stacks of idle CPUs, who was met where.  Whoever asks for
 * these gets them from here where they are, and makes them where they are not.
 */
#ifndef PROFILE_READY_H
#define PROFILE_READY_H

#include "profile/profile.h"

/* A thread with a stack that it was met in. */
struct profile_pair {
	uint32_t thread, stack;
};

struct profile_ready {
	char **names;		/* by function */
	uint32_t **places;	/* by event, by function; NULL: no lines are known */
	uint8_t *idle;		/* by stack, */
	const uint32_t *stacks; /* of those whose parents these are: a view may have others */
	/*
	 * Samples by who was where: there are far fewer pairs than samples, so that a tree is made
	 * by counting these and placing each once.
	 */
	uint32_t *pair_of; /* by sample */
	VEC(struct profile_pair) pairs;
};

/* The profile must not grow any more.  Before it is shown to other threads. */
void profile_make_ready(struct profile *profile);
/* profile_free calls it. */
void profile_ready_free(struct profile *profile);

#endif
