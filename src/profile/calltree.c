// SPDX-License-Identifier: Apache-2.0
#include "profile/calltree.h"
#include "profile/match.h"
#include "profile/reshape.h"

#include <errno.h>

struct builder {
	struct calltree_maker maker;
	const struct profile *profile;
	const struct calltree_options *options;
	uint8_t *focus, *hide; /* for each function; NULL if not asked for */
};

static void add_pair(struct weight_pair *sum, const struct weight_pair *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

static struct calltree_node *nodes_of(const struct builder *b)
{
	return b->maker.tree->nodes.data;
}

void calltree_begin(struct calltree_maker *maker, struct calltree *tree, uint32_t root_function)
{
	*maker = (struct calltree_maker){ .tree = tree };
	*tree = (struct calltree){ 0 };
	*vec_push(&tree->nodes) = (struct calltree_node){
		.function = root_function,
		.first_child = NO_NODE,
		.next_sibling = NO_NODE,
	};
}

uint32_t calltree_child(struct calltree_maker *maker, uint32_t parent, uint32_t function,
			bool inlined)
{
	uint64_t key = (uint64_t)parent << 32 | function << 1 | inlined;
	uint32_t next = (uint32_t)maker->tree->nodes.len;
	uint32_t id = idmap_add(&maker->children, key, next);

	if (id == next)
		*vec_push(&maker->tree->nodes) = (struct calltree_node){
			.parent = parent,
			.function = function,
			.inlined = inlined,
			.first_child = NO_NODE,
			.next_sibling = NO_NODE,
		};
	return id;
}

/* The node below `at` for a frame of the profile, which may also be `at` itself. */
static uint32_t step(struct builder *b, uint32_t at, uint32_t stack)
{
	uint32_t function = b->profile->stacks.function[stack];

	if (b->hide && b->hide[function])
		return at;
	if (b->options->collapse_recursion && at && nodes_of(b)[at].function == function)
		return at;
	return calltree_child(&b->maker, at, function,
			      b->profile->stacks.flags[stack] & STACK_INLINED);
}

static struct weight_pair weight_of(const struct stack_weights *weights, size_t stack)
{
	return (struct weight_pair){ weights->samples[stack], weights->weight[stack] };
}

/* Marks the stacks that lead to wanted ones too. */
static void want_parents(const struct profile *profile, uint8_t *wanted)
{
	for (size_t i = profile->stacks.len; i-- > 1;)
		wanted[profile->stacks.parent[i]] |= wanted[i];
}

/*
 * From the callers' side: stacks in order, so that a parent's place is known before its children
 * come.  A stack without the focus stays at NO_NODE.
 */
static void place_from_root(struct builder *b, const uint8_t *wanted, uint32_t *place)
{
	const struct profile_stacks *stacks = &b->profile->stacks;

	place[STACK_ROOT] = b->focus ? NO_NODE : 0;
	for (uint32_t i = 1; i < stacks->len; i++) {
		uint32_t above = place[stacks->parent[i]];

		place[i] = NO_NODE;
		if (!wanted[i])
			continue;
		if (above == NO_NODE && b->focus[stacks->function[i]])
			above = 0;
		if (above != NO_NODE)
			place[i] = step(b, above, i);
	}
}

/* Where a stack begins with the focus: the outermost stack that ends the walk, or NO_NODE. */
static uint32_t focus_end(const struct builder *b, uint32_t stack)
{
	uint32_t end = b->focus ? NO_NODE : STACK_ROOT;

	for (; b->focus && stack != STACK_ROOT; stack = b->profile->stacks.parent[stack])
		if (b->focus[b->profile->stacks.function[stack]])
			end = b->profile->stacks.parent[stack];
	return end;
}

/* From the leaves' side: each wanted stack is walked up. */
static void place_from_leaf(struct builder *b, const uint8_t *wanted, uint32_t *place)
{
	for (uint32_t i = 0; i < b->profile->stacks.len; i++) {
		uint32_t end = wanted[i] ? focus_end(b, i) : NO_NODE;

		place[i] = end == NO_NODE ? NO_NODE : 0;
		if (end == NO_NODE)
			continue;
		for (uint32_t stack = i; stack != end; stack = b->profile->stacks.parent[stack])
			place[i] = step(b, place[i], stack);
	}
}

/* Each wanted stack as the changes leave it. */
static int place_changed(struct builder *b, const uint8_t *wanted, uint32_t *place, struct err *err)
{
	const struct profile_stacks *stacks = &b->profile->stacks;
	struct reshape reshape;
	int rc = reshape_make(&reshape, b->profile, b->options, err);

	for (uint32_t i = 0; !rc && i < stacks->len; i++) {
		place[i] = NO_NODE;
		if (!wanted[i] || !reshape_stack(&reshape, i))
			continue;
		place[i] = 0;
		vec_each (frame, &reshape.path)
			place[i] = calltree_child(&b->maker, place[i], stacks->function[*frame],
						  stacks->flags[*frame] & STACK_INLINED);
	}
	if (!rc)
		reshape_free(&reshape);
	return rc;
}

static void sum_up(struct calltree *tree)
{
	struct calltree_node *nodes = tree->nodes.data;

	for (size_t i = tree->nodes.len; i-- > 0;) {
		add_pair(&nodes[i].total, &nodes[i].self);
		if (i)
			add_pair(&nodes[nodes[i].parent].total, &nodes[i].total);
	}
}

struct ranked {
	uint64_t weight;
	uint32_t node;
};

static int lightest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node > y->node ? -1 : x->node < y->node; /* of equals the older one comes first */
}

/* Hangs every node in front of its siblings, the lightest one first: the lists end up sorted. */
static void link_children(struct calltree *tree)
{
	struct calltree_node *nodes = tree->nodes.data;
	struct ranked *order = mem_resize(NULL, tree->nodes.len, sizeof(*order));

	for (size_t i = 0; i < tree->nodes.len; i++)
		order[i] = (struct ranked){ nodes[i].total.weight, (uint32_t)i };
	qsort(order, tree->nodes.len, sizeof(*order), lightest_first);
	for (size_t i = 0; i < tree->nodes.len; i++) {
		struct calltree_node *node = &nodes[order[i].node];

		if (!order[i].node)
			continue;
		node->next_sibling = nodes[node->parent].first_child;
		nodes[node->parent].first_child = order[i].node;
	}
	free(order);
}

void calltree_end(struct calltree_maker *maker)
{
	sum_up(maker->tree);
	link_children(maker->tree);
	idmap_free(&maker->children);
}

static int match_options(struct builder *b, struct err *err)
{
	if (b->options->focus) {
		b->focus = profile_match_functions(b->profile, b->options->focus, MATCH_SHOWN, err);
		if (!b->focus)
			return -EINVAL;
	}
	if (b->options->hide) {
		b->hide = profile_match_functions(b->profile, b->options->hide, MATCH_SHOWN, err);
		if (!b->hide)
			return -EINVAL;
	}
	return 0;
}

uint32_t *calltree_place(struct calltree_maker *maker, const struct profile *profile,
			 const struct calltree_options *options, uint8_t *wanted, struct err *err)
{
	struct builder b = { .maker = *maker, .profile = profile, .options = options };
	uint32_t *place = mem_resize(NULL, profile->stacks.len, sizeof(*place));
	int rc;

	if (options->changes) {
		rc = place_changed(&b, wanted, place, err);
	} else {
		rc = match_options(&b, err);
		if (!rc && options->from_leaf) {
			place_from_leaf(&b, wanted, place);
		} else if (!rc) {
			want_parents(profile, wanted);
			place_from_root(&b, wanted, place);
		}
	}
	*maker = b.maker;
	free(b.focus);
	free(b.hide);
	if (!rc)
		return place;
	free(place);
	return NULL;
}

int calltree_build(struct calltree *tree, const struct profile *profile,
		   const struct stack_weights *weights, const struct calltree_options *options,
		   struct err *err)
{
	uint8_t *wanted = mem_alloc(weights->len + 1);
	struct calltree_maker maker;
	uint32_t *place;

	for (size_t i = 0; i < weights->len; i++)
		wanted[i] = weights->samples[i] > 0;
	calltree_begin(&maker, tree, profile->stacks.function[STACK_ROOT]);
	place = calltree_place(&maker, profile, options, wanted, err);
	for (size_t i = 0; place && i < weights->len; i++) {
		struct weight_pair self = weight_of(weights, i);

		if (self.samples && place[i] != NO_NODE)
			add_pair(&tree->nodes.data[place[i]].self, &self);
	}
	calltree_end(&maker);
	free(wanted);
	if (!place) {
		calltree_free(tree);
		return -EINVAL;
	}
	free(place);
	return 0;
}

void calltree_free(struct calltree *tree)
{
	vec_free(&tree->nodes);
}

struct function_weight *profile_function_weights(const struct profile *profile,
						 const struct stack_weights *weights)
{
	const struct profile_stacks *stacks = &profile->stacks;
	struct function_weight *functions = mem_alloc(profile->functions.len * sizeof(*functions));
	struct weight_pair *totals = mem_alloc(weights->len * sizeof(*totals));

	for (size_t i = weights->len; i-- > 1;) {
		struct function_weight *function = &functions[stacks->function[i]];
		struct weight_pair self = weight_of(weights, i);

		add_pair(&function->self, &self);
		add_pair(&totals[i], &self);
		if (!(stacks->flags[i] & STACK_RECURSIVE))
			add_pair(&function->total, &totals[i]);
		add_pair(&totals[stacks->parent[i]], &totals[i]);
	}
	free(totals);
	return functions;
}

struct weight_pair *profile_thread_weights(const struct profile *profile,
					   const struct profile_filter *filter, struct err *err)
{
	const struct profile_samples *rows = &profile->samples;
	struct weight_pair *threads;
	struct sieve sieve;

	if (sieve_make(&sieve, profile, filter, err))
		return NULL;
	threads = mem_alloc((profile->threads.len + 1) * sizeof(*threads));
	for (size_t i = sieve.first; i < sieve.last; i++) {
		if (!sieve_takes(&sieve, profile, i))
			continue;
		threads[rows->thread[i]].samples += profile_row_count(rows, i);
		threads[rows->thread[i]].weight += rows->weight[i];
	}
	sieve_free(&sieve);
	return threads;
}
