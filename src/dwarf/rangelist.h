/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of address ranges: .debug_ranges up to version 4, .debug_rnglists from 5 on. */
#ifndef DWARF_RANGELIST_H
#define DWARF_RANGELIST_H

#include "dwarf/file.h"

/* Adds the ranges of the list that an attribute's value names. */
void rangelist_read(struct unit *unit, const struct value *value, uint32_t owner,
		    struct span_list *spans);

/* Adds one, unless it is empty or what a linker leaves of code that it threw away. */
void rangelist_add(struct span_list *spans, uint64_t start, uint64_t end, uint32_t owner);

#endif
