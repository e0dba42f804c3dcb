/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every picture of a profile needs, made once for a profile that is asked again and again:
 * readable names, the hottest lines, the stacks of idle CPUs.  Whoever asks for these gets them
 * from here where they are, and makes them where they are not.
 */
#ifndef PROFILE_READY_H
#define PROFILE_READY_H

#include "profile/profile.h"

struct profile_ready {
	char **names;		/* by function */
	uint32_t **places;	/* by event, by function; NULL: no lines are known */
	uint8_t *idle;		/* by stack, */
	const uint32_t *stacks; /* of those whose parents these are: a view may have others */
};

/* The profile must not grow any more.  Before it is shown to other threads. */
void profile_make_ready(struct profile *profile);
/* profile_free calls it. */
void profile_ready_free(struct profile *profile);

#endif
