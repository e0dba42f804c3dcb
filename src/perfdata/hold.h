/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of records that wait for their turn, in large pieces of memory.
 *
 * Records go in in one order and out in nearly the same: a piece is used again as soon as the last
 * record in it was given back, so that nothing is allocated while a recording streams through.
 */
#ifndef PERFDATA_HOLD_H
#define PERFDATA_HOLD_H

#include "base/vec.h"
#include <stddef.h>
#include <stdint.h>

struct hold_piece;

struct hold { /* { 0 } is a ready, empty one */
	VEC(struct hold_piece *) pieces;
	VEC(struct hold_piece *) unused;
	struct hold_piece *filling;
};

/* Copies size bytes (at most 64 KiB) and a number that goes with them; 8-aligned. */
const void *hold_add(struct hold *hold, const void *bytes, size_t size, uint64_t tag);
uint64_t hold_tag(const void *copy);
void hold_give_back(struct hold *hold, const void *copy);
size_t hold_size(const struct hold *hold); /* bytes of memory in use */
void hold_fini(struct hold *hold);	   /* whatever was not given back goes too */

#endif
