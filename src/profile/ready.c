// SPDX-License-Identifier: Apache-2.0
#include "profile/ready.h"
#include "base/idmap.h"
#include "profile/filter.h"
#include "profile/flametree.h"
#include "profile/places.h"

static void find_pairs(struct profile_ready *ready, const struct profile_samples *rows)
{
	struct idmap known = { 0 };

	ready->pair_of = mem_resize(NULL, rows->len + 1, sizeof(*ready->pair_of));
	for (size_t i = 0; i < rows->len; i++) {
		uint32_t next = (uint32_t)ready->pairs.len;
		uint64_t key = (uint64_t)rows->thread[i] << 32 | rows->stack[i];
		uint32_t at = idmap_add(&known, key, next);

		if (at == next)
			*vec_push(&ready->pairs) = (struct profile_pair){ rows->thread[i],
									  rows->stack[i] };
		ready->pair_of[i] = at;
	}
	idmap_free(&known);
}

void profile_make_ready(struct profile *profile)
{
	size_t functions = profile->functions.len, events = profile->events.len;
	struct profile_ready *ready = mem_alloc(sizeof(*ready));

	ready->names = mem_alloc((functions + 1) * sizeof(*ready->names));
	for (uint32_t i = 0; i < functions; i++)
		ready->names[i] = flame_function_name(profile, i);
	ready->places = mem_alloc((events + 1) * sizeof(*ready->places));
	for (uint16_t i = 0; i < events; i++)
		if (profile->events.data[i].samples)
			ready->places[i] = profile_hot_places(profile, i);
	ready->idle = profile_idle_stacks(profile);
	ready->stacks = profile->stacks.parent;
	find_pairs(ready, &profile->samples);
	profile->ready = ready;
}

void profile_ready_free(struct profile *profile)
{
	struct profile_ready *ready = profile->ready;

	if (!ready)
		return;
	for (size_t i = 0; i < profile->functions.len; i++)
		free(ready->names[i]);
	for (size_t i = 0; i < profile->events.len; i++)
		free(ready->places[i]);
	free(ready->names);
	free(ready->places);
	free(ready->idle);
	free(ready->pair_of);
	vec_free(&ready->pairs);
	free(ready);
	profile->ready = NULL;
}
