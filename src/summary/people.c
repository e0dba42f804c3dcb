// SPDX-License-Identifier: Apache-2.0
#include "summary/people.h"

#include <string.h>

uint32_t groups_add(struct groups *groups, const uint64_t *numbers, size_t count)
{
	size_t size = count * sizeof(*numbers);
	uint32_t index = map_find(&groups->map, (const char *)numbers, size);
	char *copy;

	if (index != MAP_NONE)
		return index;
	copy = arena_alloc(&groups->arena, size);
	memcpy(copy, numbers, size);
	return map_add(&groups->map, copy, size, (uint32_t)groups->map.len);
}

void groups_free(struct groups *groups)
{
	map_free(&groups->map);
	arena_free(&groups->arena);
}

uint32_t people_add(struct people *people, const struct summary_who *who, enum people_by by)
{
	struct person person = {
		.pid = by == BY_COMM ? SUMMARY_NO_PID : who->pid,
		.tid = by == BY_THREAD ? who->tid : SUMMARY_NO_PID,
	};
	uint32_t comm = interner_add(&people->comms, who->comm);
	/* A thread is the same one before and after its process becomes known. */
	uint64_t key[] = { comm, by == BY_THREAD ? 0 : person.pid, person.tid };
	uint32_t id = groups_add(&people->groups, key, ARRAY_SIZE(key));

	person.comm = interner_text(&people->comms, comm);
	if (id == people->all.len)
		*vec_push(&people->all) = person;
	else if (person.pid != SUMMARY_NO_PID)
		people->all.data[id].pid = person.pid;
	return id;
}

void people_free(struct people *people)
{
	interner_free(&people->comms);
	groups_free(&people->groups);
	vec_free(&people->all);
}
