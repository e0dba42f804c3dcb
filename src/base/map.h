/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open-addressing hash table from byte strings to 32-bit numbers, mostly indices into an array.
 *
 * Keys are borrowed: they must outlive the map (an arena or an interner holds them).  Linear
 * probing over a power of two, at most 3/4 full; nothing is ever removed.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX /* what a missing key gives; no value may equal it */

struct map { /* { 0 } is a ready, empty map */
	struct map_slot *slots;
	size_t len, cap;
};

/* Makes room for about so many; more may come, and fewer. */
void map_expect(struct map *map, size_t keys);

/* The value of key, or MAP_NONE. */
uint32_t map_find(const struct map *map, const char *key, size_t length);

/* Adds key with value unless it is there; gives the value that the map then holds. */
uint32_t map_add(struct map *map, const char *key, size_t length, uint32_t value);

void map_free(struct map *map);

uint64_t map_hash(const void *bytes, size_t length);

#endif
