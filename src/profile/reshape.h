/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as somebody has changed them, step by step and in that order: from a function on, up to a
 * function, without a function, recursion folded, from the leaf on; only those with a function or
 * without one, or on one way from the root.  What a step sees is what the steps before it left.
 * web/flame/reshape.ts does the same to the frames that a page has.
 */
#ifndef PROFILE_RESHAPE_H
#define PROFILE_RESHAPE_H

#include "profile/calltree.h"

enum reshape_what {
	RESHAPE_FOCUS,
	RESHAPE_UNTIL,
	RESHAPE_HIDE,
	RESHAPE_ONLY,	 /* stacks that have such a function, whole */
	RESHAPE_WITHOUT, /* stacks that have none */
	RESHAPE_ZOOM,	 /* stacks through one frame, whole */
	RESHAPE_COLLAPSE,
	RESHAPE_REVERSE,
};

struct reshape_step {
	enum reshape_what what;
	uint8_t *functions; /* by function: the step is about it; NULL: about all */
	uint32_t way;	    /* of a zoom: reshape_way() of its frame */
};

struct reshape {
	const struct profile *profile;
	bool upright; /* what was reversed is turned back at the end */
	VEC(struct reshape_step) steps;
	uint32_t *names;    /* by function: a number for its name; where a step needs it */
	VEC(uint32_t) path; /* what is left of the last stack: stacks by which it was led */
};

/*
 * The options' focus, hide, collapse_recursion and from_leaf, and then their changes.  On failure
 * (a bad expression, no such step) *reshape needs no reshape_free.
 */
int reshape_make(struct reshape *reshape, const struct profile *profile,
		 const struct calltree_options *options, struct err *err);
void reshape_free(struct reshape *reshape);

/*
 * A number for the names on the way to a frame, programs and threads left out; 0 is where the way
 * begins.  web/flame/match.ts has the same.
 */
uint32_t reshape_way(uint32_t caller, uint32_t name, bool inlined);
uint32_t reshape_name(const char *name);

/* Fills the path, what stands below coming first.  False: nothing of the stack is to be shown. */
bool reshape_stack(struct reshape *reshape, uint32_t stack);

#endif
