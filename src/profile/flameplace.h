/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a flame graph for the stacks of a profile, one group after the other.
 *
 * A stack is walked up to the first of its callers that has a node in this group, so a group costs
 * what its own stacks cost and not what the profile holds.
 */
#ifndef PROFILE_FLAMEPLACE_H
#define PROFILE_FLAMEPLACE_H

#include "profile/flametree.h"

struct stack_place {
	uint32_t group, node; /* the node of the stack in that group */
};

struct flame_placer {
	struct flametree *tree;
	const struct profile *profile;
	const struct calltree_options *options;
	uint8_t *focus, *hide;	    /* for each function; NULL if not asked for */
	struct stack_place *places; /* by stack */
	struct idmap children;	    /* parent, function and inlined, if `merges` */
	bool merges;		    /* several stacks may share a node */
	uint32_t group;
	uint32_t group_name; /* of the tree's names */
	uint32_t base;	     /* the group's node, or NO_NODE while it has none */
	uint32_t *names;     /* by function, of the tree's names; NO_NODE: not made yet */
	VEC(uint32_t) path;
};

/* The tree gets its root.  On failure (a bad expression) there is nothing to end. */
int flame_placer_init(struct flame_placer *placer, struct flametree *tree,
		      const struct calltree_options *options, struct err *err);
void flame_placer_fini(struct flame_placer *placer);

/* A group begins; one without a name is the root itself.  No group comes twice. */
void flame_placer_group(struct flame_placer *placer, uint32_t group, uint32_t name);

/* The node of a stack's leaf in the group; NO_NODE for one that the options leave out. */
uint32_t flame_placer_find(struct flame_placer *placer, uint32_t stack);

#endif
