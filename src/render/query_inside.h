/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers have in common; render/query_json.h is the door. */
#ifndef RENDER_QUERY_INSIDE_H
#define RENDER_QUERY_INSIDE_H

#include "base/json.h"
#include "render/flame_layout.h"
#include "render/query_json.h"

/* Opens the object: the question, its event and what all rows are shares of. */
void query_open(const struct query *query, const char *what, const struct weight_pair *whole,
		struct json *json);

/* "samples", "count" and "percent", behind a prefix ("self_") or none. */
void query_put_weight(const struct query *query, const char *prefix,
		      const struct weight_pair *weight, uint64_t whole, struct json *json);

/* "function", "object" and "kind"; NO_FUNCTION is a function that is null. */
void query_put_function(const struct profile *profile, uint32_t function, struct json *json);

/* Whether a function has that name, readable or as the linker knows it. */
bool query_is_called(const struct profile *profile, uint32_t function, const char *name);

/* The samples that all answers but a tree's are about. */
struct profile_filter query_filter(const struct query *query);

/* A row to be sorted: the larger key first, then the larger second one, then the smaller id. */
struct query_ranked {
	uint64_t key, second;
	uint32_t id;
};

struct query_ranking VEC_OF(struct query_ranked);

void query_rank(struct query_ranking *ranking);
/* How many rows of a sorted list are shown: neither too many nor too light ones. */
size_t query_shown(const struct query *query, const struct query_ranking *ranking, uint64_t whole);

static inline struct weight_pair query_whole(const struct stack_weights *weights)
{
	return (struct weight_pair){ weights->total_samples, weights->total_weight };
}

static inline uint32_t query_limit(const struct query *query)
{
	return query->limit && query->limit < QUERY_MOST ? query->limit : QUERY_MOST;
}

/* Whether a row is light enough to be left out. */
static inline bool query_is_light(const struct query *query, uint64_t value, uint64_t whole)
{
	return (double)value < query->least * (double)whole;
}

#endif
