// SPDX-License-Identifier: Apache-2.0
#include "profile/places.h"
#include "base/idmap.h"
#include "profile/ready.h"

struct spot {
	uint32_t function, place;
	uint64_t weight;
};

struct spots {
	struct idmap known;
	VEC(struct spot) all;
};

static void add_sample(struct spots *spots, const struct profile *profile, size_t row)
{
	const struct profile_samples *rows = &profile->samples;
	uint32_t function = profile->stacks.function[rows->stack[row]];
	const struct profile_line *line = &profile->lines.data[rows->leaf[row]];
	uint32_t next = (uint32_t)spots->all.len, at;

	/* Where no line is known the place is some words about the address, and there is no file.
	 */
	if (rows->stack[row] == STACK_ROOT || !*profile_text(profile, line->file))
		return;
	at = idmap_add(&spots->known, (uint64_t)function << 32 | line->place, next);
	if (at == next)
		*vec_push(&spots->all) = (struct spot){ function, line->place, 0 };
	spots->all.data[at].weight += rows->weight[row];
}

/* Those that were found once. */
static uint32_t *known_places(const struct profile *profile, uint16_t event)
{
	size_t size = (profile->functions.len + 1) * sizeof(uint32_t);

	if (event >= profile->events.len || !profile->ready->places[event])
		return NULL;
	return memcpy(mem_resize(NULL, size, 1), profile->ready->places[event], size);
}

uint32_t *profile_hot_places(const struct profile *profile, uint16_t event)
{
	struct spots spots = { 0 };
	uint64_t *most;
	uint32_t *places;

	if (!profile->lines.len)
		return NULL;
	if (profile->ready)
		return known_places(profile, event);
	for (size_t i = 0; i < profile->samples.len; i++)
		if (profile->samples.event[i] == event)
			add_sample(&spots, profile, i);
	most = mem_alloc((profile->functions.len + 1) * sizeof(*most));
	places = mem_resize(NULL, profile->functions.len + 1, sizeof(*places));
	memset(places, 0xff, (profile->functions.len + 1) * sizeof(*places));
	vec_each (spot, &spots.all) {
		if (places[spot->function] != NO_PLACE && spot->weight <= most[spot->function])
			continue;
		most[spot->function] = spot->weight;
		places[spot->function] = spot->place;
	}
	free(most);
	vec_free(&spots.all);
	idmap_free(&spots.known);
	return places;
}
