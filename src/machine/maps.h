/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of one address space, in order and without overlap: a new one cuts away what it
 * covers of older ones, as the kernel does.
 *
 * Counted, since a fork shares them: who wants to change them takes maps_own first.
 */
#ifndef MACHINE_MAPS_H
#define MACHINE_MAPS_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* end is past the last byte */
	uint64_t offset;     /* of start, in the file */
	uint32_t object;
	bool identity; /* an address in it is not counted from the file's start (no file, kernel) */
	bool data;     /* recorded as not executable */
};

#define MAPS_HINTS 16

/* Where the last search for an address of a region ended: the next mostly ends there. */
struct maps_hints {
	uint16_t at[MAPS_HINTS];
};

struct maps {
	unsigned refs;
	uint32_t space; /* its owner's number for this state of it */
	VEC(struct mapping) list;
	struct maps_hints hints;
};

struct maps *maps_new(void);
struct maps *maps_get(struct maps *maps);
void maps_put(struct maps *maps);
/* The same mappings for this owner alone: itself if nobody else has them, or a copy. */
struct maps *maps_own(struct maps *maps);

void maps_insert(struct maps *maps, const struct mapping *mapping);
/* Takes away what lies in [start, end). */
void maps_remove(struct maps *maps, uint64_t start, uint64_t end);
const struct mapping *maps_find(struct maps *maps, uint64_t address);
/* The same for another thread, with hints of its own (of any maps), while nobody changes these. */
const struct mapping *maps_look(const struct maps *maps, struct maps_hints *hints,
				uint64_t address);

/* Where an address lies in the mapping's object. */
static inline uint64_t mapping_offset(const struct mapping *mapping, uint64_t address)
{
	return mapping->identity ? address : address - mapping->start + mapping->offset;
}

#endif
