/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a stretch of addresses is, where symbols overlap. */
#ifndef SYMBOL_RANGES_H
#define SYMBOL_RANGES_H

#include "symbol/sheet.h"
#include <stdbool.h>

#define RANGE_NONE UINT32_MAX

struct range {
	uint64_t start; /* up to the next one's */
	uint32_t owner; /* index of a row, or RANGE_NONE */
};

struct ranges VEC_OF(struct range);

/*
 * Of sorted rows; none are made if no two overlap.  An address belongs to the last row that covers
 * it by its size, or else to the last that may reach so far; or, with newest_wins, to the one whose
 * name lies furthest on in the strings: those of a JIT's map lie in the order of its lines.
 */
void ranges_make(struct ranges *ranges, const struct symbol_rows *rows, bool newest_wins);

#endif
