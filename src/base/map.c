// SPDX-License-Identifier: Apache-2.0
#include "base/map.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 16 /* slots */

struct map_slot {
	const char *key;
	size_t length;
	uint32_t hash, value;
};

/* FNV-1a over 8-byte steps with a final mix: short names are what we hash. */
uint64_t map_hash(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u ^ length, word;

	for (; length >= 8; at += 8, length -= 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	for (; length; at++, length--)
		hash = (hash ^ *at) * 0x100000001b3u;
	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

/* The slot that holds key, or the free one where it belongs. */
static struct map_slot *slot_of(const struct map *map, const char *key, size_t length,
				uint32_t hash)
{
	size_t at = hash & (map->cap - 1);

	for (;; at = (at + 1) & (map->cap - 1)) {
		struct map_slot *slot = &map->slots[at];

		if (!slot->key || (slot->hash == hash && slot->length == length &&
				   !memcmp(slot->key, key, length)))
			return slot;
	}
}

static void grow(struct map *map, size_t cap)
{
	struct map old = *map;

	map->cap = cap;
	map->slots = mem_alloc(map->cap * sizeof(*map->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key)
			*slot_of(map, old.slots[i].key, old.slots[i].length,
				 old.slots[i].hash) = old.slots[i];
	free(old.slots);
}

void map_expect(struct map *map, size_t keys)
{
	size_t cap = map->cap ? map->cap : LEAST;

	while (keys * 4 > cap * 3)
		cap *= 2;
	if (cap == map->cap)
		return;
	grow(map, cap);
	mem_populate(map->slots, cap * sizeof(*map->slots));
}

uint32_t map_find(const struct map *map, const char *key, size_t length)
{
	const struct map_slot *slot;

	if (!map->len)
		return MAP_NONE;
	slot = slot_of(map, key, length, (uint32_t)(map_hash(key, length) >> 32));
	return slot->key ? slot->value : MAP_NONE;
}

uint32_t map_add(struct map *map, const char *key, size_t length, uint32_t value)
{
	uint32_t hash = (uint32_t)(map_hash(key, length) >> 32);
	struct map_slot *slot;

	assert(key && value != MAP_NONE);
	if ((map->len + 1) * 4 > map->cap * 3)
		grow(map, map->cap ? map->cap * 2 : LEAST);
	slot = slot_of(map, key, length, hash);
	if (!slot->key) {
		*slot = (struct map_slot){
			.key = key, .length = length, .hash = hash, .value = value
		};
		map->len++;
	}
	return slot->value;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
