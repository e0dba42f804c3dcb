// SPDX-License-Identifier: Apache-2.0
#include "profile/restack.h"

static bool is_recursive(const struct calltree_node *nodes, uint32_t node)
{
	for (uint32_t at = nodes[node].parent; at; at = nodes[at].parent)
		if (nodes[at].function == nodes[node].function)
			return true;
	return false;
}

static void take_nodes(struct restack *restack, const struct calltree *tree)
{
	const struct calltree_node *nodes = tree->nodes.data;
	struct profile_stacks *stacks = &restack->view.stacks;
	struct stack_weights *weights = &restack->weights;
	size_t len = tree->nodes.len;

	*stacks = (struct profile_stacks){ .len = len, .cap = len };
	*weights = (struct stack_weights){ .len = len };
	stacks->parent = mem_alloc(len * sizeof(*stacks->parent));
	stacks->function = mem_alloc(len * sizeof(*stacks->function));
	stacks->flags = mem_alloc(len * sizeof(*stacks->flags));
	weights->samples = mem_alloc(len * sizeof(*weights->samples));
	weights->weight = mem_alloc(len * sizeof(*weights->weight));
	for (uint32_t i = 0; i < len; i++) {
		stacks->parent[i] = nodes[i].parent;
		stacks->function[i] = nodes[i].function;
		stacks->flags[i] = (nodes[i].inlined && nodes[i].parent ? STACK_INLINED : 0) |
				   (i && is_recursive(nodes, i) ? STACK_RECURSIVE : 0);
		weights->samples[i] = nodes[i].self.samples;
		weights->weight[i] = nodes[i].self.weight;
	}
	weights->total_samples = nodes[0].total.samples;
	weights->total_weight = nodes[0].total.weight;
}

int restack_make(struct restack *restack, const struct profile *profile,
		 const struct profile_filter *filter, const struct calltree_options *options,
		 struct err *err)
{
	struct calltree_options from_root = *options;
	struct stack_weights weights;
	struct calltree tree;
	int rc = profile_weigh(profile, filter, &weights, err);

	if (rc)
		return rc;
	from_root.from_leaf = options->changes && options->from_leaf; /* which see it turned */
	from_root.upright = true;
	rc = calltree_build(&tree, profile, &weights, &from_root, err);
	stack_weights_free(&weights);
	if (rc)
		return rc;
	restack->view = *profile;
	take_nodes(restack, &tree);
	calltree_free(&tree);
	return 0;
}

void restack_free(struct restack *restack)
{
	free(restack->view.stacks.parent);
	free(restack->view.stacks.function);
	free(restack->view.stacks.flags);
	stack_weights_free(&restack->weights);
	*restack = (struct restack){ 0 };
}
