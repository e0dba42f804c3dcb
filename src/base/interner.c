// SPDX-License-Identifier: Apache-2.0
#include "base/interner.h"

#include <assert.h>

void interner_expect(struct interner *in, size_t strings)
{
	map_expect(&in->map, strings);
	vec_reserve(&in->strings, strings);
}

uint32_t interner_add(struct interner *in, const char *text)
{
	size_t length = strlen(text);
	uint32_t id = map_find(&in->map, text, length);
	const char *copy;

	if (id != MAP_NONE)
		return id;
	assert(in->strings.len < MAP_NONE);
	copy = arena_strndup(&in->arena, text, length);
	id = (uint32_t)in->strings.len;
	*vec_push(&in->strings) = copy;
	return map_add(&in->map, copy, length, id);
}

const char *interner_text(const struct interner *in, uint32_t id)
{
	assert(id < in->strings.len);
	return in->strings.data[id];
}

void interner_free(struct interner *in)
{
	map_free(&in->map);
	vec_free(&in->strings);
	arena_free(&in->arena);
}
