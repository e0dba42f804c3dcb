/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers about a profile as JSON, for programs: the tree, the functions, their callers and
 * callees, threads, events and how far it can be trusted.  docs/query.md defines every member.
 *
 * An answer is one object, bounded by `limit` (and `depth` and `least`) whatever the profile holds,
 * and says what it left out.  Nothing is written before it is known that there will be an answer.
 */
#ifndef RENDER_QUERY_JSON_H
#define RENDER_QUERY_JSON_H

#include "profile/flametree.h"
#include "render/folded.h"

struct import_result;
struct json;
struct remedy_facts;

#define QUERY_MOST 1000000 /* rows of one answer */

/* By what functions are sorted; names from the first, weights from the largest. */
enum query_order { ORDER_SELF, ORDER_TOTAL, ORDER_NAME, ORDER_OBJECT };

struct query {
	const struct profile *profile;
	struct flametree_options view; /* which samples of which event, which frames */
	enum flame_weight weight;      /* what rows are sorted and shares are made by */
	enum query_order order;	       /* of functions */
	const char *search; /* only functions or objects that this matches, smart case; NULL */
	uint32_t skip;	    /* functions that are left out first */
	uint32_t depth;	    /* of a tree: levels below the root; 0: all */
	uint32_t limit;	    /* rows or nodes; 0: QUERY_MOST */
	double least;	    /* share of 1 below which a row is left out */
	bool tells_inlined; /* the head says so where inlined functions have rows of their own */
};

/* Each gives 0, or -EINVAL (a bad expression or list) with words and nothing written. */
int query_tree(const struct query *query, struct json *json, struct err *err);
int query_top(const struct query *query, struct json *json, struct err *err);
int query_threads(const struct query *query, struct json *json, struct err *err);
int query_events(const struct query *query, struct json *json, struct err *err);

/* -ENOENT if no function of that name, readable or as the linker knows it, weighs anything. */
int query_callers(const struct query *query, const char *name, struct json *json, struct err *err);
int query_callees(const struct query *query, const char *name, struct json *json, struct err *err);
/* The lines of its source, by what they weigh themselves; -ENOENT also if no lines are known. */
int query_lines(const struct query *query, const char *name, struct json *json, struct err *err);

/*
 * Of the whole profile, whatever the filters.  `imported` (NULL: none) is what reading a text told;
 * `facts` what remedies can know.
 */
void query_quality(const struct query *query, const struct import_result *imported,
		   const struct remedy_facts *facts, struct json *json);

#endif
