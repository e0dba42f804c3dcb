/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information made by hand: one unit, of
 *
 *	outer   [0x1000, 0x1100)
 *	  middle  inlined at line 20 of a.c: [0x1010, 0x1020) and [0x1030, 0x1050)
 *	    inner   inlined at line 30 of b.h: [0x1034, 0x1038)
 *	lonely  [0x2000, 0x2010)
 *
 * and a line table of both stretches: line 11 of a.c from 0x1000 on, line 31 of b.h from 0x1034 on,
 *line 12 of a.c from 0x1038 on; line 40 of a.c at 0x2000.
 */
#ifndef UNIT_DWARF_MAKER_H
#define UNIT_DWARF_MAKER_H

#include "base/buf.h"
#include "dwarf/dwarf.h"

struct made {
	int version; /* 2 to 5 */
	bool wide;   /* 64-bit offsets */
	struct buf sections[DWARF_SECTIONS];
};

void made_fill(struct made *made);
void made_free(struct made *made);

/* What dwarf_new takes; the sections stay made's. */
struct dwarf_source made_source(struct made *made);

/* Little-endian numbers, for more of the kind. */
void put_number(struct buf *buf, uint64_t value, unsigned size);
void put_uleb(struct buf *buf, uint64_t value);

#endif
