// SPDX-License-Identifier: Apache-2.0
#include "render/query_json.h"
#include "base/err.h"
#include "profile/breakdown.h"
#include "profile/neighbours.h"
#include "profile/restack.h"
#include "render/query_inside.h"

#include <errno.h>
#include <stdio.h>

void query_open(const struct query *query, const char *what, const struct weight_pair *whole,
		struct json *json)
{
	const struct profile *profile = query->profile;
	uint16_t event = query->view.filter.event;
	bool known = event < profile->events.len;

	json_open(json, NULL, '{');
	json_text(json, "query", what);
	json_text(json, "event",
		  known ? profile_text(profile, profile->events.data[event].name) : NULL);
	json_text(json, "unit", known ? flame_unit(profile, event, WEIGH_PERIOD) : NULL);
	json_text(json, "weight", query->weight == WEIGH_SAMPLES ? "samples" : "period");
	json_u64(json, "samples", whole->samples);
	json_u64_text(json, "count", whole->weight);
}

void query_put_weight(const struct query *query, const char *prefix,
		      const struct weight_pair *weight, uint64_t whole, struct json *json)
{
	uint64_t value = flame_value(weight, query->weight);
	char key[32];

	snprintf(key, sizeof(key), "%ssamples", prefix);
	json_u64(json, key, weight->samples);
	snprintf(key, sizeof(key), "%scount", prefix);
	json_u64_text(json, key, weight->weight);
	snprintf(key, sizeof(key), "%spercent", prefix);
	json_double(json, key, whole ? 100.0 * (double)value / (double)whole : 0);
}

void query_put_function(const struct profile *profile, uint32_t function, struct json *json)
{
	const struct profile_function *facts;
	char *name;

	if (function == NO_FUNCTION) {
		json_text(json, "function", NULL);
		return;
	}
	facts = &profile->functions.data[function];
	name = flame_function_name(profile, function);
	json_text(json, "function", name);
	json_text(json, "object", profile_text(profile, profile->objects.data[facts->object].path));
	json_text(json, "kind", flame_kind_name(flame_kind_of((enum frame_kind)facts->kind)));
	free(name);
}

void query_put_left_out(uint64_t rows, struct json *json)
{
	json_u64(json, "left_out", rows);
}

/* The samples that all answers but a tree's are about. */
static struct profile_filter filter_of(const struct query *query)
{
	struct profile_filter filter = query->view.filter;

	filter.busy = !query->view.show_idle;
	filter.keep_too = query->view.stacks.focus;
	return filter;
}

static int restack(const struct query *query, struct restack *stacks, struct err *err)
{
	struct profile_filter filter = filter_of(query);

	return restack_make(stacks, query->profile, &filter, &query->view.stacks, err);
}

static struct weight_pair whole_of(const struct stack_weights *weights)
{
	return (struct weight_pair){ weights->total_samples, weights->total_weight };
}

/* ---- functions ---- */

/* A row to be sorted: by its key, and of equals the older first. */
struct ranked {
	uint64_t key, second;
	uint32_t id;
};

struct ranking VEC_OF(struct ranked);

static int heaviest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void rank(struct ranking *ranking)
{
	if (ranking->len)
		qsort(ranking->data, ranking->len, sizeof(*ranking->data), heaviest_first);
}

/* How many rows are shown: neither too many nor too light ones; they are sorted. */
static size_t shown_rows(const struct query *query, const struct ranking *ranking, uint64_t whole)
{
	size_t shown = 0;

	while (shown < ranking->len && shown < query_limit(query) &&
	       !query_is_light(query, ranking->data[shown].key, whole))
		shown++;
	return shown;
}

static void rank_functions(const struct query *query, const struct function_weight *weights,
			   struct ranking *ranking)
{
	for (uint32_t i = 0; i < query->profile->functions.len; i++) {
		uint64_t self = flame_value(&weights[i].self, query->weight);
		uint64_t total = flame_value(&weights[i].total, query->weight);

		if (weights[i].total.samples)
			*vec_push(ranking) = (struct ranked){ query->by_total ? total : self,
							      query->by_total ? self : total, i };
	}
	rank(ranking);
}

int query_top(const struct query *query, struct json *json, struct err *err)
{
	struct function_weight *weights;
	struct ranking ranking = { 0 };
	struct restack stacks;
	struct weight_pair whole;
	uint64_t of;
	size_t shown;
	int rc = restack(query, &stacks, err);

	if (rc)
		return rc;
	weights = profile_function_weights(&stacks.view, &stacks.weights);
	rank_functions(query, weights, &ranking);
	whole = whole_of(&stacks.weights);
	of = flame_value(&whole, query->weight);
	shown = shown_rows(query, &ranking, of);
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
	query_put_left_out(ranking.len - shown, json);
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
			   const char *name, struct ranking *found)
{
	struct function_weight *weights = profile_function_weights(&stacks->view, &stacks->weights);

	for (uint32_t i = 0; i < query->profile->functions.len; i++)
		if (weights[i].total.samples && is_called(query->profile, i, name))
			*vec_push(found) = (struct ranked){
				flame_value(&weights[i].total, query->weight), 0, i
			};
	free(weights);
	rank(found);
}

static void rank_neighbours(const struct query *query, const struct neighbour_list *list,
			    struct ranking *ranking)
{
	for (uint32_t i = 0; i < list->len; i++)
		*vec_push(ranking) =
			(struct ranked){ flame_value(&list->data[i].weight, query->weight), 0, i };
	rank(ranking);
}

static void put_neighbours(const struct query *query, const struct neighbour_list *list,
			   uint64_t whole, struct json *json)
{
	struct ranking ranking = { 0 };
	size_t shown;

	rank_neighbours(query, list, &ranking);
	shown = shown_rows(query, &ranking, whole);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct neighbour *neighbour = &list->data[ranking.data[i].id];

		json_open(json, NULL, '{');
		query_put_function(query->profile, neighbour->function, json);
		query_put_weight(query, "", &neighbour->weight, whole, json);
		json_close(json);
	}
	json_close(json);
	query_put_left_out(ranking.len - shown, json);
	vec_free(&ranking);
}

static void put_function(const struct query *query, const struct restack *stacks, uint32_t function,
			 bool callers, struct json *json)
{
	struct weight_pair whole = whole_of(&stacks->weights);
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
	struct ranking found = { 0 };
	struct restack stacks;
	struct weight_pair whole;
	int rc = restack(query, &stacks, err);

	if (rc)
		return rc;
	find_functions(query, &stacks, name, &found);
	whole = whole_of(&stacks.weights);
	if (!found.len) {
		rc = err_set(err, ENOENT, "no function in these stacks is called '%s'", name);
	} else {
		size_t shown = found.len < query_limit(query) ? found.len : query_limit(query);

		query_open(query, callers ? "callers" : "callees", &whole, json);
		json_open(json, "functions", '[');
		for (size_t i = 0; i < shown; i++)
			put_function(query, &stacks, found.data[i].id, callers, json);
		json_close(json);
		query_put_left_out(found.len - shown, json);
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

/* ---- threads and events ---- */

int query_threads(const struct query *query, struct json *json, struct err *err)
{
	struct breakdown_options options = {
		.keys = 1u << BY_COMM | 1u << BY_PID | 1u << BY_TID,
		.filter = filter_of(query),
	};
	struct ranking ranking = { 0 };
	struct breakdown threads;
	size_t shown;
	uint64_t of;
	int rc = breakdown_make(&threads, query->profile, &options, err);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < threads.rows.len; i++)
		*vec_push(&ranking) = (struct ranked){
			flame_value(&threads.rows.data[i].self, query->weight), 0, i
		};
	rank(&ranking);
	of = flame_value(&threads.total, query->weight);
	shown = shown_rows(query, &ranking, of);
	query_open(query, "threads", &threads.total, json);
	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct breakdown_row *row = &threads.rows.data[ranking.data[i].id];

		json_open(json, NULL, '{');
		json_text(json, "comm", profile_text(query->profile, row->comm));
		json_u64(json, "pid", row->pid);
		json_u64(json, "tid", row->tid);
		query_put_weight(query, "", &row->self, of, json);
		json_close(json);
	}
	json_close(json);
	query_put_left_out(ranking.len - shown, json);
	json_close(json);
	vec_free(&ranking);
	breakdown_free(&threads);
	return 0;
}

static void put_event(const struct query *query, uint16_t event, const struct weight_pair *taken,
		      struct json *json)
{
	const struct profile_event *facts = &query->profile->events.data[event];

	json_open(json, NULL, '{');
	json_text(json, "event", profile_text(query->profile, facts->name));
	json_text(json, "unit", flame_unit(query->profile, event, WEIGH_PERIOD));
	json_u64(json, "samples", taken->samples);
	json_u64_text(json, "count", taken->weight);
	json_u64(json, "lost", facts->lost);
	json_close(json);
}

int query_events(const struct query *query, struct json *json, struct err *err)
{
	struct profile_filter filter = filter_of(query);
	size_t events = query->profile->events.len;
	VEC(struct weight_pair) taken = { 0 };
	size_t shown = events < query_limit(query) ? events : query_limit(query);
	int rc = 0;

	for (uint16_t i = 0; i < shown && !rc; i++) {
		struct stack_weights weights;

		filter.event = i;
		rc = profile_weigh(query->profile, &filter, &weights, err);
		if (rc)
			break;
		*vec_push(&taken) = whole_of(&weights);
		stack_weights_free(&weights);
	}
	if (!rc) {
		json_open(json, NULL, '{');
		json_text(json, "query", "events");
		json_open(json, "rows", '[');
		for (uint16_t i = 0; i < shown; i++)
			put_event(query, i, &taken.data[i], json);
		json_close(json);
		query_put_left_out(events - shown, json);
		json_close(json);
	}
	vec_free(&taken);
	return rc;
}
