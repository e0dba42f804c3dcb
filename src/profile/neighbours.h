/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls a function, and whom it calls, with what each of these ways weighs. */
#ifndef PROFILE_NEIGHBOURS_H
#define PROFILE_NEIGHBOURS_H

#include "profile/calltree.h"

struct neighbour {
	uint32_t function; /* NO_FUNCTION among callers: stacks begin with it */
	struct weight_pair weight;
};

struct neighbour_list VEC_OF(struct neighbour);

/* The heaviest first.  A stack that takes a way several times (recursion) counts once. */
struct neighbours {
	struct weight_pair self, total;
	struct neighbour_list callers, callees;
};

void profile_neighbours(const struct profile *profile, const struct stack_weights *weights,
			uint32_t function, struct neighbours *neighbours);
void neighbours_free(struct neighbours *neighbours);

#endif
