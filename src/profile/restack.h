/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile whose stacks are those that focus, hide and folded recursion leave, and what they
 * weigh: questions about functions (neighbours, totals) then hold for what a flame graph with the
 * same options shows.
 */
#ifndef PROFILE_RESTACK_H
#define PROFILE_RESTACK_H

#include "profile/calltree.h"

struct restack {
	struct profile
		view; /* borrows all but its stacks; its samples are not those of the stacks */
	struct stack_weights weights;
};

/* On failure (a bad expression or list) *restack needs no restack_free. */
int restack_make(struct restack *restack, const struct profile *profile,
		 const struct profile_filter *filter, const struct calltree_options *options,
		 struct err *err);
void restack_free(struct restack *restack);

#endif
