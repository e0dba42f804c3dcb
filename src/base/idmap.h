/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open-addressing hash table from 64-bit keys to 32-bit ids: pairs of ids, addresses.
 *
 * Linear probing over a power of two, at most 2/3 full; nothing is ever removed.  An empty slot has
 * the key ~0; who really has that key (process -1, thread -1) stands beside the table.
 */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX /* what a missing key gives */

struct idmap { /* { 0 } is a ready, empty map */
	uint64_t *keys;
	uint32_t *ids;
	size_t len, cap;
	uint32_t last_id; /* of the key ~0 */
	bool has_last;
};

static inline uint64_t idmap_hash(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 29;
}

static inline uint32_t idmap_find(const struct idmap *map, uint64_t key)
{
	if (__builtin_expect(key == UINT64_MAX, 0))
		return map->has_last ? map->last_id : IDMAP_NONE;
	if (!map->len)
		return IDMAP_NONE;
	for (size_t at = idmap_hash(key) & (map->cap - 1);; at = (at + 1) & (map->cap - 1)) {
		if (map->keys[at] == key)
			return map->ids[at];
		if (map->keys[at] == UINT64_MAX)
			return IDMAP_NONE;
	}
}

/* Makes room for about so many; more may come, and fewer. */
void idmap_expect(struct idmap *map, size_t keys);
/* Adds key with id unless it is there; gives the id that the map then holds. */
uint32_t idmap_add(struct idmap *map, uint64_t key, uint32_t id);
void idmap_free(struct idmap *map);

#endif
