/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From stacks to the nodes of a flame graph, each group with nodes of its own.
 *
 * Nodes are light until all samples are counted: only those wide enough to be seen get a name and a
 * place in the tree.  A stack is walked up to the first of its callers that has a node, so a group
 * costs what its own stacks cost and not what the profile holds.
 */
#ifndef PROFILE_FLAMEPLACE_H
#define PROFILE_FLAMEPLACE_H

#include "profile/flametree.h"
#include "profile/reshape.h"

/* The node of a stack that the options leave out. */
#define LEFT_OUT (UINT32_MAX - 1)

/* The link of a program or thread. */
#define GROUP_LINK UINT32_MAX

struct placed_node {
	uint32_t parent; /* a smaller index; 0 is the root */
	uint32_t link;	 /* the function, and whether it was inlined; or GROUP_LINK */
	struct weight_pair weight;
};

struct flame_placer {
	const struct profile *profile;
	const struct calltree_options *options;
	uint8_t *focus, *hide;	/* for each function; NULL if not asked for */
	struct reshape changes; /* has steps where the options have changes: all is done by these */
	bool merges;		/* several stacks may share a node */
	bool direct;		/* there is but one group and each stack's node has its number */
	struct idmap children;	/* if so: parent and link to nodes */

	VEC(struct placed_node) nodes;
	VEC(uint32_t) groups; /* of the nodes that are groups, in their order */
	uint32_t *bases;      /* by group: its node; NO_NODE while it has none */

	/* Most stacks belong to one group only, and need no table to be found. */
	struct {
		uint32_t group, node;
	} * places;	     /* by stack: the first group that has it */
	struct idmap others; /* group and stack to nodes */
	VEC(uint32_t) path;
};

/* root: the group that is the root itself, or NO_NODE.  On failure there is nothing to end. */
int flame_placer_init(struct flame_placer *placer, const struct profile *profile,
		      const struct calltree_options *options, size_t groups, uint32_t root,
		      struct err *err);
void flame_placer_fini(struct flame_placer *placer);

static inline enum flame_kind placed_kind(const struct profile *profile, uint32_t link)
{
	if (link == GROUP_LINK)
		return FLAME_GROUP;
	return link & 1 ? FLAME_INLINED
			: flame_kind_of((enum frame_kind)profile->functions.data[link >> 1].kind);
}

/* The node of a stack's leaf in a group, or LEFT_OUT. */
uint32_t flame_placer_place(struct flame_placer *placer, uint32_t group, uint32_t stack);

static inline uint32_t flame_placer_find(struct flame_placer *placer, uint32_t group,
					 uint32_t stack)
{
	if (placer->direct)
		return stack;
	return placer->places[stack].group == group ? placer->places[stack].node
						    : flame_placer_place(placer, group, stack);
}

/* Sums up and makes the nodes of the tree, whose names the groups have already. */
void flame_placer_finish(struct flame_placer *placer, const struct flametree_options *options,
			 const uint32_t *group_names, struct flametree *tree);

#endif
