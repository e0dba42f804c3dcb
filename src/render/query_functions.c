// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "profile/neighbours.h"
#include "profile/restack.h"
#include "render/query_inside.h"

#include <errno.h>

static int restack(const struct query *query, struct restack *stacks, struct err *err)
{
	struct profile_filter filter = query_filter(query);

	return restack_make(stacks, query->profile, &filter, &query->view.stacks, err);
}

static void rank_functions(const struct query *query, const struct function_weight *weights,
			   struct query_ranking *ranking)
{
	for (uint32_t i = 0; i < query->profile->functions.len; i++) {
		uint64_t self = flame_value(&weights[i].self, query->weight);
		uint64_t total = flame_value(&weights[i].total, query->weight);

		if (weights[i].total.samples)
			*vec_push(ranking) = (struct query_ranked){ query->by_total ? total : self,
								    query->by_total ? self : total,
								    i };
	}
	query_rank(ranking);
}

int query_top(const struct query *query, struct json *json, struct err *err)
{
	struct function_weight *weights;
	struct query_ranking ranking = { 0 };
	struct restack stacks;
	struct weight_pair whole;
	uint64_t of;
	size_t shown;
	int rc = restack(query, &stacks, err);

	if (rc)
		return rc;
	weights = profile_function_weights(&stacks.view, &stacks.weights);
	rank_functions(query, weights, &ranking);
	whole = query_whole(&stacks.weights);
	of = flame_value(&whole, query->weight);
	shown = query_shown(query, &ranking, of);
	query_open(query, "top", &whole, json);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		uint32_t id = ranking.data[i].id;

		json_open(json, NULL, '{');
		query_put_function(query->profile, id, json);
		query_put_weight(query, "self_", &weights[id].self, of, json);
		query_put_weight(query, "total_", &weights[id].total, of, json);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "left_out", ranking.len - shown);
	json_close(json);
	free(weights);
	vec_free(&ranking);
	restack_free(&stacks);
	return 0;
}

/* ---- neighbours ---- */

static bool is_called(const struct profile *profile, uint32_t function, const char *name)
{
	char *shown;
	bool same;

	/* "[unknown]" is what all are called that have no name, and are shown by their object. */
	if (!strcmp(profile_function_name(profile, function), name) && strcmp(name, UNKNOWN_NAME))
		return true;
	shown = flame_function_name(profile, function);
	same = !strcmp(shown, name);
	free(shown);
	return same;
}

/* The functions of that name, one for each object that has it, the heaviest first. */
static void find_functions(const struct query *query, const struct restack *stacks,
			   const char *name, struct query_ranking *found)
{
	struct function_weight *weights = profile_function_weights(&stacks->view, &stacks->weights);

	for (uint32_t i = 0; i < query->profile->functions.len; i++)
		if (weights[i].total.samples && is_called(query->profile, i, name))
			*vec_push(found) = (struct query_ranked){
				flame_value(&weights[i].total, query->weight), 0, i
			};
	free(weights);
	query_rank(found);
}

static void rank_neighbours(const struct query *query, const struct neighbour_list *list,
			    struct query_ranking *ranking)
{
	for (uint32_t i = 0; i < list->len; i++)
		*vec_push(ranking) = (struct query_ranked){
			flame_value(&list->data[i].weight, query->weight), 0, i
		};
	query_rank(ranking);
}

static void put_neighbours(const struct query *query, const struct neighbour_list *list,
			   uint64_t whole, struct json *json)
{
	struct query_ranking ranking = { 0 };
	size_t shown;

	rank_neighbours(query, list, &ranking);
	shown = query_shown(query, &ranking, whole);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct neighbour *neighbour = &list->data[ranking.data[i].id];

		json_open(json, NULL, '{');
		query_put_function(query->profile, neighbour->function, json);
		query_put_weight(query, "", &neighbour->weight, whole, json);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "left_out", ranking.len - shown);
	vec_free(&ranking);
}

static void put_function(const struct query *query, const struct restack *stacks, uint32_t function,
			 bool callers, struct json *json)
{
	struct weight_pair whole = query_whole(&stacks->weights);
	uint64_t of = flame_value(&whole, query->weight);
	struct neighbours neighbours;

	profile_neighbours(&stacks->view, &stacks->weights, function, &neighbours);
	json_open(json, NULL, '{');
	query_put_function(query->profile, function, json);
	query_put_weight(query, "self_", &neighbours.self, of, json);
	query_put_weight(query, "total_", &neighbours.total, of, json);
	put_neighbours(query, callers ? &neighbours.callers : &neighbours.callees, of, json);
	json_close(json);
	neighbours_free(&neighbours);
}

static int put_sides(const struct query *query, const char *name, bool callers, struct json *json,
		     struct err *err)
{
	struct query_ranking found = { 0 };
	struct restack stacks;
	struct weight_pair whole;
	int rc = restack(query, &stacks, err);

	if (rc)
		return rc;
	find_functions(query, &stacks, name, &found);
	whole = query_whole(&stacks.weights);
	if (!found.len) {
		rc = err_set(err, ENOENT, "no function in these stacks is called '%s'", name);
	} else {
		size_t shown = found.len < query_limit(query) ? found.len : query_limit(query);

		query_open(query, callers ? "callers" : "callees", &whole, json);
		json_open(json, "functions", '[');
		for (size_t i = 0; i < shown; i++)
			put_function(query, &stacks, found.data[i].id, callers, json);
		json_close(json);
		json_u64(json, "left_out", found.len - shown);
		json_close(json);
	}
	vec_free(&found);
	restack_free(&stacks);
	return rc;
}

int query_callers(const struct query *query, const char *name, struct json *json, struct err *err)
{
	return put_sides(query, name, true, json, err);
}

int query_callees(const struct query *query, const char *name, struct json *json, struct err *err)
{
	return put_sides(query, name, false, json, err);
}
