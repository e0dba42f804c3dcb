/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighed stacks as a tree: from the callers' side (who calls what) or from the leaves' (who is it
 * called by), with parts of stacks folded away; and as a flat table of functions.
 */
#ifndef PROFILE_CALLTREE_H
#define PROFILE_CALLTREE_H

#include "base/idmap.h"
#include "profile/filter.h"

#define NO_NODE UINT32_MAX

struct calltree_node {
	uint32_t parent, function;
	uint32_t first_child, next_sibling; /* heaviest first; NO_NODE ends it */
	bool inlined;
	struct weight_pair self, total;
};

struct calltree {
	VEC(struct calltree_node)
	nodes; /* 0 is the root; a parent's index is smaller than its children's */
};

struct calltree_options {
	bool from_leaf;
	bool collapse_recursion; /* f called by f is one f */
	const char *focus; /* regular expression: stacks begin at the outermost such function */
	const char *hide;  /* such functions are left out; what they call moves up */
	/*
	 * What is done after these, step by step:
	 * "focus:NAME,until:NAME,hide:NAME,only:NAME,without:NAME,keep:REGEX,drop:REGEX,collapse,
	 * reverse,zoom:WAY" (profile/reshape.h) with exact names, encoded as in an address.
	 * NULL: nothing.
	 */
	const char *changes;
	bool upright; /* the tree is from the callers' side, whatever the changes turned */
};

/* Only stacks that weigh something get nodes.  On failure *tree needs no calltree_free. */
int calltree_build(struct calltree *tree, const struct profile *profile,
		   const struct stack_weights *weights, const struct calltree_options *options,
		   struct err *err);
void calltree_free(struct calltree *tree);

/* A tree by hand: begin, add children and to their `self`, end. */
struct calltree_maker {
	struct calltree *tree;
	struct idmap children; /* parent, function and inlined */
};

void calltree_begin(struct calltree_maker *maker, struct calltree *tree, uint32_t root_function);
/* The child of that function, new if need be. */
uint32_t calltree_child(struct calltree_maker *maker, uint32_t parent, uint32_t function,
			bool inlined);
/*
 * Gives the wanted stacks (a byte each, which is changed) their nodes: by stack, NO_NODE for those
 * that are not wanted or left out by the options.  Free it; NULL on failure.
 */
uint32_t *calltree_place(struct calltree_maker *maker, const struct profile *profile,
			 const struct calltree_options *options, uint8_t *wanted, struct err *err);
/* Sums up and links the children, the heaviest first. */
void calltree_end(struct calltree_maker *maker);

/* self: as leaf; total: anywhere on the stack, a recursive function counted once. */
struct function_weight {
	struct weight_pair self, total;
};

/* One for each function of the profile.  Free it. */
struct function_weight *profile_function_weights(const struct profile *profile,
						 const struct stack_weights *weights);

/* What each thread of the profile weighs.  Free it; NULL on failure. */
struct weight_pair *profile_thread_weights(const struct profile *profile,
					   const struct profile_filter *filter, struct err *err);

#endif
