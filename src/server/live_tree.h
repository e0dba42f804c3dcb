/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing flame tree and heatmap of one event, as the analyser tells them and as events of the
 * stream: all of it, or what is new since it was last told.  Messages are checked whole before
 * anything of them is taken.
 */
#ifndef SERVER_LIVE_TREE_H
#define SERVER_LIVE_TREE_H

#include "base/arena.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct msg_live_heat;
struct msg_live_tree;

#define LIVE_EVENTS	16
#define LIVE_NODES	(1 << 20)	   /* of a tree */
#define LIVE_NAME_BYTES ((size_t)64 << 20) /* of a tree's names */
#define LIVE_SECONDS	(24 * 3600)	   /* of a heatmap */
#define LIVE_ROWS	50		   /* of a second */

struct live_node {
	uint32_t parent, name;
	uint8_t kind;
	bool changed; /* since it was told */
	uint64_t self, count;
};

struct live_tree { /* { 0 } is a ready, empty one */
	char *event;
	struct arena texts;
	size_t text_bytes;
	VEC(const char *) names;
	VEC(struct live_node) nodes;
	VEC(uint32_t) changed; /* nodes */
	size_t told_nodes, told_names;
	uint64_t samples, lost, told_samples, told_lost;
};

int live_tree_merge(struct live_tree *tree, const struct msg_live_tree *growth, struct err *err);
bool live_tree_has_news(const struct live_tree *tree);
/* Nothing of it was told yet: whatever a client has is of a tree before it. */
static inline bool live_tree_is_new(const struct live_tree *tree)
{
	return !tree->told_nodes;
}
/* As JSON: everything, or what is new. */
void live_tree_write(const struct live_tree *tree, int64_t run, size_t event, bool whole,
		     struct buf *out);
void live_tree_told(struct live_tree *tree);
void live_tree_free(struct live_tree *tree);

struct live_heat { /* { 0 } is a ready, empty one */
	uint64_t start_ns;
	struct live_cell {
		uint32_t samples : 31, changed : 1;
	} * data;
	size_t len, cap;       /* second * LIVE_ROWS + row */
	VEC(uint32_t) changed; /* cells */
	bool told;	       /* some of it */
};

int live_heat_merge(struct live_heat *heat, const struct msg_live_heat *growth, struct err *err);
void live_heat_write(const struct live_heat *heat, int64_t run, size_t event, bool whole,
		     struct buf *out);
void live_heat_told(struct live_heat *heat);
void live_heat_free(struct live_heat *heat);

/* Digits into a buffer; there are many of them, and printf is slow. */
void live_put_u64(struct buf *out, uint64_t value);

#endif
