// SPDX-License-Identifier: Apache-2.0
#include "profile/flameplace.h"
#include "profile/flameinside.h"
#include "profile/match.h"

#include <errno.h>

#define NOBODY UINT32_MAX

static uint32_t add_node(struct flame_placer *p, uint32_t parent, uint32_t link)
{
	*vec_push(&p->nodes) = (struct placed_node){ .parent = parent, .link = link };
	return (uint32_t)p->nodes.len - 1;
}

/* Groups of which nothing is left get no node. */
static uint32_t base_of(struct flame_placer *p, uint32_t group)
{
	if (p->bases[group] == NO_NODE) {
		p->bases[group] = add_node(p, 0, GROUP_LINK);
		*vec_push(&p->groups) = group;
	}
	return p->bases[group];
}

static uint32_t child_of(struct flame_placer *p, uint32_t parent, uint32_t link)
{
	uint32_t next = (uint32_t)p->nodes.len, known;

	if (p->merges) {
		known = idmap_add(&p->children, (uint64_t)parent << 32 | link, next);
		if (known != next)
			return known;
	}
	return add_node(p, parent, link);
}

/* The node below `at` for a frame of the profile, which may also be `at` itself. */
static uint32_t step(struct flame_placer *p, uint32_t at, uint32_t stack)
{
	uint32_t function = p->profile->stacks.function[stack];
	bool inlined = p->profile->stacks.flags[stack] & STACK_INLINED;

	if (p->hide && p->hide[function])
		return at;
	if (p->options->collapse_recursion && p->nodes.data[at].link >> 1 == function)
		return at;
	return child_of(p, at, function << 1 | inlined);
}

/* What is known of a stack in a group: its node, LEFT_OUT, or NO_NODE if nothing. */
static uint32_t look(const struct flame_placer *p, uint32_t group, uint32_t stack)
{
	if (p->places[stack].group == group)
		return p->places[stack].node;
	if (p->places[stack].group == NOBODY)
		return NO_NODE;
	return idmap_find(&p->others, (uint64_t)group << 32 | stack);
}

static uint32_t keep(struct flame_placer *p, uint32_t group, uint32_t stack, uint32_t node)
{
	if (p->places[stack].group != NOBODY)
		return idmap_add(&p->others, (uint64_t)group << 32 | stack, node);
	p->places[stack].group = group;
	p->places[stack].node = node;
	return node;
}

/* From the callers' side; with a focus, stacks begin there. */
static uint32_t from_root(struct flame_placer *p, uint32_t group, uint32_t stack)
{
	const struct profile_stacks *stacks = &p->profile->stacks;
	uint32_t at = NO_NODE;

	p->path.len = 0;
	while (stack != STACK_ROOT && (at = look(p, group, stack)) == NO_NODE) {
		*vec_push(&p->path) = stack;
		stack = stacks->parent[stack];
	}
	if (at == NO_NODE)
		at = p->focus ? LEFT_OUT : base_of(p, group);
	while (p->path.len) {
		stack = p->path.data[--p->path.len];
		if (at == LEFT_OUT && p->focus[stacks->function[stack]])
			at = base_of(p, group);
		if (at != LEFT_OUT)
			at = step(p, at, stack);
		keep(p, group, stack, at);
	}
	return at;
}

/* The stack at which the walk from the leaf ends: the outermost focus' caller, or LEFT_OUT. */
static uint32_t focus_end(const struct flame_placer *p, uint32_t stack)
{
	const struct profile_stacks *stacks = &p->profile->stacks;
	uint32_t end = p->focus ? LEFT_OUT : STACK_ROOT;

	for (; p->focus && stack != STACK_ROOT; stack = stacks->parent[stack])
		if (p->focus[stacks->function[stack]])
			end = stacks->parent[stack];
	return end;
}

static uint32_t from_leaf(struct flame_placer *p, uint32_t group, uint32_t stack)
{
	uint32_t end = focus_end(p, stack), at = look(p, group, stack), leaf = stack;

	if (at != NO_NODE)
		return at;
	at = end == LEFT_OUT ? LEFT_OUT : base_of(p, group);
	for (; end != LEFT_OUT && stack != end; stack = p->profile->stacks.parent[stack])
		at = step(p, at, stack);
	return keep(p, group, leaf, at);
}

static uint32_t from_changes(struct flame_placer *p, uint32_t group, uint32_t stack)
{
	const struct profile_stacks *stacks = &p->profile->stacks;
	uint32_t at = look(p, group, stack);

	if (at != NO_NODE)
		return at;
	if (!reshape_stack(&p->changes, stack))
		return keep(p, group, stack, LEFT_OUT);
	at = base_of(p, group);
	vec_each (frame, &p->changes.path)
		at = child_of(p, at,
			      stacks->function[*frame] << 1 |
				      (stacks->flags[*frame] & STACK_INLINED));
	return keep(p, group, stack, at);
}

uint32_t flame_placer_place(struct flame_placer *p, uint32_t group, uint32_t stack)
{
	if (p->options->changes)
		return from_changes(p, group, stack);
	return p->options->from_leaf ? from_leaf(p, group, stack) : from_root(p, group, stack);
}

static int match(const struct profile *profile, const char *expression, uint8_t **functions,
		 struct err *err)
{
	if (expression)
		*functions = profile_match_functions(profile, expression, MATCH_SHOWN, err);
	return expression && !*functions ? -EINVAL : 0;
}

/* An array of so many entries, all bits of which are set: no group, no node. */
static void *nothing_known(size_t count, size_t size)
{
	return memset(mem_resize(NULL, count + 1, size), 0xff, (count + 1) * size);
}

/* The trie as it is. */
static void take_stacks(struct flame_placer *p)
{
	const struct profile_stacks *stacks = &p->profile->stacks;

	for (size_t i = 1; i < stacks->len; i++)
		add_node(p, stacks->parent[i],
			 stacks->function[i] << 1 | (stacks->flags[i] & STACK_INLINED));
}

/* What the options want of each stack, ready to be done. */
static int read_options(struct flame_placer *p, const struct calltree_options *options,
			struct err *err)
{
	int rc;

	if (options->changes)
		return reshape_make(&p->changes, p->profile, options, err);
	rc = match(p->profile, options->focus, &p->focus, err);
	if (!rc)
		rc = match(p->profile, options->hide, &p->hide, err);
	if (rc)
		free(p->focus);
	return rc;
}

int flame_placer_init(struct flame_placer *p, const struct profile *profile,
		      const struct calltree_options *options, size_t groups, uint32_t root,
		      struct err *err)
{
	int rc;

	*p = (struct flame_placer){ .profile = profile, .options = options };
	rc = read_options(p, options, err);
	if (rc)
		return rc;
	p->merges = options->from_leaf || options->collapse_recursion || p->focus || p->hide ||
		    options->changes;
	p->direct = !p->merges && groups == 1 && root == 0;
	p->bases = nothing_known(groups, sizeof(*p->bases));
	if (root != NO_NODE)
		p->bases[root] = 0;
	vec_reserve(&p->nodes, profile->stacks.len + groups); /* mostly each has one */
	mem_populate(p->nodes.data, profile->stacks.len * sizeof(*p->nodes.data));
	add_node(p, 0, GROUP_LINK);
	if (p->direct)
		take_stacks(p);
	else
		p->places = nothing_known(profile->stacks.len, sizeof(*p->places));
	return 0;
}

void flame_placer_fini(struct flame_placer *p)
{
	free(p->focus);
	free(p->hide);
	reshape_free(&p->changes);
	free(p->places);
	free(p->bases);
	idmap_free(&p->children);
	idmap_free(&p->others);
	vec_free(&p->nodes);
	vec_free(&p->groups);
	vec_free(&p->path);
}

/* What a tree is made with. */
struct growing {
	struct flametree *tree;
	uint32_t *names;      /* by function, of the tree's names; NO_NODE: not made yet */
	VEC(uint32_t) levels; /* of the tree's nodes */
};

static uint32_t name_of(struct growing *g, uint32_t function)
{
	uint32_t *name = &g->names[function];

	if (*name == NO_NODE) {
		*name = (uint32_t)g->tree->names.len;
		*vec_push(&g->tree->names) = flame_function_name(g->tree->profile, function);
	}
	return *name;
}

static uint32_t grow_node(struct growing *g, uint32_t parent, const struct placed_node *placed,
			  uint32_t group_name)
{
	struct flame_node node = { .parent = parent,
				   .first_child = NO_NODE,
				   .next_sibling = NO_NODE,
				   .function = NO_FUNCTION,
				   .name = group_name,
				   .kind = FLAME_GROUP,
				   .self = placed->weight,
				   .total = placed->weight };
	uint32_t level;

	if (placed->link != GROUP_LINK) {
		node.function = placed->link >> 1;
		node.name = name_of(g, node.function);
		node.kind = (uint8_t)placed_kind(g->tree->profile, placed->link);
	}
	level = g->levels.len ? g->levels.data[parent] + 1 : 0;
	*vec_push(&g->levels) = level;
	*vec_push(&g->tree->nodes) = node;
	return (uint32_t)g->tree->nodes.len - 1;
}

/* Whether what stands on a node is too far from the root. */
static bool is_too_high(const struct growing *g, uint32_t parent,
			const struct flametree_options *options)
{
	return options->depth && g->levels.data[parent] >= options->depth;
}

static void sum_up(struct flame_placer *p)
{
	for (size_t i = p->nodes.len; i-- > 1;) {
		const struct placed_node *node = &p->nodes.data[i];
		struct weight_pair *above = &p->nodes.data[node->parent].weight;

		above->samples += node->weight.samples;
		above->weight += node->weight.weight;
	}
}

/* Puts the value of that rank, the largest being the first, to its place among them. */
static uint64_t select_rank(uint64_t *values, size_t count, size_t rank)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		uint64_t pivot = values[low + (high - low) / 2];
		size_t i = low, j = high;

		while (i <= j) {
			while (values[i] > pivot)
				i++;
			while (values[j] < pivot)
				j--;
			if (i <= j) {
				uint64_t swapped = values[i];

				values[i++] = values[j];
				values[j] = swapped;
				if (!j--)
					break;
			}
		}
		if (j != SIZE_MAX && rank <= j)
			high = j;
		else if (rank >= i)
			low = i;
		else
			break;
	}
	return values[rank];
}

/* The share below which frames are left out so that no more than `most` stay: of all, or, where
 * there are marks, of those inside. */
static double narrowest(const struct flame_placer *p, const struct flametree_options *options,
			const uint8_t *marks)
{
	uint64_t whole = flame_value(&p->nodes.data[0].weight, options->weight);
	uint64_t *values = mem_resize(NULL, p->nodes.len, sizeof(*values));
	double least = options->least, limit;
	size_t count = 0;

	for (size_t i = 0; i < p->nodes.len; i++)
		if (p->nodes.data[i].weight.samples && (!marks || marks[i] == FLAME_INSIDE))
			values[count++] = flame_value(&p->nodes.data[i].weight, options->weight);
	if (whole && count > options->most) {
		limit = ((double)select_rank(values, count, options->most) + 1) / (double)whole;
		least = limit > least ? limit : least;
	}
	free(values);
	return least;
}

/* What nodes of the tree must have: elsewhere, on the way inside, and inside. */
struct limits {
	uint8_t *marks; /* NULL: all are elsewhere */
	double least[FLAME_PARTS];
};

static void find_limits(struct limits *limits, const struct flame_placer *p,
			const struct flametree_options *options, struct flametree *tree,
			const uint32_t *group_names)
{
	double whole = (double)flame_value(&p->nodes.data[0].weight, options->weight);

	tree->least = options->most ? narrowest(p, options, NULL) : options->least;
	*limits = (struct limits){ .least[FLAME_ELSEWHERE] = tree->least * whole };
	if (!options->inside)
		return;
	limits->marks = flame_inside(p, options, tree, group_names);
	limits->least[FLAME_INSIDE] =
		(options->most ? narrowest(p, options, limits->marks) : options->least) * whole;
}

static bool is_wide_enough(const struct limits *limits, const struct flame_placer *p, size_t node,
			   enum flame_weight weight)
{
	double least = limits->least[limits->marks ? limits->marks[node] : FLAME_ELSEWHERE];

	return (double)flame_value(&p->nodes.data[node].weight, weight) >= least;
}

void flame_placer_finish(struct flame_placer *p, const struct flametree_options *options,
			 const uint32_t *group_names, struct flametree *tree)
{
	struct growing g = { .tree = tree };
	const uint32_t *group = p->groups.data;
	struct limits limits;

	g.names = nothing_known(p->profile->functions.len, sizeof(*g.names));
	sum_up(p);
	find_limits(&limits, p, options, tree, group_names);
	strlist_add(&tree->names, "all");
	p->nodes.data[0].link = grow_node(&g, 0, &p->nodes.data[0], (uint32_t)tree->names.len - 1);
	for (size_t i = 1; i < p->nodes.len; i++) {
		struct placed_node *node = &p->nodes.data[i];
		/* A node's link is its place in the tree from now on. */
		uint32_t parent = p->nodes.data[node->parent].link;
		uint32_t name = node->link == GROUP_LINK ? group_names[*group++] : NO_NODE;

		if (parent == NO_NODE || !node->weight.samples) {
			node->link = NO_NODE;
			tree->hidden += node->weight.samples > 0;
			continue;
		}
		tree->nodes.data[parent].self.samples -= node->weight.samples;
		tree->nodes.data[parent].self.weight -= node->weight.weight;
		if (is_wide_enough(&limits, p, i, options->weight) &&
		    !is_too_high(&g, parent, options)) {
			node->link = grow_node(&g, parent, node, name);
		} else {
			node->link = NO_NODE;
			tree->hidden++;
		}
	}
	free(limits.marks);
	free(g.names);
	vec_free(&g.levels);
}
