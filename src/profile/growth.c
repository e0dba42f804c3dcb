// SPDX-License-Identifier: Apache-2.0
#include "profile/growth.h"
#include "base/clock.h"
#include "profile/histogram.h"

#include <string.h>

#define LEFT_OUT (IDMAP_NONE - 1) /* of lanes */
#define NO_GROUP 0		  /* of threads that nothing is known of: the root itself */

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
	vec_free(&tree->lanes);
	vec_free(&tree->lane_cells);
	idmap_free(&tree->lane_of);
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

/* The lane of a CPU or thread, or NO_NODE if it gets none. */
static uint32_t lane_of(struct growth_tree *tree, uint32_t pid, uint32_t tid, uint32_t thread)
{
	uint64_t key = (uint64_t)pid << 32 | tid;
	uint32_t known = idmap_find(&tree->lane_of, key), next = (uint32_t)tree->lanes.len;

	if (known != IDMAP_NONE)
		return known == LEFT_OUT ? NO_NODE : known;
	if (pid != GROWTH_CPU && tree->thread_lanes >= GROWTH_LANES) {
		idmap_add(&tree->lane_of, key, LEFT_OUT);
		tree->lanes_left_out++;
		return NO_NODE;
	}
	tree->thread_lanes += pid != GROWTH_CPU;
	*vec_push(&tree->lanes) = (struct growth_lane){
		.pid = pid, .tid = tid, .thread = thread, .changed = NO_NODE
	};
	return idmap_add(&tree->lane_of, key, next);
}

static void count_lane(struct growth_tree *tree, uint32_t number, uint32_t slot, uint32_t count)
{
	struct growth_lane *lane;

	if (number == NO_NODE)
		return;
	lane = &tree->lanes.data[number];
	if (lane->slot != slot) {
		lane->slot = slot;
		lane->count = 0;
		lane->changed = NO_NODE;
	}
	lane->count += count;
	if (lane->changed == NO_NODE) {
		lane->changed = (uint32_t)tree->lane_cells.len;
		vec_push(&tree->lane_cells);
	}
	tree->lane_cells.data[lane->changed] = (struct growth_lane_cell){ number, slot,
									  lane->count };
}

uint64_t growth_start(const struct growth *growth)
{
	uint64_t first = growth->profile->samples.time[0];

	return growth->began && growth->began < first ? growth->began : first;
}

static void count_lanes(struct growth *growth, struct growth_tree *tree, size_t row, uint32_t count)
{
	const struct profile_samples *rows = &growth->profile->samples;
	const struct profile_thread *thread = &growth->profile->threads.data[rows->thread[row]];
	uint64_t since = rows->time[row] - growth_start(growth), second = since / NS_PER_SEC;
	uint32_t slot;

	if (second >= HISTOGRAM_SECONDS)
		return;
	slot = (uint32_t)(second * GROWTH_ROWS + since % NS_PER_SEC * GROWTH_ROWS / NS_PER_SEC);
	count_lane(tree, lane_of(tree, thread->pid, thread->tid, rows->thread[row]), slot, count);
	if (rows->cpu[row] != UINT16_MAX)
		count_lane(tree, lane_of(tree, GROWTH_CPU, rows->cpu[row], 0), slot, count);
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
	count_cell(tree, rows->time[row] - growth_start(growth), (uint32_t)count);
	count_lanes(growth, tree, row, (uint32_t)count);
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
	vec_each (cell, &tree->lane_cells)
		tree->lanes.data[cell->lane].changed = NO_NODE;
	tree->changed.len = tree->changed_cells.len = tree->lane_cells.len = 0;
}
