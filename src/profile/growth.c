// SPDX-License-Identifier: Apache-2.0
#include "profile/growth.h"
#include "base/clock.h"
#include "profile/histogram.h"

#include <string.h>

#define NO_GROUP 0 /* of threads that nothing is known of: the root itself */

void growth_init(struct growth *growth, const struct profile *profile)
{
	*growth = (struct growth){ .profile = profile };
	interner_add(&growth->group_names, "");
}

static void free_tree(struct growth_tree *tree)
{
	vec_free(&tree->nodes);
	strlist_free(&tree->names);
	vec_free(&tree->changed);
	idmap_free(&tree->places);
	vec_free(&tree->names_of);
	vec_free(&tree->programs);
	vec_free(&tree->bases);
	vec_free(&tree->cells);
	vec_free(&tree->changed_cells);
}

void growth_free(struct growth *growth)
{
	vec_each (tree, &growth->trees)
		free_tree(tree);
	vec_free(&growth->trees);
	vec_free(&growth->groups);
	vec_free(&growth->path);
	interner_free(&growth->group_names);
}

/* Readable names are shorter; others come from files that somebody made by hand. */
static uint32_t add_name(struct growth_tree *tree, char *name)
{
	if (strlen(name) > GROWTH_NAME)
		name[GROWTH_NAME] = '\0';
	*vec_push(&tree->names) = name;
	return (uint32_t)tree->names.len - 1;
}

static uint32_t add_node(struct growth_tree *tree, uint32_t parent, uint32_t name,
			 enum flame_kind kind)
{
	*vec_push(&tree->nodes) =
		(struct growth_node){ .parent = parent, .name = name, .kind = (uint8_t)kind };
	return (uint32_t)tree->nodes.len - 1;
}

static struct growth_tree *tree_of(struct growth *growth, uint16_t event)
{
	struct growth_tree *tree;

	while (growth->trees.len <= event)
		vec_push(&growth->trees);
	tree = &growth->trees.data[event];
	if (!tree->nodes.len)
		add_node(tree, 0, add_name(tree, mem_strdup("all")), FLAME_GROUP);
	return tree;
}

/* The group of a thread, by its name. */
static uint32_t group_of(struct growth *growth, uint32_t thread)
{
	while (growth->groups.len <= thread) {
		uint32_t next = (uint32_t)growth->groups.len;
		char *name = flame_group_name(growth->profile, next, GROUP_COMM);

		*vec_push(&growth->groups) = interner_add(&growth->group_names, name);
		free(name);
	}
	return growth->groups.data[thread];
}

/* What is known of a thing, NO_NODE if nothing; the list grows as far as that. */
static uint32_t *known_of(struct growth_ids *ids, uint32_t thing)
{
	while (ids->len <= thing)
		*vec_push(ids) = NO_NODE;
	return &ids->data[thing];
}

static uint32_t function_name(struct growth *growth, struct growth_tree *tree, uint32_t function)
{
	uint32_t *name = known_of(&tree->names_of, function);

	if (*name == NO_NODE)
		*name = add_name(tree, flame_function_name(growth->profile, function));
	return *name;
}

/* The node of a thread's program, which is the root for threads that nothing is known of. */
static uint32_t program_of(struct growth *growth, struct growth_tree *tree, uint32_t thread)
{
	uint32_t group = group_of(growth, thread), name;
	uint32_t *node = known_of(&tree->programs, group);

	if (*node == NO_NODE && group == NO_GROUP)
		*node = 0;
	if (*node == NO_NODE) {
		name = add_name(tree, flame_group_name(growth->profile, thread, GROUP_COMM));
		*node = add_node(tree, 0, name, FLAME_GROUP);
	}
	return *node;
}

/* The node that a thread's stacks stand on: its own, as long as the tree is small. */
static uint32_t base_of(struct growth *growth, struct growth_tree *tree, uint32_t thread)
{
	uint32_t *base = known_of(&tree->bases, thread), program, name;

	if (*base != NO_NODE)
		return *base;
	program = program_of(growth, tree, thread);
	if (!program || tree->nodes.len >= GROWTH_APART)
		return *base = program;
	name = add_name(tree, flame_group_name(growth->profile, thread, GROUP_THREAD));
	return *base = add_node(tree, program, name, FLAME_GROUP);
}

static uint64_t place_key(uint32_t base, uint32_t stack)
{
	return (uint64_t)base << 32 | stack;
}

static uint32_t add_frame(struct growth *growth, struct growth_tree *tree, uint32_t parent,
			  uint32_t stack)
{
	const struct profile *profile = growth->profile;
	uint32_t function = profile->stacks.function[stack];
	enum flame_kind kind = profile->stacks.flags[stack] & STACK_INLINED
				       ? FLAME_INLINED
				       : flame_kind_of(profile->functions.data[function].kind);

	return add_node(tree, parent, function_name(growth, tree, function), kind);
}

/* The node of a stack, made with those of its callers that have none yet. */
static uint32_t place(struct growth *growth, struct growth_tree *tree, uint32_t thread,
		      uint32_t stack)
{
	uint32_t base = base_of(growth, tree, thread), at = base;

	growth->path.len = 0;
	while (stack != STACK_ROOT) {
		at = idmap_find(&tree->places, place_key(base, stack));
		if (at != IDMAP_NONE)
			break;
		at = base;
		*vec_push(&growth->path) = stack;
		stack = growth->profile->stacks.parent[stack];
	}
	while (growth->path.len) {
		stack = growth->path.data[--growth->path.len];
		at = add_frame(growth, tree, at, stack);
		idmap_add(&tree->places, place_key(base, stack), at);
	}
	return at;
}

static void count_cell(struct growth_tree *tree, uint64_t since, uint32_t count)
{
	uint64_t second = since / NS_PER_SEC;
	size_t cell = second * GROWTH_ROWS + since % NS_PER_SEC * GROWTH_ROWS / NS_PER_SEC;

	if (second >= HISTOGRAM_SECONDS)
		return;
	while (tree->cells.len <= cell)
		vec_push(&tree->cells);
	tree->cells.data[cell].count += count;
	if (tree->cells.data[cell].changed)
		return;
	tree->cells.data[cell].changed = true;
	*vec_push(&tree->changed_cells) = (uint32_t)cell;
}

static void count_row(struct growth *growth, size_t row)
{
	const struct profile_samples *rows = &growth->profile->samples;
	struct growth_tree *tree = tree_of(growth, rows->event[row]);
	uint32_t node = place(growth, tree, rows->thread[row], rows->stack[row]);
	struct growth_node *facts = &tree->nodes.data[node];
	uint64_t count = profile_row_count(rows, row);

	facts->self.samples += count;
	facts->self.weight += rows->weight[row];
	tree->samples += count;
	if (!facts->changed) {
		facts->changed = true;
		*vec_push(&tree->changed) = node;
	}
	count_cell(tree, rows->time[row] - rows->time[0], (uint32_t)count);
}

void growth_take(struct growth *growth)
{
	for (; growth->rows < growth->profile->samples.len; growth->rows++)
		count_row(growth, growth->rows);
}

void growth_told(struct growth_tree *tree)
{
	vec_each (node, &tree->changed)
		tree->nodes.data[*node].changed = false;
	vec_each (cell, &tree->changed_cells)
		tree->cells.data[*cell].changed = false;
	tree->changed.len = tree->changed_cells.len = 0;
}
