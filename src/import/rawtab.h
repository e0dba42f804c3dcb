/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of text as they stand in a file, each with a number: what a piece means is worked out
 * once.
 *
 * Open addressing over a power of two, at most half full; pieces are copied when they are new.
 */
#ifndef IMPORT_RAWTAB_H
#define IMPORT_RAWTAB_H

#include "base/arena.h"
#include <stdint.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define RAW_NONE UINT32_MAX

struct raw_slot {
	const char *text; /* NULL: free */
	uint32_t length, value;
};

struct rawtab { /* { 0 } is a ready, empty one */
	struct raw_slot *slots;
	size_t len, cap;
	struct arena arena;
};

/* Makes room for about so many; more may come, and fewer. */
void rawtab_expect(struct rawtab *tab, size_t pieces);
/* Adds what was not found; the slot, whose text ends in a zero byte, holds until the next one. */
struct raw_slot *rawtab_add(struct rawtab *tab, const char *text, size_t length, uint32_t value);
void rawtab_free(struct rawtab *tab);

static inline struct raw_slot *rawtab_slot(const struct rawtab *tab, const char *text,
					   size_t length)
{
	size_t at = XXH3_64bits(text, length) & (tab->cap - 1);

	for (;; at = (at + 1) & (tab->cap - 1)) {
		struct raw_slot *slot = &tab->slots[at];

		if (!slot->text || (slot->length == length && !memcmp(slot->text, text, length)))
			return slot;
	}
}

/* Its value, or RAW_NONE. */
static inline uint32_t rawtab_find(const struct rawtab *tab, const char *text, size_t length)
{
	const struct raw_slot *slot = tab->cap ? rawtab_slot(tab, text, length) : NULL;

	return slot && slot->text ? slot->value : RAW_NONE;
}

#endif
