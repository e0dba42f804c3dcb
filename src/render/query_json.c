// SPDX-License-Identifier: Apache-2.0
/* What the answers have in common. */
#include "render/query_json.h"
#include "render/query_inside.h"

#include <stdio.h>
#include <stdlib.h>

static bool has_inlined(const struct profile_stacks *stacks)
{
	for (size_t i = 0; i < stacks->len; i++)
		if (stacks->flags[i] & STACK_INLINED)
			return true;
	return false;
}

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
	if (known && profile_event_sampled(&profile->events.data[event]))
		json_text(json, "sampled", profile_event_sampled(&profile->events.data[event]));
	json_text(json, "unit", known ? flame_unit(profile, event, WEIGH_PERIOD) : NULL);
	if (known && profile->events.data[event].noun)
		json_text(json, "noun", profile_noun(profile, event));
	json_text(json, "weight", query->weight == WEIGH_SAMPLES ? "samples" : "period");
	json_u64(json, "samples", whole->samples);
	json_u64_text(json, "count", whole->weight);
	if (query->tells_inlined && has_inlined(&profile->stacks))
		json_text(json, "inlined", "apart");
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

struct profile_filter query_filter(const struct query *query)
{
	struct profile_filter filter = query->view.filter;

	filter.busy = !query->view.show_idle;
	filter.keep_too = query->view.stacks.focus;
	return filter;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct query_ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void query_rank(struct query_ranking *ranking)
{
	if (ranking->len)
		qsort(ranking->data, ranking->len, sizeof(*ranking->data), heaviest_first);
}

size_t query_shown(const struct query *query, const struct query_ranking *ranking, uint64_t whole)
{
	size_t shown = 0;

	while (shown < ranking->len && shown < query_limit(query) &&
	       !query_is_light(query, ranking->data[shown].key, whole))
		shown++;
	return shown;
}
