/* SPDX-License-Identifier: Apache-2.0 */
/* The units of .debug_info: their headers and what their first entries say. */
#ifndef DWARF_UNIT_H
#define DWARF_UNIT_H

#include "dwarf/file.h"
#include "dwarf/form.h"

/* Finds all units of a file. */
void units_read(struct dwarf_file *file);

/* One unit alone, for a package of .dwo files; NULL if there is none. */
struct unit *unit_read_at(struct dwarf_file *file, uint64_t offset, const struct unit_parts *parts);

/* The unit that an offset of .debug_info lies in; or NULL. */
struct unit *unit_at(struct dwarf_file *file, uint64_t offset);

/* The addresses of every unit, as its first entry or else .debug_aranges tells them. */
void units_place(struct dwarf_file *file, struct span_list *spans);

/* Reads the first entry, once; false if it can't be read. */
bool unit_root(struct unit *unit);

/* The unit's .debug_info from an offset on, up to its end. */
struct bytes unit_bytes(struct unit *unit, uint64_t offset);

/* Adds the addresses that an entry's attributes tell, each owned by `owner`. */
void unit_pcs(struct unit *unit, const struct pc_attrs *attrs, uint32_t owner,
	      struct span_list *spans);

#endif
