/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame tree and a heatmap for each event of a profile that is still being built, counted on as
 * it grows: what is new or changed since the last look can be told, and numbers of nodes and names
 * are never given to anything else.
 *
 * The trees are those of profile/flametree.h with GROUP_COMM and nothing left out, but for one
 * level: on a program stand its threads, named as by GROUP_THREAD, and on these their stacks.  A
 * tree of GROWTH_APART nodes tells no more threads apart: what is new in it then stands on the
 * program itself, so that many short processes do not make it many times as large.  Siblings stand
 * in the order in which they came.
 */
#ifndef PROFILE_GROWTH_H
#define PROFILE_GROWTH_H

#include "base/idmap.h"
#include "profile/flametree.h"

#define GROWTH_ROWS  50		/* of the heatmap, in a second */
#define GROWTH_NAME  (32 << 10) /* bytes of a name; longer ones are cut */
#define GROWTH_APART 20000	/* nodes */
#define GROWTH_LANES 200	/* threads that have a lane of their own */

struct growth_node {
	uint32_t parent, name;
	uint8_t kind; /* enum flame_kind */
	bool changed;
	struct weight_pair self;
};

struct growth_cell {
	uint32_t count;
	bool changed;
};

/*
 * The heatmap of a CPU or a thread.  Samples come in the order of time, so only its latest cell can
 * still change, and no other is kept.
 */
struct growth_lane {
	uint32_t pid, tid; /* GROWTH_CPU: tid is a CPU */
	uint32_t thread;   /* of the profile, the first of that tid */
	uint32_t slot, count;
	uint32_t changed; /* its latest cell among those that changed; NO_NODE: it is not there */
};
#define GROWTH_CPU UINT32_MAX

struct growth_lane_cell {
	uint32_t lane, slot, count; /* slot: second * GROWTH_ROWS + row */
};

struct growth_ids VEC_OF(uint32_t);

struct growth_tree {
	VEC(struct growth_node) nodes; /* 0 is the root; parents come before their children */
	struct strlist names;
	VEC(uint32_t) changed;	       /* nodes, in no order */
	struct growth_ids programs;    /* groups to nodes */
	struct growth_ids bases;       /* threads to the nodes that their stacks stand on */
	struct idmap places;	       /* such a node and a stack to nodes */
	struct growth_ids names_of;    /* functions to names; NO_NODE: none yet */
	VEC(struct growth_cell) cells; /* [second * GROWTH_ROWS + row] */
	VEC(uint32_t) changed_cells;
	VEC(struct growth_lane) lanes;
	struct idmap lane_of;			 /* pid and tid to lanes */
	VEC(struct growth_lane_cell) lane_cells; /* that changed */
	size_t thread_lanes, lanes_left_out;
	uint64_t samples;
};

struct growth {
	const struct profile *profile;
	uint64_t began; /* when the run began, ns, or 0: with its first sample */
	size_t rows;	/* that are counted */
	struct interner group_names;
	VEC(uint32_t) groups;	       /* by thread */
	VEC(struct growth_tree) trees; /* by event */
	VEC(uint32_t) path;
};

/* The profile may grow, and nothing else, as long as this is used. */
void growth_init(struct growth *growth, const struct profile *profile);
void growth_free(struct growth *growth);

/* Where columns of time begin; the profile has a sample. */
uint64_t growth_start(const struct growth *growth);

/* Counts what has come since the last time. */
void growth_take(struct growth *growth);
/* All that is new and changed was told. */
void growth_told(struct growth_tree *tree);

#endif
