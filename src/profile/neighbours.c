// SPDX-License-Identifier: Apache-2.0
#include "profile/neighbours.h"

/* One side while it is counted. */
struct side {
	struct neighbour *all; /* by function; the last one is NO_FUNCTION's */
	uint32_t *met;	       /* the stack that counted last, plus 1 */
};

static void side_init(struct side *side, size_t functions)
{
	side->all = mem_alloc((functions + 1) * sizeof(*side->all));
	side->met = mem_alloc((functions + 1) * sizeof(*side->met));
}

static void side_add(struct side *side, size_t place, uint32_t stack,
		     const struct weight_pair *weight)
{
	if (side->met[place] == stack + 1)
		return;
	side->met[place] = stack + 1;
	side->all[place].weight.samples += weight->samples;
	side->all[place].weight.weight += weight->weight;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	if (x->weight.weight != y->weight.weight)
		return x->weight.weight > y->weight.weight ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void side_finish(struct side *side, size_t functions, struct neighbour_list *list)
{
	for (size_t i = 0; i <= functions; i++) {
		if (!side->all[i].weight.samples)
			continue;
		side->all[i].function = i < functions ? (uint32_t)i : NO_FUNCTION;
		*vec_push(list) = side->all[i];
	}
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), heaviest_first);
	free(side->all);
	free(side->met);
}

/* One stack, from its leaf to its root. */
static bool walk(const struct profile *profile, uint32_t stack, uint32_t function,
		 const struct weight_pair *weight, struct side *callers, struct side *callees)
{
	const struct profile_stacks *stacks = &profile->stacks;
	bool found = false;

	for (uint32_t at = stack; at != STACK_ROOT; at = stacks->parent[at]) {
		uint32_t parent = stacks->parent[at];

		if (stacks->function[at] == function) {
			size_t caller = parent == STACK_ROOT ? profile->functions.len
							     : stacks->function[parent];

			found = true;
			side_add(callers, caller, stack, weight);
		}
		if (parent != STACK_ROOT && stacks->function[parent] == function)
			side_add(callees, stacks->function[at], stack, weight);
	}
	return found;
}

void profile_neighbours(const struct profile *profile, const struct stack_weights *weights,
			uint32_t function, struct neighbours *neighbours)
{
	size_t functions = profile->functions.len;
	struct side callers, callees;

	*neighbours = (struct neighbours){ 0 };
	side_init(&callers, functions);
	side_init(&callees, functions);
	for (uint32_t i = 1; i < weights->len; i++) {
		struct weight_pair weight = { weights->samples[i], weights->weight[i] };

		if (!weight.samples || !walk(profile, i, function, &weight, &callers, &callees))
			continue;
		neighbours->total.samples += weight.samples;
		neighbours->total.weight += weight.weight;
		if (profile->stacks.function[i] == function) {
			neighbours->self.samples += weight.samples;
			neighbours->self.weight += weight.weight;
		}
	}
	side_finish(&callers, functions, &neighbours->callers);
	side_finish(&callees, functions, &neighbours->callees);
}

void neighbours_free(struct neighbours *neighbours)
{
	vec_free(&neighbours->callers);
	vec_free(&neighbours->callees);
}
