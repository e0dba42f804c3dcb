// SPDX-License-Identifier: Apache-2.0
#include "dwarf/split.h"
#include "dwarf/constants.h"
#include "dwarf/unit.h"

/* The index of a package: a hash table of ids, and a table of where each unit's parts are. */
struct index {
	struct bytes ids, rows, columns, offsets;
	uint32_t version, column_count, unit_count, slots;
};

static bool read_index(struct dwarf_file *file, struct index *index)
{
	struct bytes b = file_bytes(file, DWARF_CU_INDEX, 0);

	*index = (struct index){ .version = bytes_u32(&b) };
	if (b.swapped ? index->version >> 16 == 5 : (index->version & 0xffff) == 5)
		index->version = 5; /* two bytes of it, and two of padding */
	index->column_count = bytes_u32(&b);
	index->unit_count = bytes_u32(&b);
	index->slots = bytes_u32(&b);
	if ((index->version != 2 && index->version != 5) || index->column_count > 16)
		return false;
	index->ids = b;
	bytes_skip(&b, (uint64_t)index->slots * 8);
	index->rows = b;
	bytes_skip(&b, (uint64_t)index->slots * 4);
	index->columns = b;
	bytes_skip(&b, (uint64_t)index->column_count * 4);
	index->offsets = b;
	bytes_skip(&b, (uint64_t)index->unit_count * index->column_count * 4);
	return !b.c.broken && index->slots && !(index->slots & (index->slots - 1));
}

/* The row of an id, from 1 on; 0 if it is not there. */
static uint32_t find_row(const struct dwarf_file *file, const struct index *index, uint64_t id)
{
	uint64_t mask = index->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;

	for (uint32_t tries = 0; tries < index->slots && dwarf_spend(file->dwarf, 1); tries++) {
		struct bytes ids = index->ids, rows = index->rows;
		uint64_t found;
		uint32_t row;

		bytes_skip(&ids, slot * 8);
		bytes_skip(&rows, slot * 4);
		found = bytes_u64(&ids);
		row = bytes_u32(&rows);
		if (found == id || !row)
			return row <= index->unit_count ? row : 0;
		slot = (slot + step) & mask;
	}
	return 0;
}

static struct unit *find_packed(struct dwarf_file *file, uint64_t id)
{
	struct unit_parts parts = { 0 };
	uint64_t info = NO_OFFSET;
	struct index index;
	uint32_t row;

	if (!read_index(file, &index) || !(row = find_row(file, &index, id)))
		return NULL;
	bytes_skip(&index.offsets, (uint64_t)(row - 1) * index.column_count * 4);
	for (uint32_t i = 0; i < index.column_count; i++) {
		uint32_t kind = bytes_u32(&index.columns), at = bytes_u32(&index.offsets);

		switch (kind) {
		case DW_SECT_INFO: info = at; break;
		case DW_SECT_ABBREV: parts.abbrev = at; break;
		case DW_SECT_LINE: parts.line = at; break;
		case DW_SECT_STR_OFFSETS: parts.str_offsets = at; break;
		case DW_SECT_RNGLISTS: /* in version 2: of macros */
			parts.rnglists = index.version == 5 ? at : 0;
			break;
		}
	}
	return info == NO_OFFSET ? NULL : unit_read_at(file, info, &parts);
}

static struct unit *find_alone(struct dwarf_file *file, uint64_t id)
{
	if (!file->units.len)
		units_read(file);
	vec_each (unit, &file->units)
		if (unit_root(*unit) && (*unit)->split_id == id)
			return *unit;
	return NULL;
}

/* In the order of likelihood: the package that is open already, the file of the unit's own. */
static struct unit *open_split(struct unit *unit)
{
	struct dwarf *dwarf = unit->file->dwarf;
	const struct dwarf_source *own = &dwarf->files.data[0]->source;
	struct dwarf_source source;
	struct dwarf_file *file;
	struct unit *found;

	vec_each (known, &dwarf->files)
		if ((*known)->is_package && (found = find_packed(*known, unit->split_id)))
			return found;
	if (!own->open_split ||
	    !own->open_split(own->context, unit->folder, unit->split_name, unit->split_id, &source))
		return NULL;
	file = file_add(dwarf, &source);
	file->is_split = true;
	file->is_package = file_has(file, DWARF_CU_INDEX, 0);
	return file->is_package ? find_packed(file, unit->split_id)
				: find_alone(file, unit->split_id);
}

struct unit *split_unit(struct unit *unit)
{
	struct unit *split;

	if (!unit->split_name || unit->file->is_split)
		return unit;
	if (unit->split_tried)
		return unit->split;
	unit->split_tried = true;
	split = open_split(unit);
	if (!split || !unit_root(split))
		return NULL;
	/* What the program's own unit says for it. */
	split->addr_base = unit->addr_base;
	split->ranges_base = unit->ranges_base;
	split->low_pc = unit->low_pc;
	unit->split = split;
	return split;
}
