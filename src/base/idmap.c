// SPDX-License-Identifier: Apache-2.0
#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 64 /* slots */

/* Where key stands, or the empty slot where it belongs. */
static size_t slot_of(const struct idmap *map, uint64_t key)
{
	size_t at = idmap_hash(key) & (map->cap - 1);

	while (map->keys[at] != key && map->keys[at] != UINT64_MAX)
		at = (at + 1) & (map->cap - 1);
	return at;
}

static void grow(struct idmap *map, size_t cap)
{
	struct idmap old = *map;

	map->cap = cap;
	map->keys = mem_resize(NULL, map->cap, sizeof(*map->keys));
	map->ids = mem_resize(NULL, map->cap, sizeof(*map->ids));
	memset(map->keys, 0xff, map->cap * sizeof(*map->keys));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.keys[i] != UINT64_MAX) {
			size_t at = slot_of(map, old.keys[i]);

			map->keys[at] = old.keys[i];
			map->ids[at] = old.ids[i];
		}
	}
	free(old.keys);
	free(old.ids);
}

void idmap_expect(struct idmap *map, size_t keys)
{
	size_t cap = map->cap ? map->cap : LEAST;

	while (keys * 3 > cap * 2)
		cap *= 2;
	if (cap != map->cap)
		grow(map, cap);
}

uint32_t idmap_add(struct idmap *map, uint64_t key, uint32_t id)
{
	size_t at;

	if (key == UINT64_MAX) {
		if (!map->has_last)
			map->last_id = id;
		map->has_last = true;
		return map->last_id;
	}
	if ((map->len + 1) * 3 > map->cap * 2)
		grow(map, map->cap ? map->cap * 2 : LEAST);
	at = slot_of(map, key);
	if (map->keys[at] == UINT64_MAX) {
		map->keys[at] = key;
		map->ids[at] = id;
		map->len++;
	}
	return map->ids[at];
}

void idmap_free(struct idmap *map)
{
	free(map->keys);
	free(map->ids);
	*map = (struct idmap){ 0 };
}
