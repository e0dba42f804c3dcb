// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "profile/match.h"
#include "profile/neighbours.h"
#include "profile/places.h"
#include "profile/restack.h"
#include "render/query_inside.h"

#include <errno.h>

static int restack(const struct query *query, struct restack *stacks, struct err *err)
{
	struct profile_filter filter = query_filter(query);

	return restack_make(stacks, query->profile, &filter, &query->view.stacks, err);
}

static const char *object_path(const struct profile *profile, uint32_t function)
{
	uint32_t object = profile->functions.data[function].object;

	return profile_text(profile, profile->objects.data[object].path);
}

/* Names are as they are shown. */
static bool is_searched(const struct query *query, struct matcher *search, uint32_t function)
{
	char *name;
	bool found;

	if (!search || matcher_test(search, object_path(query->profile, function)))
		return true;
	name = flame_function_name(query->profile, function);
	found = matcher_test(search, name);
	free(name);
	return found;
}

static void rank_functions(const struct query *query, const struct function_weight *weights,
			   struct matcher *search, struct query_ranking *ranking)
{
	bool by_total = query->order == ORDER_TOTAL;

	for (uint32_t i = 0; i < query->profile->functions.len; i++) {
		uint64_t self = flame_value(&weights[i].self, query->weight);
		uint64_t total = flame_value(&weights[i].total, query->weight);

		if (weights[i].total.samples && is_searched(query, search, i))
			*vec_push(ranking) = (struct query_ranked){ by_total ? total : self,
								    by_total ? self : total, i };
	}
	query_rank(ranking);
}

/* A function with the text that it is sorted by. */
struct named {
	char *name;
	struct query_ranked ranked;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->ranked.id < y->ranked.id ? -1 : x->ranked.id > y->ranked.id;
}

static void sort_by_name(const struct query *query, struct query_ranking *ranking)
{
	struct named *all = mem_resize(NULL, ranking->len + 1, sizeof(*all));

	for (size_t i = 0; i < ranking->len; i++) {
		uint32_t id = ranking->data[i].id;

		all[i].ranked = ranking->data[i];
		all[i].name = query->order == ORDER_NAME
				      ? flame_function_name(query->profile, id)
				      : mem_strdup(object_path(query->profile, id));
	}
	qsort(all, ranking->len, sizeof(*all), by_name);
	for (size_t i = 0; i < ranking->len; i++) {
		ranking->data[i] = all[i].ranked;
		free(all[i].name);
	}
	free(all);
}

/* What is heavy enough, in the order that is asked for; *matches with those that are not. */
static void choose_functions(const struct query *query, const struct function_weight *weights,
			     struct matcher *search, uint64_t of, struct query_ranking *ranking,
			     size_t *matches)
{
	struct query all = *query;

	all.limit = 0;
	rank_functions(query, weights, search, ranking);
	*matches = ranking->len;
	ranking->len = query_shown(&all, ranking, of);
	if (query->order == ORDER_NAME || query->order == ORDER_OBJECT)
		sort_by_name(query, ranking);
}

static void put_place(const struct query *query, const uint32_t *places, uint32_t function,
		      struct json *json)
{
	if (places && places[function] != NO_PLACE)
		json_text(json, "place", profile_text(query->profile, places[function]));
}

static void put_functions(const struct query *query, const struct query_ranking *ranking,
			  const struct function_weight *weights, uint64_t of, size_t matches,
			  struct json *json)
{
	uint32_t *places = profile_hot_places(query->profile, query->view.filter.event);
	size_t at = query->skip < ranking->len ? query->skip : ranking->len;
	size_t rest = ranking->len - at, limit = query_limit(query);
	size_t end = at + (rest < limit ? rest : limit);

	json_open(json, "rows", '[');
	for (size_t i = at; i < end; i++) {
		uint32_t id = ranking->data[i].id;

		json_open(json, NULL, '{');
		query_put_function(query->profile, id, json);
		query_put_weight(query, "self_", &weights[id].self, of, json);
		query_put_weight(query, "total_", &weights[id].total, of, json);
		put_place(query, places, id, json);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "matches", matches);
	json_u64(json, "left_out", matches - (end - at));
	free(places);
}

int query_top(const struct query *query, struct json *json, struct err *err)
{
	struct function_weight *weights;
	struct query_ranking ranking = { 0 };
	struct matcher *search = query->search ? matcher_new_smart(query->search, err) : NULL;
	struct restack stacks;
	struct weight_pair whole;
	size_t matches;
	uint64_t of;
	int rc;

	if (query->search && !search)
		return -EINVAL;
	rc = restack(query, &stacks, err);
	if (rc) {
		if (search)
			matcher_end(search, NULL);
		return rc;
	}
	weights = profile_function_weights(&stacks.view, &stacks.weights);
	whole = query_whole(&stacks.weights);
	of = flame_value(&whole, query->weight);
	choose_functions(query, weights, search, of, &ranking, &matches);
	rc = search ? matcher_end(search, err) : 0;
	if (!rc) {
		query_open(query, "top", &whole, json);
		put_functions(query, &ranking, weights, of, matches, json);
		json_close(json);
	}
	free(weights);
	vec_free(&ranking);
	restack_free(&stacks);
	return rc;
}

/* ---- neighbours ---- */

bool query_is_called(const struct profile *profile, uint32_t function, const char *name)
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
		if (weights[i].total.samples && query_is_called(query->profile, i, name))
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
