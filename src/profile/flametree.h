/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a flame graph shows: the stacks of one event as a tree, with a level for programs or threads
 * below the root, names as people read them, and siblings in the order of their names.
 */
#ifndef PROFILE_FLAMETREE_H
#define PROFILE_FLAMETREE_H

#include "profile/calltree.h"

enum flame_group { GROUP_COMM, GROUP_PROCESS, GROUP_THREAD, GROUP_NONE };

/* How a frame is coloured and called. */
enum flame_kind {
	FLAME_USER,
	FLAME_LIBRARY,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_UNKNOWN,
	FLAME_GROUP, /* a program or thread, or the root */
	FLAME_KINDS,
};

/* What widths count: the event's own count, or samples. */
enum flame_weight { WEIGH_PERIOD, WEIGH_SAMPLES };

struct flametree_options {
	struct profile_filter filter;
	struct calltree_options stacks;
	enum flame_group group;
	bool show_idle; /* else what idle CPUs do is left out and only told */
	/* Frames with less than this share of the whole, by that weight, are left out with all that
	 * stands on them; 0: all are there. */
	double least;
	enum flame_weight weight;
	uint32_t depth; /* levels above the root; what is above them is left out.  0: all */
	size_t most;	/* frames: of more than these the narrowest are left out.  0: all stay */
	/* flame_path_key() of a frame; 0: of none.  It has as many frames again, if there are so
	 * many inside it, and stays with its callers however narrow it is. */
	uint32_t inside;
	uint32_t (*name_key)(const char *name); /* what that key is made of */
	const char *search; /* regular expression over names as they are shown, without
			       regard to case unless it has a capital letter; NULL: none */
};

struct flame_node {
	uint32_t parent, first_child, next_sibling; /* NO_NODE ends a list */
	uint32_t function;			    /* NO_FUNCTION: a group or the root */
	uint32_t name;				    /* of `names` */
	uint8_t kind;				    /* enum flame_kind */
	struct weight_pair self, total;
};

struct flametree {
	const struct profile *profile;
	VEC(struct flame_node) nodes; /* 0 is the root; parents come before their children */
	struct strlist names;	      /* each once for a function or a group */
	struct weight_pair idle;      /* what was left out */
	struct weight_pair outside;   /* what no stack is left of, by focus and the like */
	/* Of what the tree has, drawn or not: samples with a frame that the search finds. */
	struct weight_pair matched;
	uint64_t hidden; /* frames that were too narrow */
	double least;	 /* than this share of the whole */
};

/* On failure (a bad expression or list) *tree needs no flametree_free. */
int flametree_build(struct flametree *tree, const struct profile *profile,
		    const struct flametree_options *options, struct err *err);
void flametree_free(struct flametree *tree);

static inline const char *flame_name(const struct flametree *tree, uint32_t node)
{
	return tree->names.data[tree->nodes.data[node].name];
}

static inline uint64_t flame_value(const struct weight_pair *pair, enum flame_weight weight)
{
	return weight == WEIGH_SAMPLES ? pair->samples : pair->weight;
}

/* "user", "kernel" ... */
const char *flame_kind_name(enum flame_kind kind);
enum flame_kind flame_kind_of(enum frame_kind kind);

/* A function as people read it: demangled; one without a name is its object in brackets.  Free it.
 */
char *flame_function_name(const struct profile *profile, uint32_t function);

/* A number for the names on the way to a frame, which holds in every tree that has it; 0 is the
 * root's.  web/flame/match.ts has the same. */
uint32_t flame_path_key(uint32_t parent_key, uint32_t name_key, enum flame_kind kind,
			uint32_t depth);

/* A thread's group: "redis-server", "redis-server-12", "redis-server-12/13".  Free it. */
char *flame_group_name(const struct profile *profile, uint32_t thread, enum flame_group group);

#endif
