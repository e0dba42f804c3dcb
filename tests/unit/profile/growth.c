// SPDX-License-Identifier: Apache-2.0
#include "profile/growth.h"
#include "base/buf.h"
#include "base/clock.h"
#include "profile/histogram.h"
#include "profile/made.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* Nodes as a reader of the growth has them: only what was told. */
struct reader {
	VEC(uint32_t) parents, names;
	VEC(struct weight_pair) self;
};

static void read_growth(struct reader *reader, struct growth_tree *tree)
{
	for (size_t i = reader->parents.len; i < tree->nodes.len; i++) {
		*vec_push(&reader->parents) = tree->nodes.data[i].parent;
		*vec_push(&reader->names) = tree->nodes.data[i].name;
		vec_push(&reader->self);
	}
	vec_each (node, &tree->changed)
		reader->self.data[*node] = tree->nodes.data[*node].self;
	growth_told(tree);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void join_sorted(struct strlist *lines, struct buf *into)
{
	qsort(lines->data, lines->len, sizeof(*lines->data), by_text);
	vec_each (line, lines)
		buf_printf(into, "%s\n", *line);
	strlist_free(lines);
}

static bool is_program(const struct growth_tree *tree, uint32_t node)
{
	return node && tree->nodes.data[node].kind == FLAME_GROUP && !tree->nodes.data[node].parent;
}

/* Without the programs it is the tree by threads. */
static void print_read(const struct reader *reader, const struct growth_tree *tree,
		       struct buf *into)
{
	struct strlist lines = { 0 };

	for (uint32_t i = 0; i < reader->parents.len; i++) {
		struct buf path = { 0 };

		if (is_program(tree, i))
			continue;
		for (uint32_t at = i; at; at = reader->parents.data[at])
			if (!is_program(tree, at))
				buf_printf(&path, "%s<", tree->names.data[reader->names.data[at]]);
		buf_printf(&path, " %llu %llu", (unsigned long long)reader->self.data[i].samples,
			   (unsigned long long)reader->self.data[i].weight);
		strlist_add(&lines, path.data);
		buf_free(&path);
	}
	join_sorted(&lines, into);
}

static void print_built(const struct profile *profile, uint16_t event, struct buf *into)
{
	struct flametree_options options = { .filter.event = event,
					     .group = GROUP_THREAD,
					     .show_idle = true };
	struct strlist lines = { 0 };
	struct flametree tree;

	EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
	for (uint32_t i = 0; i < tree.nodes.len; i++) {
		struct buf path = { 0 };

		for (uint32_t at = i; at; at = tree.nodes.data[at].parent)
			buf_printf(&path, "%s<", flame_name(&tree, at));
		buf_printf(&path, " %llu %llu", (unsigned long long)tree.nodes.data[i].self.samples,
			   (unsigned long long)tree.nodes.data[i].self.weight);
		strlist_add(&lines, path.data);
		buf_free(&path);
	}
	flametree_free(&tree);
	join_sorted(&lines, into);
}

static void add_samples(struct profile *profile, unsigned *seed, int count, uint64_t *time)
{
	for (int i = 0; i < count; i++) {
		char frames[40];
		struct profile_row row = { .weight = 1 + (unsigned)rand_r(seed) % 9 };
		uint32_t pid = (uint32_t)rand_r(seed) % 3;

		snprintf(frames, sizeof(frames), "main;f%d;g%d;f%d", rand_r(seed) % 5,
			 rand_r(seed) % 3, rand_r(seed) % 5);
		*time += (uint64_t)rand_r(seed) % 100000000;
		row.time = *time;
		row.stack = made_stack(profile, frames);
		row.thread = made_thread(profile, pid + 1, pid + 1, pid ? "prog" : "other");
		row.event = (uint16_t)(rand_r(seed) % 4 == 0);
		row.cpu = (uint16_t)(rand_r(seed) % 2);
		profile_add(profile, &row);
	}
}

static void expect_heat(const struct profile *profile, const struct growth_tree *tree,
			uint16_t event)
{
	struct profile_filter filter = { .event = event };
	struct histogram want;

	EXPECT_INT(profile_histogram(profile, &filter, NULL, GROWTH_ROWS, &want, NULL), 0);
	for (size_t i = 0; i < want.seconds * GROWTH_ROWS; i++)
		EXPECT_INT(i < tree->cells.len ? tree->cells.data[i].count : 0, want.counts[i]);
	histogram_free(&want);
}

static void expect_lanes(const struct profile *profile, const struct growth_tree *tree,
			 const uint64_t *told, uint16_t event)
{
	for (uint32_t i = 0; i < tree->lanes.len; i++) {
		const struct growth_lane *lane = &tree->lanes.data[i];
		char id[16];
		bool cpu = lane->pid == GROWTH_CPU;
		struct profile_filter filter = { .event = event,
						 .tids = cpu ? NULL : id,
						 .cpus = cpu ? id : NULL };
		struct histogram want;
		uint64_t sum = 0;

		snprintf(id, sizeof(id), "%u", lane->tid);
		EXPECT_INT(profile_histogram(profile, &filter, NULL, GROWTH_ROWS, &want, NULL), 0);
		for (size_t k = 0; k < want.seconds * GROWTH_ROWS; k++)
			sum += want.counts[k];
		EXPECT_INT(told[i], sum);
		EXPECT_INT(lane->count, want.counts[lane->slot]);
		histogram_free(&want);
	}
}

/* Adds up what is told of lanes: a cell that was told before is told anew. */
static void read_lanes(const struct growth_tree *tree, uint64_t *sums,
		       struct growth_lane_cell *last)
{
	vec_each (cell, &tree->lane_cells) {
		struct growth_lane_cell *before = &last[cell->lane];

		sums[cell->lane] += cell->count - (before->slot == cell->slot ? before->count : 0);
		*before = *cell;
	}
}

/* Whoever adds up what is told has the tree of all samples, whatever the pieces were. */
TEST(growth_adds_up)
{
	struct profile *profile = made_profile();
	struct reader readers[2] = { 0 };
	uint64_t sums[2][9] = { 0 };
	struct growth_lane_cell last[2][9] = { 0 };
	struct growth growth;
	unsigned seed = 7;
	uint64_t time = 1000;

	*vec_push(&profile->events) = (struct profile_event){ .scale = 1 };
	growth_init(&growth, profile);
	for (int round = 0; round < 20; round++) {
		add_samples(profile, &seed, rand_r(&seed) % 30, &time);
		growth_take(&growth);
		for (size_t i = 0; i < growth.trees.len; i++) {
			read_lanes(&growth.trees.data[i], sums[i], last[i]);
			read_growth(&readers[i], &growth.trees.data[i]);
		}
	}
	EXPECT_INT(growth.trees.len, 2);
	for (uint16_t i = 0; i < 2; i++) {
		struct buf got = { 0 }, want = { 0 };

		print_read(&readers[i], &growth.trees.data[i], &got);
		print_built(profile, i, &want);
		EXPECT_TEXT(buf_text(&got), buf_text(&want));
		EXPECT_INT(growth.trees.data[i].samples, profile->events.data[i].samples);
		expect_heat(profile, &growth.trees.data[i], i);
		expect_lanes(profile, &growth.trees.data[i], sums[i], i);
		EXPECT_INT(growth.trees.data[i].lanes.len, 3 + 2);
		buf_free(&got);
		buf_free(&want);
		vec_free(&readers[i].parents);
		vec_free(&readers[i].names);
		vec_free(&readers[i].self);
	}
	growth_free(&growth);
	profile_free(profile);
}

/* Nothing new is nothing to tell. */
TEST(growth_rests)
{
	struct profile *profile = made_profile();
	struct growth growth;

	growth_init(&growth, profile);
	growth_take(&growth);
	EXPECT_INT(growth.trees.len, 0);
	made_sample(profile, 1, "main;a", 1);
	growth_take(&growth);
	EXPECT_INT(growth.trees.data[0].changed.len, 1);
	growth_told(&growth.trees.data[0]);
	growth_take(&growth);
	EXPECT_INT(growth.trees.data[0].changed.len, 0);
	EXPECT_INT(growth.trees.data[0].changed_cells.len, 0);
	growth_free(&growth);
	profile_free(profile);
}

/* Columns of time begin with the run, not with its first sample. */
TEST(growth_begins_with_the_run)
{
	struct profile *profile = made_profile();
	struct growth growth;

	growth_init(&growth, profile);
	growth.began = 1;
	made_sample(profile, 2000000001, "main;a", 1);
	growth_take(&growth);
	EXPECT_INT(growth_start(&growth), 1);
	EXPECT_INT(growth.trees.data[0].changed_cells.data[0], 2 * GROWTH_ROWS);
	growth.began = 3000000000; /* later than a sample: it can't be */
	EXPECT_INT(growth_start(&growth), 2000000001);
	growth_free(&growth);
	profile_free(profile);
}

/* A tree that is large already takes no more threads. */
TEST(growth_tells_threads_apart_while_small)
{
	struct profile *profile = made_profile();
	struct profile_row row = { .time = 2, .weight = 1 };
	const struct growth_tree *tree;
	struct growth growth;
	char frames[40];

	growth_init(&growth, profile);
	for (int i = 0; i < GROWTH_APART; i++) {
		snprintf(frames, sizeof(frames), "main;f%d", i);
		made_sample(profile, 1, frames, 1);
	}
	row.thread = made_thread(profile, 1, 2, "prog");
	row.stack = made_stack(profile, "main");
	profile_add(profile, &row);
	growth_take(&growth);
	tree = &growth.trees.data[0];
	EXPECT_TEXT(tree->names.data[tree->nodes.data[2].name], "prog-1/1");
	EXPECT_INT(tree->nodes.data[2].parent, 1);
	EXPECT_INT(vec_last(&tree->nodes)->parent, 1);
	EXPECT_TEXT(tree->names.data[vec_last(&tree->nodes)->name], "main");
	EXPECT_INT(vec_last(&tree->nodes)->self.samples, 1);
	growth_free(&growth);
	profile_free(profile);
}
