// SPDX-License-Identifier: Apache-2.0
#include "dwarf/rangelist.h"
#include "dwarf/constants.h"
#include "dwarf/form.h"

void rangelist_add(struct span_list *spans, uint64_t start, uint64_t end, uint32_t owner)
{
	/* Linkers put 0 or -1 in place of the address of a function that they leave out. */
	if (start && start < end)
		*vec_push(spans) = (struct span){ .start = start, .end = end, .owner = owner };
}

static void read_old(struct unit *unit, uint64_t offset, uint32_t owner, struct span_list *spans)
{
	/* Split units leave this section in the program, and count from a place it tells them. */
	struct dwarf_file *file = unit->file->is_split ? unit->file->dwarf->files.data[0]
						       : unit->file;
	uint64_t base = unit->low_pc, highest = unit->address_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct bytes b;

	if (unit->file->is_split)
		offset += unit->ranges_base;
	b = file_bytes(file, DWARF_RANGES, offset);
	while (!b.c.broken && dwarf_spend(file->dwarf, RANGE_STEPS)) {
		uint64_t start = bytes_sized(&b, unit->address_size);
		uint64_t end = bytes_sized(&b, unit->address_size);

		if (b.c.broken || (!start && !end))
			break;
		if (start == highest)
			base = end;
		else if (start < end)
			rangelist_add(spans, base + start, base + end, owner);
	}
}

/* One entry of the newer kind; false at the end of the list. */
static bool read_entry(struct unit *unit, struct bytes *b, uint64_t *base, uint32_t owner,
		       struct span_list *spans)
{
	uint64_t start = 0, end = 0;

	switch (bytes_u8(b)) {
	case DW_RLE_base_addressx: *base = form_address(unit, bytes_uleb(b)); return true;
	case DW_RLE_base_address: *base = bytes_sized(b, unit->address_size); return true;
	case DW_RLE_startx_endx:
		start = form_address(unit, bytes_uleb(b));
		end = form_address(unit, bytes_uleb(b));
		break;
	case DW_RLE_startx_length:
		start = form_address(unit, bytes_uleb(b));
		end = start + bytes_uleb(b);
		break;
	case DW_RLE_offset_pair:
		start = *base + bytes_uleb(b);
		end = *base + bytes_uleb(b);
		if (!*base)
			end = start; /* of code that was left out */
		break;
	case DW_RLE_start_end:
		start = bytes_sized(b, unit->address_size);
		end = bytes_sized(b, unit->address_size);
		break;
	case DW_RLE_start_length:
		start = bytes_sized(b, unit->address_size);
		end = start + bytes_uleb(b);
		break;
	default: return false;
	}
	if (!b->c.broken)
		rangelist_add(spans, start, end, owner);
	return true;
}

static void read_new(struct unit *unit, uint64_t offset, uint32_t owner, struct span_list *spans)
{
	struct bytes b = file_bytes(unit->file, DWARF_RNGLISTS, offset);
	uint64_t base = unit->low_pc;

	while (!b.c.broken && dwarf_spend(unit->file->dwarf, RANGE_STEPS) &&
	       read_entry(unit, &b, &base, owner, spans))
		continue;
}

/* Where the list of a number begins: the table of that stands at the base. */
static uint64_t list_offset(struct unit *unit, uint64_t index)
{
	struct bytes b;
	uint64_t offset;

	if (index > UINT32_MAX || unit->rnglists_base > UINT32_MAX)
		return NO_OFFSET;
	b = file_bytes(unit->file, DWARF_RNGLISTS, unit->rnglists_base + index * unit->offset_size);
	offset = bytes_sized(&b, unit->offset_size);
	return b.c.broken || offset > UINT32_MAX ? NO_OFFSET : unit->rnglists_base + offset;
}

void rangelist_read(struct unit *unit, const struct value *value, uint32_t owner,
		    struct span_list *spans)
{
	if (value->kind == VALUE_RANGES)
		read_new(unit, list_offset(unit, value->number), owner, spans);
	else if (value->kind == VALUE_NUMBER && unit->version >= 5)
		read_new(unit, value->number, owner, spans);
	else if (value->kind == VALUE_NUMBER)
		read_old(unit, value->number, owner, spans);
}
